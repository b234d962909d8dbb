/**
 * The service worker: the page starts without a network, from the files of one build.
 * Rule: a build's files come only from that build's folder, so that no page ever gets files of two builds. Beyond the
 * page and its folder it answers only for the owner's files, because its scope may be a whole site.
 *
 * The page (index.html) is asked for in the network first: it names the build, so a new build counts from the next
 * visit. Without an answer in time the last complete build starts. A page that is open keeps the files of its build:
 * the browser activates a new worker, which deletes the older builds, only when no page has the old one any more.
 */
import { cachesOf, OF_THE_OWNER } from './offline_files.js';

/** @type {ServiceWorkerGlobalScope} */
const worker = /** @type {any} */ (self);

const SCOPE = worker.registration.scope;
const PREFIX = cachesOf(SCOPE);
const OWNERS = `${PREFIX}owner`;
const PATIENCE_MS = 3000;

const OF_A_BUILD = /^(build-[0-9a-f]+)\/./;

/**
 * The response, if it can be the file.
 * @param {string} address
 * @param {RequestCache} cache
 */
async function loaded(address, cache) {
  const response = await fetch(address, { cache });
  const type = response.headers.get('content-type') || '';
  // some hosts send their start page instead of a 404
  if (!response.ok || (address !== SCOPE && /html/.test(type))) throw new Error(`${address}: HTTP ${response.status}`);
  return response;
}

/** Stores the files of this build, the page last: a build without its page is not complete. */
async function install() {
  const builds = await complete();
  if (builds[builds.length - 1] === PREFIX + BUILD_FOLDER) return;
  await caches.delete(PREFIX + BUILD_FOLDER); // the newest build is the newest cache, also after a step back
  const cache = await caches.open(PREFIX + BUILD_FOLDER);
  // one after the other, because the person may be at work already
  for (const file of BUILD_FILES) {
    const address = `${SCOPE}${BUILD_FOLDER}/${file}`;
    await cache.put(address, await loaded(address, 'default'));
  }
  const page = await loaded(SCOPE, 'no-cache');
  const { status, headers } = page;
  const text = await page.text();
  if (text.indexOf(`./${BUILD_FOLDER}/`) < 0) throw new Error('the host has another build by now');
  // a new response, because one that was redirected cannot answer a navigation
  await cache.put(SCOPE, new Response(text, { status, headers }));
}

/** The caches of complete builds, the newest last. */
async function complete() {
  const names = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== OWNERS);
  const pages = await Promise.all(names.map((cacheName) => caches.match(SCOPE, { cacheName })));
  return names.filter((_, at) => pages[at]);
}

/** Deletes all builds but this one: no page has another. */
async function tidy() {
  const names = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== OWNERS);
  await Promise.all(names.filter((name) => name !== PREFIX + BUILD_FOLDER).map((name) => caches.delete(name)));
  await worker.clients.claim(); // from now on the page of a first visit, too, keeps its build's files
}

/** The page of the newest complete build. */
async function lastPage() {
  const [cacheName] = (await complete()).slice(-1);
  return cacheName ? caches.match(SCOPE, { cacheName }) : undefined;
}

/**
 * What the network answers, or else what is stored: if the network fails, or does not answer in time.
 * @param {Promise<Response>} asked
 * @param {() => Promise<Response | undefined>} copy
 */
async function networkFirst(asked, copy) {
  const late = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS));
  const response = await Promise.race([asked, late]).catch(() => undefined);
  if (response instanceof Response && response.status < 500) return response;
  return (await copy()) || asked;
}

/**
 * What is stored for a request; undefined also if the storage fails.
 * @param {Request} request
 * @param {string} cacheName
 */
const stored = (request, cacheName) =>
  caches.match(request, { cacheName, ignoreSearch: true, ignoreVary: true }).catch(() => undefined);

/** @param {Request} request */
function owners(request) {
  const asked = fetch(request).then((response) => {
    const copy = response.status === 200 && response.clone();
    const work = caches.open(OWNERS).then((cache) => (copy ? cache.put(request, copy) : undefined));
    work.catch(() => {}); // storage is full or forbidden: then there is no copy
    return response;
  });
  return networkFirst(asked, () => stored(request, OWNERS));
}

/** @param {Request} request @param {string} folder */
const file = async (request, folder) => (await stored(request, PREFIX + folder)) || fetch(request);

/**
 * The answer to a request of a page; undefined leaves it to the browser.
 * @param {Request} request
 */
function answer(request) {
  const [address] = request.url.split(/[?#]/);
  if (request.method !== 'GET' || !address.startsWith(SCOPE)) return undefined;
  const path = address.slice(SCOPE.length);
  const [, folder] = OF_A_BUILD.exec(path) || [];
  if (folder) return file(request, folder);
  if (OF_THE_OWNER.test(path)) return owners(request);
  const isPage = request.mode === 'navigate' && (path === '' || path === 'index.html');
  // without navigation preload: Firefox shows its error page if that fails
  return isPage ? networkFirst(fetch(request), lastPage) : undefined;
}

worker.addEventListener('install', (event) => event.waitUntil(install()));
worker.addEventListener('activate', (event) => event.waitUntil(tidy()));
worker.addEventListener('fetch', (event) => {
  const answered = answer(event.request);
  if (answered) event.respondWith(answered);
});
