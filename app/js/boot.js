/**
 * PyScript's `interpreter`: starts Python when it is imported, before PyScript asks, from byte-compiled bundles.
 * Rule: every file comes from this page's own folder, and one that fails is named in the page, at once.
 *
 * Same exports as Pyodide's own module. Private to Pyodide, and why its version is pinned: the option
 * `createPyodideModule`, in the settings that it gets `preRun`, `locateFile` and `loadDynamicLibrary`, and
 * `_api.on_fatal`.
 */
import * as bridge from './bridge.js';
/* global PYODIDE_VERSION, PYODIDE_ABI, EXTENSION -- put in by build.py, read from the pinned packages */

// Pyodide takes an object for an error only if it has a `stack`, which those of WebKit's own making lack. bridge.js keeps
// them away from Python; this is for what Pyodide and PyScript await themselves.
if (!('stack' in Error.prototype)) {
  Object.defineProperty(Error.prototype, 'stack', { value: '', writable: true, configurable: true });
}

const base = new URL('.', import.meta.url).href;
const RUNTIME = 'pyodide/pyodide.js';
const EMSCRIPTEN = 'pyodide/pyodide.asm.js';
const WASM = 'pyodide/pyodide.asm.wasm';
const STDLIB = 'pyodide/stdlib.zip';
const BUNDLES = ['site.bin', 'app.bin'];
const EXTENSION_FILE = 'pydantic_core.wasm';

const [major, minor] = PYODIDE_ABI.python.split('.');
const STDLIB_PATH = `/lib/python${major}${minor}.zip`;
const SITE_PACKAGES = `/lib/python${major}.${minor}/site-packages`;
const PYSCRIPT_ASKS_WITHIN_MS = 8000; // it asks long before Python is there

// Problems

let first;
let stopBoot;
const stopped = new Promise((_, reject) => {
  stopBoot = reject;
});

/** An error that names the file. `status`: HTTP, 0 for none. Only the first is told: the others follow from it. */
function problem(file, status, message, cause) {
  if (cause?.name === 'BootError') return cause;
  const error = Object.assign(new Error(`${file}: ${message}`, { cause }), { name: 'BootError', file, status });
  if (!first) {
    first = error;
    globalThis.tabloop?.bootFailed?.({ file, status, message });
    stopBoot(error);
  }
  return error;
}

/** The response to `fetching`, if it can be the file. */
async function accepted(file, fetching) {
  let response;
  try {
    response = await fetching;
  } catch (cause) {
    throw problem(file, 0, 'the server did not answer', cause);
  }
  const { ok, status, headers } = response;
  if (!ok) throw problem(file, status, `the server answered HTTP ${status}`);
  // some hosts send their start page instead of a 404
  if (/html/.test(headers.get('content-type'))) throw problem(file, status, 'the server sent a web page instead');
  return response;
}

const request = (file) => accepted(file, fetch(base + file));

/** Rejects with what is wrong with `file`, by asking for it again: those who loaded it don't say. */
async function explain(file, cause) {
  const { status, headers } = await request(file);
  const type = headers.get('content-type') ?? 'no type';
  throw problem(file, status, `it does not work in this browser (sent as ${type}; ${cause.message})`, cause);
}

// Parts

const module = (file, importing) => importing.catch((cause) => explain(file, cause));

