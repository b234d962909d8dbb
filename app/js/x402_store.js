/* What the page knows of its channels, kept where all tabs see it alike.
   Rule: whoever gets a channel's lock reads what its last holder wrote. localStorage promises no such
   thing: each tab has a copy of its own that lags behind, and two tabs would sign the same voucher. */

import { noStorage } from './x402_error.js';

const DATABASE = 'tabloop-x402',
  TABLE = 'channels';
const OPENS_WITHIN = 5000; // milliseconds; some browsers never answer where they keep nothing
let opening = null;

function open() {
  opening ??= new Promise((resolve, reject) => {
    let late = false;
    setTimeout(() => {
      late = true;
      reject(new Error("the browser's database does not open"));
    }, OPENS_WITHIN);
    const asked = indexedDB.open(DATABASE, 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore(TABLE);
    asked.onerror = () => reject(asked.error);
    asked.onsuccess = () => {
      if (late) asked.result.close();
      asked.result.onclose = () => {
        opening = null;
      }; // "clear site data" in another tab
      resolve(asked.result);
    };
  });
  opening.catch(() => {
    opening = null;
  });
  return opening;
}

/** Do one thing with the table, and answer when it is done for every tab. */
async function transact(mode, act) {
  try {
    const transaction = (await open()).transaction(TABLE, mode);
    return await new Promise((resolve, reject) => {
      const asked = act(transaction.objectStore(TABLE));
      transaction.oncomplete = () => resolve(asked.result);
      transaction.onabort = () => reject(transaction.error ?? new Error('the browser keeps nothing'));
    });
  } catch (error) {
    throw noStorage(error);
  }
}

const name = (kind, id) => `${kind}:${id.toLowerCase()}`;

export const read = (kind, id) => transact('readonly', (table) => table.get(name(kind, id)));
export const write = (kind, id, value) => transact('readwrite', (table) => table.put(value, name(kind, id)));
export const remove = (kind, id) => transact('readwrite', (table) => table.delete(name(kind, id)));

/** The ids that something of this kind is kept for, oldest name first. */
export async function ids(kind) {
  const names = await transact('readonly', (table) => table.getAllKeys());
  return names.filter((one) => one.startsWith(name(kind, ''))).map((one) => one.slice(name(kind, '').length));
}
