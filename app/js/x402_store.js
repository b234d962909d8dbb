/**
 * What the page knows of its payment channels, in IndexedDB.
 * Rule: who holds a channel's lock reads what the holder before wrote. localStorage does not promise this: each tab may
 * see an older copy, and two tabs would sign the same voucher.
 */
import { noStorage } from './x402_error.js';

/** @typedef {'channel' | 'config' | 'signed'} Kind the state, the terms, and the last signature of a channel */

const DATABASE = 'tabloop-x402';
const TABLE = 'channels';
const OPENS_WITHIN_MS = 5000; // some browsers that store nothing never answer

/** @type {Promise<IDBDatabase> | null} */
let opening = null;

function open() {
  opening ??= connect();
  opening.catch(again);
  return opening;
}

/** @returns {Promise<IDBDatabase>} */
function connect() {
  return new Promise((resolve, reject) => {
    let late = false;
    setTimeout(() => {
      late = true;
      reject(new Error("the browser's database does not open"));
    }, OPENS_WITHIN_MS);
    const asked = indexedDB.open(DATABASE, 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore(TABLE);
    asked.onerror = () => reject(asked.error);
    asked.onsuccess = () => {
      if (late) asked.result.close();
      asked.result.onclose = again; // the person deleted the site's data
      resolve(asked.result);
    };
  });
}

/** The next request opens the database again. */
function again() {
  opening = null;
}

/**
 * Make one request to the table. Returns its result when every tab would see it. Throws "no_storage".
 * @template T
 * @param {IDBTransactionMode} mode
 * @param {(table: IDBObjectStore) => IDBRequest<T>} ask
 * @returns {Promise<T>}
 */
async function transact(mode, ask) {
  try {
    const transaction = (await open()).transaction(TABLE, mode);
    return await new Promise((resolve, reject) => {
      const asked = ask(transaction.objectStore(TABLE));
      transaction.oncomplete = () => resolve(asked.result);
      transaction.onabort = () => reject(transaction.error ?? new Error('the browser stores nothing'));
    });
  } catch (error) {
    throw noStorage(error);
  }
}

/**
 * @param {Kind} kind
 * @param {string} id
 */
const name = (kind, id) => `${kind}:${id.toLowerCase()}`;

/**
 * What is stored for a channel; undefined if nothing is.
 * @param {Kind} kind
 * @param {string} id
 */
export const read = (kind, id) => transact('readonly', (table) => table.get(name(kind, id)));

/**
 * @param {Kind} kind
 * @param {string} id
 * @param {unknown} value
 */
export const write = (kind, id, value) => transact('readwrite', (table) => table.put(value, name(kind, id)));

/**
 * @param {Kind} kind
 * @param {string} id
 */
export const remove = (kind, id) => transact('readwrite', (table) => table.delete(name(kind, id)));

/**
 * The ids of the channels that something of this kind is stored for, in the order of the ids.
 * @param {Kind} kind
 */
export async function ids(kind) {
  const prefix = name(kind, '');
  const names = (await transact('readonly', (table) => table.getAllKeys())).map(String);
  return names.filter((one) => one.startsWith(prefix)).map((one) => one.slice(prefix.length));
}
