/**
 * A start that needs no storage. PyScript opens databases for folders of the person's disk and for packages, which
 * nothing here uses, and where the browser keeps nothing (cookies blocked, a frame of another site) it ends there.
 * Rule: PyScript gets empty ones; every other database is the browser's own.
 */
const PYSCRIPTS_OWN = 'IDBMap/';

function answered(result) {
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
  IDBFactory.prototype.open = function openOrEmpty(name, ...version) {
    return String(name).indexOf(PYSCRIPTS_OWN) === 0 ? answered(empty) : open.call(this, name, ...version);
  };
}
