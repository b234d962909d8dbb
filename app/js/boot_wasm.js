/**
 * Loads and compiles the WebAssembly of the start while Pyodide's scripts are still on their way.
 * Rule: Pyodide gets what is compiled here and requests nothing itself. If its own file does not work, Pyodide only
 * logs this and never ends; here it is reported.
 */
import { accepted, base, messageOf, problem } from './boot_files.js';
import { counted, expect } from './boot_progress.js';
import { EXTENSION_FILE, pause } from './boot_python.js';

const PYTHON = 'pyodide/pyodide.asm.wasm';

/** @type {Map<string, Promise<Response>>} */
const responses = new Map();
for (const file of [PYTHON, EXTENSION_FILE]) {
  const response = fetch(base + file);
  response.catch(() => {}); // reported when it is compiled
  responses.set(file, response);
}
expect(PYTHON, EXTENSION_FILE);

/** @type {Map<string, Promise<WebAssembly.Module>>} */
const modules = new Map();

/**
 * @param {string} file
 * @param {boolean} counting
 */
async function compile(file, counting) {
  const came = await accepted(file, /** @type {Promise<Response>} */ (responses.get(file)));
  const response = counting ? new Response(counted(file, came), came) : came;
  // streaming needs this type, which some hosts do not send; some browsers have no streaming
  const canStream =
    typeof WebAssembly.compileStreaming === 'function' &&
    response.headers.get('content-type')?.startsWith('application/wasm');
  try {
    return await (canStream
      ? WebAssembly.compileStreaming(response)
      : WebAssembly.compile(await response.arrayBuffer()));
  } catch (cause) {
    throw problem(file, response.status, `it does not work in this browser (${messageOf(cause)})`, cause);
  }
}

/**
 * Starts to compile.
 * @param {boolean} counting whether the bytes are counted; then the browser keeps nothing of what it compiles
 */
export function compileAll(counting) {
  for (const file of responses.keys()) {
    const module = compile(file, counting);
    module.catch(() => {}); // reported already
    modules.set(file, module);
  }
}

/** pydantic's compiled core. `compileAll` was called before. */
export const extension = () => /** @type {Promise<WebAssembly.Module>} */ (modules.get(EXTENSION_FILE));

/** Pyodide's next request for its wasm file gets an empty answer, and the instance is one of the compiled module. */
export function givePython() {
  const { fetch } = globalThis;
  const streaming = WebAssembly.instantiateStreaming;
  globalThis.fetch = (asked, options) => {
    if (String(asked) !== base + PYTHON) return fetch(asked, options);
    globalThis.fetch = fetch;
    return Promise.resolve(new Response());
  };
  WebAssembly.instantiateStreaming = async (_source, imports) => {
    WebAssembly.instantiateStreaming = streaming;
    const module = await /** @type {Promise<WebAssembly.Module>} */ (modules.get(PYTHON));
    try {
      await pause();
      const instance = await WebAssembly.instantiate(module, imports);
      await pause();
      return { module, instance };
    } catch (cause) {
      throw problem(PYTHON, 200, `it does not work in this browser (${messageOf(cause)})`, cause);
    }
  };
}