async function bundle(file) {
  const response = await request(file);
  try {
    return await new Response(response.body.pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
  } catch (cause) {
    throw problem(file, response.status, 'the file is damaged or came incomplete', cause);
  }
}

/** Writes a bundle (format: bytecompile.py) into site-packages. The files are views on it, nothing is copied. */
function unpack(FS, buffer) {
  const all = new Uint8Array(buffer);
  let at = 4 + new DataView(buffer).getUint32(0, true);
  const folders = new Set();
  for (const [name, size] of JSON.parse(new TextDecoder().decode(all.subarray(4, at)))) {
    const path = `${SITE_PACKAGES}/${name}`;
    const folder = path.slice(0, path.lastIndexOf('/'));
    if (!folders.has(folder)) FS.mkdirTree(folder);
    folders.add(folder);
    FS.writeFile(path, all.subarray(at, at + size), { canOwn: true });
    at += size;
  }
}

/** Pyodide only logs that its wasm did not start, and waits for ever: its one use of streaming is watched. */
function watchInstantiation() {
  const streaming = WebAssembly.instantiateStreaming;
  WebAssembly.instantiateStreaming = async (source, imports) => {
    WebAssembly.instantiateStreaming = streaming;
    const response = await accepted(WASM, source);
    // streaming takes this type only, and not every host knows it; some browsers have no streaming
    const known = streaming && response.headers.get('content-type')?.startsWith('application/wasm');
    try {
      return known
        ? await streaming.call(WebAssembly, response, imports)
        : await WebAssembly.instantiate(await response.arrayBuffer(), imports);
    } catch (cause) {
      throw problem(WASM, response.status, `it does not work in this browser (${cause.message})`, cause);
    }
  };
}

/**
 * Python on the page's own stack. With stack switching, which nothing here uses, Chromium ends the whole tab now
 * and then: what it runs by chance to record a stack (GWP-ASan) reads on behind the end of the switched one.
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

async function checkStdlib({ FS }) {
  const [p, k] = FS.analyzePath(STDLIB_PATH).exists ? FS.readFile(STDLIB_PATH) : [];
  if (p !== 0x50 || k !== 0x4b) await explain(STDLIB, new Error('it is no zip'));
}

/** pydantic's core, compiled asynchronously: at its import in Python it would block the page. */
async function loadExtension(pyodide) {
  const path = `${SITE_PACKAGES}/${EXTENSION}`;
  try {
    await pyodide.loadDynamicLibrary(path, { loadAsync: true, global: true, nodelete: true, allowUndefined: true });
  } catch (cause) {
    await explain(EXTENSION_FILE, cause);
  }
  // it is loaded; Python's finder only needs to see a file
  pyodide.FS.mkdirTree(path.slice(0, path.lastIndexOf('/')));
  pyodide.FS.writeFile(path, new Uint8Array(1));
}

/** A `preRun` that Python waits for. If `work` fails, Python does not start on what is missing. */
const before = (file, work) => async (pyodide) => {
  pyodide.addRunDependency(file);
  try {
    await work(pyodide);
    pyodide.removeRunDependency(file);
  } catch (cause) {
    problem(file, 0, cause.message, cause);
  }
};

// The start

let output = { stdout: console.log, stderr: console.error }; // until PyScript brings its own

async function start() {
  const contents = BUNDLES.map(bundle);
  // their failure is told where it happens
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
    // an empty lock: no package can be looked up, so nothing is ever asked of another origin
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
  // what ends Python later (no memory left, say) reaches only the console otherwise
  python._api.on_fatal = ({ message }) => globalThis.tabloop?.died?.(message);
  return python;
}

const started = Promise.race([
  stopped,
  start().catch((cause) => {
    throw problem('boot.js', 0, cause.message, cause);
  }),
]);

let asked = false;

/** Python is there and nobody wants it: PyScript or its settings did not load, and nobody else would notice. */
async function lookForPyScript() {
  if (asked) return;
  const links = [...document.querySelectorAll('link[rel=modulepreload], link[as=fetch]')].map(({ href }) => href);
  for (const href of links.filter((link) => link.startsWith(base))) await request(href.slice(base.length));
  problem('pyscript.toml', 0, 'PyScript did not start; does it say `interpreter = "./boot.js"`?');
}
// what `started` rejects with is told above; it must not count as unhandled before PyScript asks
started.then(
  () => setTimeout(() => lookForPyScript().catch(() => {}), PYSCRIPT_ASKS_WITHIN_MS),
  () => {},
);

export const version = PYODIDE_VERSION;

/** What PyScript calls. The options that it sends besides (folder, lock, packages) are settled here. */
export function loadPyodide({ stdout, stderr }) {
  asked = true;
  output = { stdout, stderr };
  return started;
}
