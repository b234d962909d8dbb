/**
 * Requests the files that the start needs.
 * Rule: all files come from this page's own folder, and the page names the first one that fails as soon as it fails.
 */

import { counted } from './boot_progress.js';

/** The folder of this build. */
export const base = new URL('.', import.meta.url).href;
/** The owner's settings, beside the page. */
export const settings = new URL('../pyscript.toml', base).href;

class BootError extends Error {
  name = 'BootError';
}

/** @type {BootError | undefined} */
let first;
/** @type {(reason: BootError) => void} */
let stopBoot;
/** @type {Promise<never>} */
export const stopped = new Promise((_, reject) => {
  stopBoot = reject;
});

/** @param {unknown} cause */
export const messageOf = (cause) => (cause instanceof Error ? cause.message : String(cause));

/**
 * The error about a file. Only the first one is shown in the page, because the others follow from it.
 * @param {string} file
 * @param {number} status HTTP, or 0 for no answer
 * @param {string} message
 * @param {unknown} [cause] a BootError is returned as it is
 */
export function problem(file, status, message, cause) {
  if (cause instanceof BootError) return cause;
  const error = new BootError(`${file}: ${message}`, { cause });
  if (!first) {
    first = error;
    globalThis.tabloop?.bootFailed({ file, status, message });
    stopBoot(error);
  }
  return error;
}

/**
 * Whether the page has been told of this error.
 * @param {unknown} cause
 */
export const isProblem = (cause) => cause instanceof BootError;

/**
 * The error about a file that the start can do without: nobody is told.
 * @type {typeof problem}
 */
function trifle(file, _status, message, cause) {
  return new Error(`${file}: ${message}`, { cause });
}

/**
 * The response, if it can be the file. Throws BootError if it cannot.
 * @param {string} file
 * @param {Response | PromiseLike<Response>} fetching
 * @param {typeof problem} [report]
 */
export async function accepted(file, fetching, report = problem) {
  let response;
  try {
    response = await fetching;
  } catch (cause) {
    throw report(file, 0, 'the server did not answer', cause);
  }
  const { ok, status, headers } = response;
  if (!ok) throw report(file, status, `the server answered HTTP ${status}`);
  // some hosts send their start page instead of a 404
  if (/html/.test(headers.get('content-type') ?? '')) throw report(file, status, 'the server sent a web page instead');
  return response;
}

/** @param {string} file */
export const request = (file) => accepted(file, fetch(base + file));

/**
 * Throws BootError with what is wrong with a file. It requests the file again, because the error of an import or of
 * Pyodide does not say this.
 * @param {string} file
 * @param {unknown} cause
 * @returns {Promise<never>}
 */
export async function explain(file, cause) {
  const { status, headers } = await request(file);
  const type = headers.get('content-type') ?? 'no type';
  throw problem(file, status, `it does not work in this browser (sent as ${type}; ${messageOf(cause)})`, cause);
}

/**
 * A module that is being imported.
 * @template T
 * @param {string} file
 * @param {Promise<T>} importing
 */
export const module = (file, importing) => importing.catch((cause) => explain(file, cause));

/**
 * The unzipped content of a bundle. `quiet`: the start can do without it.
 * @param {string} file
 * @param {{ quiet?: boolean }} [options]
 */
export async function bundle(file, { quiet = false } = {}) {
  const report = quiet ? trifle : problem;
  const response = await accepted(file, fetch(base + file), report);
  try {
    return await new Response(counted(file, response)?.pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
  } catch (cause) {
    throw report(file, response.status, 'the file is damaged or came incomplete', cause);
  }
}
