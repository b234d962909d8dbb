/**
 * Which snapshot this browser can use, and where it keeps its own for the next visit.
 * Rule: what is unusual only makes the start slower. Storage that is forbidden or full, a snapshot that did not work,
 * or one of another build: each leads to the start without a snapshot.
 */
import { base } from './boot_files.js';

/** @import { Bytes, Snapshot } from './boot_snapshot.js' */

const CACHE = 'tabloop-start';
const SIZE_HEADER = 'x-memory-size';
const UNFINISHED = 'tabloop:unfinished-starts'; // in localStorage: build, and number of starts that did not end
const KEPT = 'tabloop:kept-start'; // in localStorage: the build of which a snapshot is kept
const MAY_FAIL = 2; // a person who leaves during a start is no sign of a snapshot that hangs

// a module with a struct type, which is a part of WebAssembly's garbage collection
const STRUCT = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 3, 1, 0x5f, 0];
// a module that exports a function and the table that holds it
const TABLE = [
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0, 4, 4, 1, 0x70, 0, 1],
  ...[7, 9, 2, 1, 0x66, 0, 0, 1, 0x74, 1, 0, 9, 7, 1, 0, 0x41, 0, 0x0b, 1, 0, 10, 4, 1, 2, 0, 0x0b],
];

/**
 * Whether Python's function table is laid out here as in the build's Node. Pyodide puts a function of its own there
 * where WebAssembly has garbage collection, but never on iOS. And Emscripten looks for functions in the table to add
 * none twice, which finds nothing where a function in a table is not identical with the exported one (WebKit).
 */
export function laidOutAsInBuild() {
  try {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(TABLE)));
    const { f, t } = exports;
    const identical = t instanceof WebAssembly.Table && t.get(0) === f;
    const { userAgent, platform, maxTouchPoints } = navigator;
    // an iPad calls itself a Mac, which has no touch screen
    const iOS = /iP(ad|hone|od)/.test(userAgent) || (platform === 'MacIntel' && maxTouchPoints > 1);
    return identical && !iOS && WebAssembly.validate(new Uint8Array(STRUCT));
  } catch {
    return false;
  }
}

/** This build in this browser. A browser of another version may lay its memory out in another way. */
const address = () => `${base}start-snapshot/${BUILD}/${encodeURIComponent(navigator.userAgent)}`;

/**
 * The snapshot that was kept at an earlier visit, or undefined. One of another browser version is deleted.
 * @returns {Promise<Snapshot | undefined>}
 */
export async function kept() {
  try {
    if (localStorage.getItem(KEPT) !== BUILD) return; // to open the cache takes 50 to 130 ms at a first visit
    const cache = await caches.open(CACHE);
    const found = await cache.match(address());
    const size = Number(found?.headers.get(SIZE_HEADER));
    if (found && size) return { size: Promise.resolve(size), content: found.arrayBuffer(), kept: true };
    await forget();
  } catch {
    // no storage here
  }
}

/**
 * Keeps a snapshot for the next visit, in the place of one of another build.
 * @param {Bytes} content
 * @param {number} size of its memory
 */
export async function keep(content, size) {
  try {
    await caches.delete(CACHE);
    const cache = await caches.open(CACHE);
    await cache.put(address(), new Response(content, { headers: { [SIZE_HEADER]: String(size) } }));
    localStorage.setItem(KEPT, BUILD);
    return true;
  } catch {
    return false;
  }
}

/** Deletes what is kept. */
export async function forget() {
  try {
    if (localStorage.getItem(KEPT) === null) return;
    localStorage.removeItem(KEPT);
    await caches.delete(CACHE);
  } catch {
    // nothing is kept
  }
}

/** How many starts with a snapshot of this build did not end. */
function unfinished() {
  try {
    const [build, number] = (localStorage.getItem(UNFINISHED) ?? '').split(' ');
    return build === BUILD ? Number(number) : 0;
  } catch {
    return 0;
  }
}

/** @param {number} number */
function remember(number) {
  try {
    if (number) localStorage.setItem(UNFINISHED, `${BUILD} ${number}`);
    else localStorage.removeItem(UNFINISHED);
  } catch {
    // then only the watchdog of this page ends a start that hangs
  }
}

/** Whether snapshots of this build worked here, or were not tried. */
export const trusted = () => unfinished() < MAY_FAIL;

/** A start with a snapshot begins. Without `ended` it counts as one that hangs. */
export function begun() {
  remember(unfinished() + 1);
}

/** It worked, or what did not work was not the snapshot. */
export function ended() {
  remember(0);
}
