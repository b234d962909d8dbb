/**
 * Locks that all tabs of this page share.
 * Rule: a request has an id before it is granted, so that a Python task that is stopped while it waits can withdraw it.
 */

/** @typedef {{ acquired: Promise<void>, release: () => void, waiting: AbortController }} Lock */

/** @type {Map<number, Lock>} */
const locks = new Map();
let lastId = 0;

/**
 * Request a lock. Returns the id of the request. Whoever calls this calls `releaseLock` at the end, in every case.
 * @param {string} name
 */
export function requestLock(name) {
  lastId += 1;
  const waiting = new AbortController();
  let release = () => {};
  /** @type {Promise<void>} */
  const released = new Promise((resolve) => {
    release = resolve;
  });
  /** @type {Promise<void>} */
  const acquired = new Promise((resolve, reject) => {
    const hold = () => {
      resolve();
      return released;
    };
    navigator.locks.request(name, { signal: waiting.signal }, hold).catch(reject);
  });
  acquired.catch(() => {}); // the request may be withdrawn before anything waits for it
  locks.set(lastId, { acquired, release, waiting });
  return lastId;
}

/**
 * Wait until the request is granted.
 * @param {number} id
 */
export async function acquireLock(id) {
  const lock = locks.get(id);
  if (!lock) throw new Error(`there is no request ${id} for a lock`);
  await lock.acquired;
}

/**
 * Release the lock, or withdraw the request for it.
 * @param {number} id
 */
export function releaseLock(id) {
  const lock = locks.get(id);
  locks.delete(id);
  lock?.release();
  lock?.waiting.abort();
}
