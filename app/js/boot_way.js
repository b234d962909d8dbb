/**
 * Chooses how Python starts: from the snapshot of an earlier visit, from the one that the build has made, or from
 * files.
 * Rule: the build's snapshot is larger than the files that it replaces, so a slow line gets the files.
 */
import { bundle } from './boot_files.js';
import { scripts } from './boot_interpreter.js';
import { expect } from './boot_progress.js';
import { forget, kept, laidOutAsInBuild, trusted } from './boot_store.js';
import { compileAll } from './boot_wasm.js';

/**
 * @import { Snapshot } from './boot_snapshot.js'
 * @typedef {object} Way
 * @property {Snapshot} [snapshot]
 * @property {boolean} mayKeep whether something may be kept for the next visit
 */

const ENOUGH = 200_000; // bytes to know the speed from; fewer come if the browser has most files
const FAST = 1_000_000; // bytes per second: above it, the computing that a snapshot saves takes longer than its bytes

/** Whether the owner's settings say so. A page without shell.js has none. */
async function switchedOff() {
  const settings = await globalThis.tabloop?.settings();
  return settings?.start_snapshot === false;
}

/**
 * The speed of the line in bytes per second, by what has come over it; undefined if that is too little to know. Time in
 * which no file was on its way does not count.
 */
function speed() {
  const files = /** @type {PerformanceResourceTiming[]} */ (performance.getEntriesByType('resource'))
    .filter(({ transferSize, encodedBodySize, responseEnd }) => transferSize > encodedBodySize && responseEnd > 0)
    .sort((one, other) => one.requestStart - other.requestStart);
  let bytes = 0;
  let time = 0;
  let end = 0;
  for (const { transferSize, requestStart, responseEnd } of files) {
    bytes += transferSize;
    time += Math.max(0, responseEnd - Math.max(requestStart, end));
    end = Math.max(end, responseEnd);
  }
  return bytes > ENOUGH ? (bytes / time) * 1000 : undefined;
}

/** Whether the line is so fast that the snapshot comes sooner than its modules could be imported. */
async function isFast() {
  const early = speed();
  if (early !== undefined && early >= FAST) return true;
  await scripts; // the largest files that came completely
  const now = speed();
  return now === undefined || now >= FAST; // too little to know: most came from the cache
}

/** @returns {Promise<Way>} */
export async function chosen() {
  const asked = switchedOff();
  const snapshot = trusted() ? await kept() : undefined;
  compileAll(!snapshot);
  if ((await asked) || !trusted()) {
    await forget();
    return { mayKeep: false };
  }
  if (snapshot) return { snapshot, mayKeep: true };
  // the worker has this build's files, and not its snapshot; there may be no network
  const fromWorker = Boolean(navigator.serviceWorker?.controller);
  if (fromWorker || !laidOutAsInBuild()) return { mayKeep: true };
  if (!(await isFast())) return { mayKeep: true };
  expect('snapshot.gz');
  const content = bundle('snapshot.gz', { quiet: true });
  content.catch(() => {}); // then Python starts from its files
  return { snapshot: { size: Promise.resolve(SNAPSHOT_SIZE), content }, mayKeep: true };
}
