/**
 * Lets the page start where the browser stores nothing (cookies are blocked, or the page is in a frame of another
 * site). PyScript opens databases for folders on the person's disk and for packages. This page uses neither, but
 * PyScript does not start when one of them cannot be opened.
 * Rule: PyScript gets empty databases; every other database is the browser's own.
 */
const PYSCRIPTS_OWN = 'IDBMap/';

/** @typedef {{ result: unknown, onsuccess?: (event: { target: unknown }) => void }} Answered */

/**
 * A request to a database that succeeds with this result.
 * @param {unknown} result
 */
function answered(result) {
  /** @type {Answered} */
  const request = { result };
  setTimeout(() => {
    if (request.onsuccess) request.onsuccess({ target: request });
  });
  return request;
}

const nothing = () => answered(undefined);
const table = {
  get: nothing,
  put: nothing,
  delete: nothing,
  clear: nothing,
  count: () => answered(0),
  getAllKeys: () => answered([]),
};
const empty = { objectStoreNames: ['entries'], close() {}, transaction: () => ({ objectStore: () => table }) };

export function startWithoutStorage() {
  if (!window.IDBFactory) return;
  const { open } = IDBFactory.prototype;
  Object.assign(IDBFactory.prototype, {
    /**
     * @this {IDBFactory}
     * @param {string} name
     * @param {[version?: number]} version
     */
    open(name, ...version) {
      return String(name).indexOf(PYSCRIPTS_OWN) === 0 ? answered(empty) : open.call(this, name, ...version);
    },
  });
}
