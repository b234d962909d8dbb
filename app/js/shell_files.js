/**
 * Finds the file of the page that failed to load. The error of a script element or of an `import` does not say why it
 * failed, and the cause may be a file that the script imports.
 * Rule: a file is named only if it was requested again and failed again.
 */

/** @typedef {{ file: string, status: number, message: string }} BrokenFile `status` is HTTP, or 0 for no answer. */

const script = /** @type {HTMLScriptElement} */ (document.currentScript);
const folder = new URL('.', script.src).href; // of this build

/** @param {Element} part */
function addressOf(part) {
  if (part instanceof HTMLScriptElement) return part.src;
  return part instanceof HTMLLinkElement ? part.href : '';
}

/**
 * The addresses of the page's own files that were requested so far, those in `first` before the others.
 * @param {string[]} first
 */
function requested(first) {
  const parts = document.querySelectorAll('script[src], link[rel=modulepreload], link[as=fetch]');
  const listed = Array.from(parts, addressOf);
  const loaded = performance.getEntriesByType('resource').map(({ name }) => name);
  const all = first.concat(listed, loaded).filter((address) => address.indexOf(folder) === 0);
  return all.filter((address, place) => all.indexOf(address) === place);
}

/**
 * Requests a file again. Resolves to null if it is as it should be.
 * @param {string} address
 * @param {(type: string) => string} sentAs
 * @returns {Promise<BrokenFile | null>}
 */
function lookAt(address, sentAs) {
  const file = address.slice(folder.length);
  return fetch(address).then(
    (response) => {
      const type = response.headers.get('content-type') || '';
      const { status } = response;
      if (!response.ok) return { file, status, message: '' };
      return /\.js$/.test(file) && !/javascript/.test(type) ? { file, status, message: sentAs(type || '?') } : null;
    },
    () => ({ file, status: 0, message: '' }),
  );
}

/**
 * Resolves to the first file that is broken, or to null. The addresses in `suspects` are tried first. `sentAs` returns
 * the sentence about a script that came with the wrong type.
 * @param {string[]} suspects
 * @param {(type: string) => string} sentAs
 */
export function findBroken(suspects, sentAs) {
  /** @type {Promise<BrokenFile | null>} */
  const none = Promise.resolve(null);
  return requested(suspects).reduce(
    (before, address) => before.then((found) => found || lookAt(address, sentAs)),
    none,
  );
}
