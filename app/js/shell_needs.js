/**
 * What the start needs of a browser.
 * Rule: all of it is looked for before anything is loaded, so that a browser that lacks a part is told which, and no
 * connection, file or answer is blamed for it.
 */

const isFunction = (value) => typeof value === 'function';
const MODULE = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
// a function that takes an externref
const REFERENCES = [1, 5, 1, 0x60, 1, 0x6f, 0];
// a function with `try catch_all end`, as the exceptions of C++ are compiled
const EXCEPTIONS = [1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0, 10, 8, 1, 6, 0, 6, 0x40, 0x19, 11, 11];

function compiles(sections) {
  return WebAssembly.validate(new Uint8Array(MODULE.concat(sections)));
}

const NEEDS = [
  ['JavaScript modules', () => 'noModule' in HTMLScriptElement.prototype],
  ['BigInt', () => isFunction(window.BigInt64Array)],
  ['AbortController', () => isFunction(window.AbortController)],
  ['Array.prototype.at', () => isFunction(Array.prototype.at)],
  ['structuredClone', () => isFunction(window.structuredClone)],
  ['FinalizationRegistry', () => isFunction(window.FinalizationRegistry)],
  ['DecompressionStream', () => isFunction(window.DecompressionStream)],
  ['WebAssembly.Tag', () => isFunction(WebAssembly.Tag)],
  ['WebAssembly exceptions', () => compiles(EXCEPTIONS)],
  ['WebAssembly references', () => compiles(REFERENCES)],
];

/**
 * What is missing: `{ what, off }`, or null where everything is there. `off`: the browser is new enough, and somebody
 * has switched the part off.
 */
export function missingNeed() {
  const noWasm = typeof WebAssembly !== 'object';
  const missing = NEEDS.find(([name, there]) => !(noWasm && /^WebAssembly/.test(name)) && !there());
  if (missing) return { what: missing[0], off: false };
  return noWasm ? { what: 'WebAssembly', off: true } : null;
}
