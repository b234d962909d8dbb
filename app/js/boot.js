/**
 * PyScript's `interpreter`: starts Python before PyScript asks for it, from a snapshot if there is one that fits.
 * Rule: whatever fails here is reported by `problem`, so that the page names the file. A snapshot that fails is not
 * reported: Python starts without it.
 *
 * It exports what Pyodide's own module exports. It uses parts of Pyodide that are private (pyodide/pyodide.d.ts marks
 * them); so the version of Pyodide is pinned.
 */
import { base, messageOf, problem, request, stopped } from './boot_files.js';
import { output, restored, started } from './boot_interpreter.js';
import { lateFile, loadLate } from './boot_late.js';
import { deferPyScript, writePyScript } from './boot_pyscript.js';
import { take } from './boot_snapshot.js';
import { begun, ended, forget, keep } from './boot_store.js';
import { chosen } from './boot_way.js';
import * as bridge from './bridge.js';

/**
 * @import { Python } from './pyodide/pyodide.js'
 * @import { Output } from './boot_interpreter.js'
 * @import { Bytes } from './boot_snapshot.js'
 */

// Pyodide recognises an error by its `stack`, which WebKit's own errors do not have. bridge.js keeps those away from
// Python; this is for what Pyodide and PyScript await themselves.
if (!('stack' in Error.prototype)) {
  Object.defineProperty(Error.prototype, 'stack', { value: '', writable: true, configurable: true });
}

const PYSCRIPT_ASKS_WITHIN_MS = 8000; // counted from when Python is there; usually PyScript asks long before that

/** When the page is ready and has nothing else to do. */
const idle = new Promise((resolve) => {
  document.addEventListener('tabloop:ready', () => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(resolve);
    else setTimeout(resolve, 200); // WebKit
  });
});

/**
 * Python, and what to keep of this start for the next visit.
 * @returns {Promise<{ python: Python, kept?: { content: Bytes, size: number } }>}
 */
async function way() {
  const { snapshot, mayKeep } = await chosen();
  if (snapshot) {
    begun();
    const python = await restored(snapshot);
    if (python) {
      idle.then(ended);
      addEventListener('pagehide', ended, { once: true }); // a page that hangs does not notice that the person leaves
    }
    if (python && snapshot.kept) return { python };
    if (python) return { python, kept: { content: await snapshot.content, size: await snapshot.size } };
    snapshot.content.catch(ended); // a file that does not come says nothing about the snapshot in it
    await forget();
  }
  const python = await started();
  if (!mayKeep) return { python };
  try {
    return { python, kept: { content: take(python), size: python._module.HEAP8.length } };
  } catch {
    return { python }; // something that was imported holds an object of the page
  }
}

/** Lets the page start without a network. Other pages that load boot.js stay as they are. */
async function keepFiles() {
  const settings = await globalThis.tabloop?.settings();
  if (!settings || !('serviceWorker' in navigator)) return;
  const part = await import('./offline.js').catch(() => null); // the network has gone: the next visit tries again
  await part?.keepOffline(settings);
}

async function start() {
  const { python, kept } = await way();
  python.registerJsModule('tabloop_bridge', bridge);
  python.registerJsModule('tabloop_late', {
    loadLate: () => loadLate(python),
    lateFile,
    writePyScript: () => writePyScript(python),
  });
  deferPyScript(python);
  python.runPython('from tabloop.browser.late_modules import install; install()');
  performance.mark('tabloop:python');
  // without this, what ends Python later (such as no memory) would be seen only in the console
  python._api.on_fatal = ({ message }) => globalThis.tabloop?.died(message);
  idle.then(async () => {
    await loadLate(python);
    if (kept && (await keep(kept.content, kept.size))) performance.mark('tabloop:kept');
    await keepFiles();
  });
  return python;
}

const starting = Promise.race([
  stopped,
  start().catch((cause) => {
    throw problem('boot.js', 0, messageOf(cause), cause);
  }),
]);

let asked = false;

/** Python is there and PyScript has not asked for it: PyScript or its settings did not load. Finds out which. */
async function lookForPyScript() {
  if (asked) return;
  const preloads = [...document.querySelectorAll('link')].filter(
    ({ rel, as }) => rel === 'modulepreload' || as === 'fetch',
  );
  for (const { href } of preloads) if (href.startsWith(base)) await request(href.slice(base.length));
  problem('pyscript.toml', 0, 'PyScript did not start; does it say `interpreter = "./boot.js"`?');
}
// an error of `starting` is shown already, so it must not count as unhandled before PyScript asks
starting.then(
  () => setTimeout(() => lookForPyScript().catch(() => {}), PYSCRIPT_ASKS_WITHIN_MS),
  () => {},
);

export const version = PYODIDE_VERSION;

/**
 * PyScript calls this. It also sends a folder, a lock and packages; these are ignored, because `start` sets them.
 * @param {Output} options
 * @returns {Promise<Python>}
 */
export function loadPyodide({ stdout, stderr }) {
  asked = true;
  Object.assign(output, { stdout, stderr });
  return starting;
}
