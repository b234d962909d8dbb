/**
 * What the page knows of its payment channels, in IndexedDB; in memory where the browser stores nothing.
 * Rule: who holds a channel's lock reads what the holder before wrote. localStorage does not promise this: each tab may
 * see an older copy, and two tabs would sign the same voucher.
 */

/** @typedef {'channel' | 'config' | 'signed' | 'withdrawal'} Kind what is known of a channel: its state, and so on */

const DATABASE = 'tabloop-x402';
const TABLE = 'channels';
const OPENS_WITHIN_MS = 5000; // some browsers that store nothing never answer

/** @param {unknown} value in millionths, or seconds */
const isWhole = (value) => /^[0-9]{1,20}$/.test(String(value));
/** @type {Record<Kind, (value: any) => boolean>} whether a stored object has the form that this version writes */
const FORMS = {
  channel: (state) => ['balance', 'totalClaimed', 'chargedCumulativeAmount'].every((name) => isWhole(state[name] ?? 0)),
  config: ({ network, config }) => Boolean(network && config),
  signed: (signature) => typeof signature === 'string',
  withdrawal: ({ amount, initiatedAt }) => isWhole(amount) && isWhole(initiatedAt),
};

/** @type {Promise<IDBDatabase> | null} */
let opening = null;
/** @type {Map<string, unknown>} what the browser did not store, by name; undefined for what it did not remove */
const unsaved = new Map();
/** @type {Map<string, string>} the same for `text` */
const texts = new Map();

/** Whether the browser has stored everything that it was asked to. */
export const keepsAll = () => unsaved.size + texts.size === 0;

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
 * Make one request to the table. Returns its result when every tab would see it. Throws if nothing is stored.
 * @template T
 * @param {IDBTransactionMode} mode
 * @param {(table: IDBObjectStore) => IDBRequest<T>} ask
 * @returns {Promise<T>}
 */
async function transact(mode, ask) {
  opening ??= connect(); // a database that did not open is not waited for again
  const transaction = (await opening).transaction(TABLE, mode);
  return new Promise((resolve, reject) => {
    const asked = ask(transaction.objectStore(TABLE));
    transaction.oncomplete = () => resolve(asked.result);
    transaction.onabort = () => reject(transaction.error ?? new Error('the browser stores nothing'));
  });
}

/**
 * @param {Kind} kind
 * @param {string} id
 */
const name = (kind, id) => `${kind}:${id.toLowerCase()}`;

/**
 * What is stored for a channel; undefined if nothing is, or what another page of this origin has damaged.
 * @param {Kind} kind
 * @param {string} id
 * @returns {Promise<any>}
 */
export async function read(kind, id) {
  const key = name(kind, id);
  if (unsaved.has(key)) return unsaved.get(key);
  try {
    const stored = await transact('readonly', (table) => table.get(key));
    return FORMS[kind](stored) ? stored : undefined;
  } catch {
    return undefined;
  }
}

/**
 * @param {Kind} kind
 * @param {string} id
 * @param {unknown} value undefined to remove it
 */
export async function write(kind, id, value) {
  const key = name(kind, id);
  try {
    await transact(
      'readwrite',
      (table) => /** @type {IDBRequest<any>} */ (value === undefined ? table.delete(key) : table.put(value, key)),
    );
    unsaved.delete(key);
  } catch {
    unsaved.set(key, value);
  }
}

/**
 * The ids of the channels that something of this kind is stored for, in the order of the ids.
 * @param {Kind} kind
 */
export async function ids(kind) {
  const prefix = name(kind, '');
  const stored = await transact('readonly', (table) => table.getAllKeys()).catch(() => []);
  const all = new Set([...stored.map(String), ...unsaved.keys()]);
  return [...all]
    .filter((one) => one.startsWith(prefix) && (!unsaved.has(one) || unsaved.get(one) !== undefined))
    .map((one) => one.slice(prefix.length))
    .sort();
}

/**
 * A text that is the same in all tabs; it is made if there is none yet that is `usable`.
 * @param {string} key
 * @param {() => string} make
 * @param {(text: string) => boolean} usable
 */
export function text(key, make, usable) {
  const held = texts.get(key);
  if (held) return held;
  let made = '';
  try {
    const stored = localStorage.getItem(key);
    if (stored && usable(stored)) return stored;
    made = make();
    localStorage.setItem(key, made);
  } catch {
    made ||= make();
    texts.set(key, made);
  }
  return made;
}
