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

/** What came over the line so far, in bytes per second; Infinity if most came from the cache. */
function speed() {
  const files = /** @type {PerformanceResourceTiming[]} */ (performance.getEntriesByType('resource'));
  const loaded = files.filter(
    ({ transferSize, encodedBodySize, responseEnd }) => transferSize > encodedBodySize && responseEnd > 0,
  );
  const bytes = loaded.reduce((sum, { transferSize }) => sum + transferSize, 0);
  const from = Math.min(...loaded.map(({ requestStart }) => requestStart));
  const until = Math.max(...loaded.map(({ responseEnd }) => responseEnd));
  return bytes > ENOUGH ? (bytes / (until - from)) * 1000 : Number.POSITIVE_INFINITY;
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
  if (!laidOutAsInBuild()) return { mayKeep: true };
  await scripts; // the largest files that came completely: from them the speed is known
  if (speed() < FAST) return { mayKeep: true };
  expect('snapshot.gz');
  const content = bundle('snapshot.gz', { quiet: true });
  content.catch(() => {}); // then Python starts from its files
  return { snapshot: { size: Promise.resolve(SNAPSHOT_SIZE), content }, mayKeep: true };
}
