/**
 * Makes a Python interpreter with the page's modules, from their files or from a snapshot.
 * Rule: the page and the build (app/build/snapshot.js) use this file, so that their memory is laid out alike.
 */
import { restore } from './boot_snapshot.js';

/**
 * @import { FileSystem, Module, Python, Settings } from './pyodide/pyodide.js'
 * @import { Snapshot } from './boot_snapshot.js'
 * @typedef {{ file: string, content: Promise<ArrayBuffer | Uint8Array> }} Bundle
 * @typedef {object} Parts
 * @property {typeof import('./pyodide/pyodide.js').loadPyodide} load
 * @property {(settings: Settings) => Promise<Module>} create
 * @property {object} abi which Python this is, from Pyodide's lock file
 * @property {string} folder address of the folder with Pyodide's files
 * @property {string} extension path of pydantic's compiled core in site-packages
 * @property {Promise<WebAssembly.Module>} extensionModule compiled
 * @property {string} [nothing] address of any small file: Pyodide loads one as its standard library, which `prepare`
 *   leaves out
 * @property {Bundle[]} bundles what is unpacked before Python starts
 * @property {(file: string, cause: unknown) => unknown} failed called if Python cannot start, because of a file
 * @property {boolean} [fixed] with the environment of the build: for a snapshot that the build makes or has made
 * @property {(line: string) => void} [stdout]
 * @property {(line: string) => void} [stderr]
 */

export const LIBRARY = '/lib/python3.14';
const SITE_PACKAGES = `${LIBRARY}/site-packages`;
export const EXTENSION_FILE = 'pydantic_core.wasm';
// without PYTHONPATH it looks only for its zip file; without LANG the person's language would be in a snapshot; without
// PYTHONTZPATH zoneinfo would load the whole configuration of Python's build, to find no time zones
const ENVIRONMENT = { HOME: '/home/pyodide', LANG: 'C.UTF-8', PYTHONPATH: LIBRARY, PYTHONTZPATH: '' };
// a snapshot holds the build's environment, so the memory below it has to hold the same one
const FIXED_ENVIRONMENT = { ...ENVIRONMENT, PYTHONHASHSEED: '0' };

/** Lets the page paint and handle input. */
export const pause = () => new Promise((resolve) => setTimeout(resolve));

/**
 * Writes a bundle (app/build/bundles.py describes its format) below LIBRARY. The files are views of it, not copies.
 * @param {FileSystem} FS
 * @param {ArrayBuffer | Uint8Array} buffer
 */
export function unpack(FS, buffer) {
  const all = buffer instanceof Uint8Array ? buffer : new Uint8Array(buffer);
  let offset = 4 + new DataView(all.buffer, all.byteOffset).getUint32(0, true);
  const folders = new Set();
  for (const [name, size] of JSON.parse(new TextDecoder().decode(all.subarray(4, offset)))) {
    const path = `${LIBRARY}/${name}`;
    const folder = path.slice(0, path.lastIndexOf('/'));
    if (!folders.has(folder)) FS.mkdirTree(folder);
    folders.add(folder);
    FS.writeFile(path, all.subarray(offset, offset + size), { canOwn: true });
    offset += size;
  }
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

/**
 * Links pydantic's core, which is compiled already. Python's `import` would block the page while it compiles.
 * @param {Module} module
 * @param {string} extension
 * @param {WebAssembly.Module} compiled
 */
async function loadExtension(module, extension, compiled) {
  const path = `${SITE_PACKAGES}/${extension}`;
  const options = { loadAsync: true, global: true, nodelete: true, allowUndefined: true };
  module.preloadedWasm[path] = await module.loadWebAssemblyModule(compiled, options, path, {});
  await module.loadDynamicLibrary(path, options);
  // it is loaded now; Python's finder only needs to see a file
  module.FS.mkdirTree(path.slice(0, path.lastIndexOf('/')));
  module.FS.writeFile(path, new Uint8Array(1));
}

/**
 * What Emscripten does before it starts Python. Python waits for all of it; if a part fails, Python does not start.
 * @param {Parts} parts
 * @param {Settings} settings
 */
function prepare({ bundles, extension, extensionModule, failed }, settings) {
  const [, ...others] = settings.preRun; // without the first, which loads the standard library as one zip file
  /** @type {(file: string, work: (module: Module) => Promise<void>) => (module: Module) => Promise<void>} */
  const before = (file, work) => async (module) => {
    module.addRunDependency(file);
    try {
      await pause(); // after linking, which blocks the page for long
      await work(module);
      module.removeRunDependency(file);
    } catch (cause) {
      failed(file, cause);
    }
  };
  settings.preRun = [
    ...others,
    ...bundles.map(({ file, content }) => before(file, async ({ FS }) => unpack(FS, await content))),
    before(EXTENSION_FILE, async (module) => loadExtension(module, extension, await extensionModule)),
  ];
}

/**
 * An interpreter. With a snapshot it has imported what the snapshot's maker had imported.
 * @param {Parts} parts
 * @param {Snapshot} [snapshot]
 * @param {(settings: Settings) => void} [adjust] the last word about Emscripten's settings
 * @param {(module: Module) => unknown} [instantiated] called when the memory is there; Python waits for it
 * @returns {Promise<Python>}
 */
export function makePython(parts, snapshot, adjust = () => {}, instantiated = () => {}) {
  const { load, create, abi, folder, nothing, fixed, stdout, stderr } = parts;
  return load({
    ...(stdout && { stdout }),
    ...(stderr && { stderr }),
    env: fixed ? { ...FIXED_ENVIRONMENT } : { ...ENVIRONMENT },
    // its length is the size of the memory; what is in it comes from `restore`
    ...(snapshot && { _loadSnapshot: snapshot.size.then((size) => new Uint8Array(size)) }),
    indexURL: folder,
    ...(nothing && { stdLibURL: nothing }),
    // an empty lock: no package can be looked up, so no other origin is ever asked for one
    lockFileContents: { info: abi, packages: {} },
    packageBaseUrl: folder,
    async createPyodideModule(settings) {
      await pause(); // what the browser has compiled may have come just now
      prepare(parts, settings);
      adjust(settings);
      const module = await withoutStackSwitching(() => create(settings));
      await pause();
      await instantiated(module);
      if (snapshot) {
        const content = await snapshot.content;
        await pause();
        const objects = restore(module, content);
        module.API.restoreSnapshot = () => objects;
        await pause();
      }
      return module;
    },
  });
}
