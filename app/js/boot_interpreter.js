/**
 * The page's interpreter: restored from a snapshot, or started from its files.
 * Rule: after both, the same modules are imported and nothing of the snapshot's maker is left in them.
 */
import { base, bundle, isProblem, messageOf, module, problem, settings, stopped } from './boot_files.js';
import { loadLate } from './boot_late.js';
import { expect, stepped } from './boot_progress.js';
import { makePython, pause } from './boot_python.js';
import { extension, givePython } from './boot_wasm.js';

/**
 * @import { Module, Python } from './pyodide/pyodide.js'
 * @import { Snapshot } from './boot_snapshot.js'
 * @typedef {{ stdout: (line: string) => void, stderr: (line: string) => void }} Output
 */

const RUNTIME = 'pyodide/pyodide.js';
const EMSCRIPTEN = 'pyodide/pyodide.asm.js';
const RESTORED_WITHIN_MS = 20000; // counted from when all files are there; usually it takes 20 ms
const SLICE_MS = 40; // imports between two pauses in which the page can paint and handle input

const REFRESH = 'from tabloop.core.restored import refresh; refresh()';
const IMPORT = 'import importlib\nlambda name: importlib.import_module(name) and None';

/** @type {Output} */
export const output = { stdout: console.log, stderr: console.error }; // until PyScript gives its own

/** Resolves when Pyodide's scripts are there. */
export const scripts = Promise.all([
  module(RUNTIME, import('./pyodide/pyodide.js')),
  module(EMSCRIPTEN, import('./pyodide/pyodide.asm.js')),
]);
const page = bundle('page.bin');
page.catch(() => {}); // a failure is shown where it happens, so it must not count as unhandled

expect('page.bin', EMSCRIPTEN);

/**
 * @param {string[]} files bundles that are unpacked besides page.bin
 * @param {Snapshot} [snapshot]
 * @param {(module: Module) => unknown} [instantiated]
 */
async function interpreter(files, snapshot, instantiated) {
  expect(...files);
  const contents = files.map((file) => ({ file, content: bundle(file) }));
  for (const { content } of contents) content.catch(() => {});
  const [{ loadPyodide: load }, { default: create }] = await scripts;
  givePython();
  const parts = {
    load,
    create,
    abi: PYODIDE_ABI,
    folder: `${base}pyodide/`,
    nothing: settings,
    extension: EXTENSION,
    extensionModule: extension(),
    bundles: [...contents, { file: 'page.bin', content: page }],
    fixed: Boolean(snapshot),
    /** @type {(file: string, cause: unknown) => void} */
    failed(file, cause) {
      problem(file, 0, messageOf(cause), cause);
    },
    /** @type {(line: string) => void} */
    stdout: (line) => output.stdout(line),
    /** @type {(line: string) => void} */
    stderr: (line) => output.stderr(line),
  };
  return makePython(parts, snapshot, undefined, instantiated);
}

/**
 * Python from a snapshot, or undefined if it does not work here.
 * @param {Snapshot} snapshot
 * @returns {Promise<Python | undefined>}
 */
export async function restored(snapshot) {
  /** @type {(reason: unknown) => void} */
  let giveUp = () => {};
  /** @type {Promise<never>} */
  const hanging = new Promise((_, reject) => {
    giveUp = reject;
  });
  // the files of WebAssembly are there now; an engine for which the snapshot is wrong may hang without an error
  const watch = () => {
    const wait = () => setTimeout(giveUp, RESTORED_WITHIN_MS, new Error('it hangs'));
    snapshot.content.then(wait, giveUp);
  };
  try {
    const python = await Promise.race([stopped, hanging, interpreter([], snapshot, watch)]);
    python.runPython(REFRESH);
    return python;
  } catch (cause) {
    if (isProblem(cause)) throw cause;
  }
}

/**
 * Python from its files.
 * @returns {Promise<Python>}
 */
export async function started() {
  const python = await interpreter(['start.bin']);
  const load = python.runPython(IMPORT);
  let since = performance.now();
  for (const name of START_MODULES) {
    try {
      load(name);
    } catch {
      await loadLate(python); // it imports one that the list of the start does not name
      load(name);
    }
    if (performance.now() - since < SLICE_MS) continue;
    await pause();
    stepped();
    since = performance.now();
  }
  load.destroy();
  return python;
}
