/**
 * PyScript's `interpreter`: loads Python from byte-compiled bundles, and starts before PyScript asks for it.
 * Rule: whatever fails here is reported by `problem`, so that the page names the file.
 *
 * It exports what Pyodide's own module exports. It uses parts of Pyodide that are private (pyodide/pyodide.d.ts marks
 * them); so the version of Pyodide is pinned.
 */
import { accepted, base, bundle, explain, messageOf, module, problem, request, stopped } from './boot_files.js';
import * as bridge from './bridge.js';

/**
 * @import { FileSystem, Module, PreRun, Python } from './pyodide/pyodide.js'
 * @typedef {{ stdout: (line: string) => void, stderr: (line: string) => void }} Output
 */

// Pyodide recognises an error by its `stack`, which WebKit's own errors do not have. bridge.js keeps those away from
// Python; this is for what Pyodide and PyScript await themselves.
if (!('stack' in Error.prototype)) {
  Object.defineProperty(Error.prototype, 'stack', { value: '', writable: true, configurable: true });
}

const RUNTIME = 'pyodide/pyodide.js';
const EMSCRIPTEN = 'pyodide/pyodide.asm.js';
const WASM = 'pyodide/pyodide.asm.wasm';
const STDLIB = 'pyodide/stdlib.zip';
const BUNDLES = ['site.bin', 'app.bin'];
const EXTENSION_FILE = 'pydantic_core.wasm';

const [major, minor] = PYODIDE_ABI.python.split('.');
const STDLIB_PATH = `/lib/python${major}${minor}.zip`;
const SITE_PACKAGES = `/lib/python${major}.${minor}/site-packages`;
const PYSCRIPT_ASKS_WITHIN_MS = 8000; // counted from when Python is there; usually PyScript asks long before that

// Parts

/**
 * Writes a bundle (bytecompile.py describes its format) into site-packages. The files are views of it, not copies.
 * @param {FileSystem} FS
 * @param {ArrayBuffer} buffer
 */
function unpack(FS, buffer) {
  const all = new Uint8Array(buffer);
  let offset = 4 + new DataView(buffer).getUint32(0, true);
  const folders = new Set();
  for (const [name, size] of JSON.parse(new TextDecoder().decode(all.subarray(4, offset)))) {
    const path = `${SITE_PACKAGES}/${name}`;
    const folder = path.slice(0, path.lastIndexOf('/'));
    if (!folders.has(folder)) FS.mkdirTree(folder);
    folders.add(folder);
    FS.writeFile(path, all.subarray(offset, offset + size), { canOwn: true });
    offset += size;
  }
}

/** If its wasm file does not work, Pyodide only logs this and never ends. So its one call for that file is replaced. */
function watchInstantiation() {
  const streaming = WebAssembly.instantiateStreaming;
  WebAssembly.instantiateStreaming = async (source, imports) => {
    WebAssembly.instantiateStreaming = streaming;
    const response = await accepted(WASM, source);
    // streaming needs this type, which some hosts do not send; some browsers have no streaming
    const canStream =
      typeof streaming === 'function' && response.headers.get('content-type')?.startsWith('application/wasm');
    try {
      return canStream
        ? await streaming.call(WebAssembly, response, imports)
        : await WebAssembly.instantiate(await response.arrayBuffer(), imports);
    } catch (cause) {
      throw problem(WASM, response.status, `it does not work in this browser (${messageOf(cause)})`, cause);
    }
  };
}

/**
 * Calls `work` in a browser that seems to have no stack switching. Nothing here uses it, and with it Chromium now and
 * then crashes the tab: a part that records stacks at random (GWP-ASan) reads beyond the end of the switched stack.
 * @template T
 * @param {() => T} work
 */
function withoutStackSwitching(work) {
  const { Suspending } = WebAssembly;
  delete WebAssembly.Suspending;
  try {
    return work();
  } finally {
    if (Suspending) WebAssembly.Suspending = Suspending;
  }
}

/** @param {Module} module */
async function checkStdlib({ FS }) {
  const [p, k] = FS.analyzePath(STDLIB_PATH).exists ? FS.readFile(STDLIB_PATH) : [];
  if (p !== 0x50 || k !== 0x4b) await explain(STDLIB, new Error('it is not a zip file'));
}

/**
 * Loads pydantic's core and compiles it asynchronously. Python's `import` would block the page while it compiles.
 * @param {Module} pyodide
 */
async function loadExtension(pyodide) {
  const path = `${SITE_PACKAGES}/${EXTENSION}`;
  try {
    await pyodide.loadDynamicLibrary(path, { loadAsync: true, global: true, nodelete: true, allowUndefined: true });
  } catch (cause) {
    await explain(EXTENSION_FILE, cause);
  }
  // it is loaded now; Python's finder only needs to see a file
  pyodide.FS.mkdirTree(path.slice(0, path.lastIndexOf('/')));
  pyodide.FS.writeFile(path, new Uint8Array(1));
}

/**
 * A `preRun` that Python waits for. If `work` fails, Python does not start.
 * @param {string} file
 * @param {(pyodide: Module) => Promise<void>} work
 * @returns {PreRun}
 */
const before = (file, work) => async (pyodide) => {
  pyodide.addRunDependency(file);
  try {
    await work(pyodide);
    pyodide.removeRunDependency(file);
  } catch (cause) {
    problem(file, 0, messageOf(cause), cause);
  }
};

// The start

/** @type {Output} */
let output = { stdout: console.log, stderr: console.error }; // until PyScript gives its own

async function start() {
  const contents = BUNDLES.map(bundle);
  // a failure is shown where it happens, so it must not count as unhandled
  for (const content of contents) content.catch(() => {});
  const [{ loadPyodide: load }, { default: create }] = await Promise.all([
    module(RUNTIME, import('./pyodide/pyodide.js')),
    module(EMSCRIPTEN, import('./pyodide/pyodide.asm.js')),
  ]);
  watchInstantiation();
  const python = await load({
    stdout: (line) => output.stdout(line),
    stderr: (line) => output.stderr(line),
    indexURL: `${base}pyodide/`,
    stdLibURL: base + STDLIB,
    // an empty lock: no package can be looked up, so no other origin is ever asked for one
    lockFileContents: { info: PYODIDE_ABI, packages: {} },
    packageBaseUrl: base,
    createPyodideModule(settings) {
      const {
        preRun: [installStdlib, ...others],
        locateFile,
      } = settings;
      settings.locateFile = (name) => (name.endsWith('.so') ? base + EXTENSION_FILE : locateFile(name));
      settings.preRun = [
        before(STDLIB, async (pyodide) => {
          await installStdlib(pyodide);
          await checkStdlib(pyodide);
        }),
        ...others,
        ...BUNDLES.map((file, i) => before(file, async ({ FS }) => unpack(FS, await contents[i]))),
        before(EXTENSION_FILE, loadExtension),
      ];
      return withoutStackSwitching(() => create(settings));
    },
  });
  python.registerJsModule('tabloop_bridge', bridge);
  performance.mark('tabloop:python');
  // without this, what ends Python later (such as no memory) would be seen only in the console
  python._api.on_fatal = ({ message }) => globalThis.tabloop?.died(message);
  return python;
}

const started = Promise.race([
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
// an error of `started` is shown already, so it must not count as unhandled before PyScript asks
started.then(
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
  output = { stdout, stderr };
  return started;
}
