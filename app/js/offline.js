/**
 * Keeps the page's files for a start without a network (sw.js), and says when there is a newer build.
 * Rule: whatever is refused here leaves the page as it is: it works without a worker. A page never changes its build
 * by itself: a newer one waits until the person reloads.
 */
import { isFramed } from './framed.js';
import { cachesOf, OF_THE_OWNER } from './offline_files.js';

const folder = new URL('.', import.meta.url); // of this build
const page = new URL('..', folder).href;
const prefix = cachesOf(page);
const own = prefix + folder.pathname.split('/').slice(-2)[0];
const LOOK_EVERY_MS = 3_600_000;

/** @typedef {Navigator & { connection?: { saveData?: boolean } }} Connected */

/** Whether a build that is not this page's is the newest that is stored. */
async function isNewer() {
  const builds = (await caches.keys()).filter((name) => name.startsWith(`${prefix}build-`));
  return builds.length > 0 && builds[builds.length - 1] !== own;
}

/** @param {ServiceWorkerRegistration} registration */
function watch(registration) {
  const tell = async () => {
    if (await isNewer()) globalThis.tabloop?.newer();
  };
  registration.addEventListener('updatefound', () => {
    const { installing } = registration;
    installing?.addEventListener('statechange', () => {
      if (installing.state === 'installed') tell();
    });
  });
  if (registration.waiting) tell();
  let looked = Date.now();
  const look = () => {
    if (document.hidden || Date.now() - looked < LOOK_EVERY_MS) return;
    looked = Date.now();
    registration.update().catch(() => {}); // no network
  };
  document.addEventListener('visibilitychange', look);
  setInterval(look, LOOK_EVERY_MS);
}

/**
 * Resolves when the page can start without a network. The first visit has loaded the owner's files before there was a
 * worker, so they are loaded once more: the worker stores what passes through it.
 */
async function complete() {
  const { serviceWorker } = navigator;
  if (!serviceWorker.controller) {
    await new Promise((resolve) => serviceWorker.addEventListener('controllerchange', resolve, { once: true }));
    const loaded = performance.getEntriesByType('resource').map(({ name }) => name);
    const owners = loaded.filter((name) => name.startsWith(page) && OF_THE_OWNER.test(name.slice(page.length)));
    await Promise.all([...new Set(owners)].map((name) => fetch(name)));
  }
  performance.mark('tabloop:offline');
}

/** Removes what an earlier visit has stored. */
async function remove() {
  const registration = await navigator.serviceWorker.getRegistration(page);
  if (registration?.scope === page) await registration.unregister();
  for (const name of await caches.keys()) if (name.startsWith(prefix)) await caches.delete(name);
}

/**
 * Call it when the page has nothing else to do.
 * @param {Record<string, unknown>} settings the table `[tabloop]`
 */
export async function keepOffline({ offline }) {
  const { connection } = /** @type {Connected} */ (navigator);
  try {
    if (offline === false) await remove();
    if (offline === false || isFramed() || connection?.saveData) return;
    watch(await navigator.serviceWorker.register(`${page}sw.js`));
    await complete();
  } catch {
    // refused, without HTTPS, or no storage
  }
}
