/**
 * What the page needs of a browser before it can start.
 * Rule: all of it is checked before anything is loaded. So a browser that lacks something is told what it lacks, and
 * the page does not blame the connection, a file or an answer.
 */

/** @typedef {{ what: string, off: boolean }} MissingNeed `off`: the browser has it, but somebody has switched it off. */

/**
 * Whether `owner` has a function with this name. It is looked up by name because an old browser does not have it.
 * @param {object} owner
 * @param {string} name
 */
const has = (owner, name) => typeof Reflect.get(owner, name) === 'function';

const MODULE = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
// a function that takes an externref
const REFERENCES = [1, 5, 1, 0x60, 1, 0x6f, 0];
// a function with `try catch_all end`, as the exceptions of C++ are compiled
const EXCEPTIONS = [1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0, 10, 8, 1, 6, 0, 6, 0x40, 0x19, 11, 11];

/** @param {number[]} sections of a WebAssembly module, as bytes */
function compiles(sections) {
  return WebAssembly.validate(new Uint8Array(MODULE.concat(sections)));
}

/** @type {[name: string, isThere: () => boolean][]} */
const NEEDS = [
  ['JavaScript modules', () => 'noModule' in HTMLScriptElement.prototype],
  ['BigInt', () => has(window, 'BigInt64Array')],
  ['AbortController', () => has(window, 'AbortController')],
  ['Array.prototype.at', () => has(Array.prototype, 'at')],
  ['structuredClone', () => has(window, 'structuredClone')],
  ['FinalizationRegistry', () => has(window, 'FinalizationRegistry')],
  ['DecompressionStream', () => has(window, 'DecompressionStream')],
  ['WebAssembly.Tag', () => has(WebAssembly, 'Tag')],
  ['WebAssembly exceptions', () => compiles(EXCEPTIONS)],
  ['WebAssembly references', () => compiles(REFERENCES)],
];

/**
 * The first thing that is missing, or null if nothing is.
 * @returns {MissingNeed | null}
 */
export function missingNeed() {
  const noWasm = typeof WebAssembly !== 'object';
  const missing = NEEDS.find(([name, isThere]) => !(noWasm && /^WebAssembly/.test(name)) && !isThere());
  if (missing) return { what: missing[0], off: false };
  return noWasm ? { what: 'WebAssembly', off: true } : null;
}
