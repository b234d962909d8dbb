/**
 * A snapshot: the memory of an interpreter that has imported the modules of the start, to be put into a fresh one.
 * Rule: it is put only into memory that is laid out as the maker's was; if anything differs, `restore` throws before
 * it changes a byte.
 *
 * A file of it: u32 little-endian length of the header, header as JSON, the bytes of all runs. What lies between the
 * runs is as in a fresh interpreter (`fresh`, with a checksum over it) or zero.
 */

/**
 * @import { Module, Python } from './pyodide/pyodide.js'
 * @typedef {ArrayBuffer | Uint8Array<ArrayBuffer>} Bytes
 * @typedef {{ size: Promise<number>, content: Promise<Bytes>, kept?: boolean }} Snapshot
 *   `size`: of the memory; `kept`: from an earlier visit
 * @typedef {object} Header
 * @property {unknown} objects the JavaScript objects that Python holds, as Pyodide serialises them
 * @property {number} size of the memory, in bytes
 * @property {number} table entries of the function table: whoever has another number has other functions there
 * @property {number[]} runs offset and length, again and again
 * @property {boolean} fresh whether the gaps are as in a fresh interpreter; else they are zero
 * @property {number} gaps checksum over the gaps, if they are as in a fresh interpreter
 * @property {number} content checksum over the bytes of the runs
 */

const BLOCK = 64; // bytes; a run is made of blocks

/**
 * @param {Uint8Array} bytes its start and length are multiples of 4
 * @param {number} [sum]
 */
function checksum(bytes, sum = 0) {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  let result = sum;
  for (let i = 0; i < words.length; i++) result = (Math.imul(result, 31) + words[i]) | 0;
  return result;
}

/** @param {Uint8Array} bytes */
const asWords = (bytes) => new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);

/**
 * Offset and length of each run of blocks that differ.
 * @param {number} size
 * @param {(from: number, to: number) => boolean} differs whether a word between these is to be kept
 */
function runsOf(size, differs) {
  const runs = [];
  let start = -1;
  for (let at = 0; at <= size; at += BLOCK) {
    const kept = at < size && differs(at / 4, (at + BLOCK) / 4);
    if (kept && start < 0) start = at;
    if (!kept && start >= 0) {
      runs.push(start, at - start);
      start = -1;
    }
  }
  return runs;
}

/**
 * The pieces between the runs.
 * @param {Uint8Array} memory
 * @param {number[]} runs
 */
function* gapsOf(memory, runs) {
  let at = 0;
  for (let i = 0; i < runs.length; i += 2) {
    yield memory.subarray(at, runs[i]);
    at = runs[i] + runs[i + 1];
  }
  yield memory.subarray(at);
}

/**
 * A snapshot of an interpreter that has imported nothing that holds an object of the page. Throws if it holds one.
 * `fresh` are memories of fresh interpreters: what is the same in all of them is left out.
 * @param {Python} python
 * @param {Uint8Array[]} [fresh]
 */
export function take(python, fresh = []) {
  const { HEAP8: heap, wasmTable } = python._module;
  const objects = python._api.serializeHiwireState();
  const memory = new Uint8Array(heap.buffer, heap.byteOffset, heap.byteLength);
  const now = asWords(memory);
  const before = fresh.map(asWords);
  const runs = runsOf(memory.length, (from, to) => {
    for (let i = from; i < to; i++) {
      if (before.length ? before.some((words) => words[i] !== now[i]) : now[i]) return true;
    }
    return false;
  });
  const length = runs.reduce((sum, part, i) => sum + (i % 2 ? part : 0), 0);
  const content = new Uint8Array(length);
  let at = 0;
  for (let i = 0; i < runs.length; i += 2) {
    content.set(memory.subarray(runs[i], runs[i] + runs[i + 1]), at);
    at += runs[i + 1];
  }
  let gaps = 0;
  if (fresh.length) for (const gap of gapsOf(memory, runs)) gaps = checksum(gap, gaps);
  /** @type {Header} */
  const header = {
    objects,
    size: memory.length,
    table: wasmTable.length,
    runs,
    fresh: fresh.length > 0,
    gaps,
    content: checksum(content),
  };
  return pack(header, content);
}

/**
 * @param {Header} header
 * @param {Uint8Array} content
 */
function pack(header, content) {
  const text = new TextEncoder().encode(JSON.stringify(header).padEnd(4));
  const start = 4 + Math.ceil(text.length / 4) * 4; // the content has to begin at a word
  const all = new Uint8Array(start + content.length).fill(0x20, 0, start);
  new DataView(all.buffer).setUint32(0, start - 4, true);
  all.set(text, 4);
  all.set(content, start);
  return all;
}

/** @param {Bytes} file */
export function unpackSnapshot(file) {
  const all = file instanceof Uint8Array ? file : new Uint8Array(file);
  const start = 4 + new DataView(all.buffer, all.byteOffset).getUint32(0, true);
  /** @type {Header} */
  const header = JSON.parse(new TextDecoder().decode(all.subarray(4, start)));
  return { header, content: all.subarray(start) };
}

/**
 * Puts a snapshot into the memory of a fresh interpreter, and returns what Pyodide has to know about it. Throws if it
 * does not fit.
 * @param {Module} module
 * @param {Bytes} file
 */
export function restore(module, file) {
  const { header, content } = unpackSnapshot(file);
  const { HEAP8: heap, wasmTable } = module;
  const memory = new Uint8Array(heap.buffer, heap.byteOffset, heap.byteLength);
  if (header.size !== memory.length) throw new Error(`a snapshot of ${header.size} bytes for ${memory.length}`);
  if (header.table !== wasmTable.length) throw new Error('a snapshot for another function table');
  if (header.content !== checksum(content)) throw new Error('a damaged snapshot');
  const { runs, fresh } = header;
  let gaps = 0;
  if (fresh) for (const gap of gapsOf(memory, runs)) gaps = checksum(gap, gaps);
  if (gaps !== header.gaps) throw new Error('a snapshot for another memory');

  if (!fresh) for (const gap of gapsOf(memory, runs)) gap.fill(0);
  let at = 0;
  for (let i = 0; i < runs.length; i += 2) {
    memory.set(content.subarray(at, at + runs[i + 1]), runs[i]);
    at += runs[i + 1];
  }
  return header.objects;
}
