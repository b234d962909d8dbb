/**
 * Counts what has come of the files of the start, and tells the shell.
 * Rule: the numbers are those of the wire, on a host that compresses: a file counts with its compressed size, by the
 * share of it that is there.
 */

const TELL_EVERY_MS = 100;

/** @type {Map<string, number>} */
const shares = new Map(); // file -> between 0 and 1
let last = Number.NEGATIVE_INFINITY;
let later = 0; // the timer that tells of what came too soon after the last time

/** @param {string} file */
const sizeOf = (file) => FILE_SIZES[file]?.[0] ?? 0;

function tell() {
  let loaded = 0;
  let total = 0;
  for (const [file, share] of shares) {
    loaded += sizeOf(file) * share;
    total += sizeOf(file);
  }
  const now = performance.now();
  if (loaded < total && now - last < TELL_EVERY_MS) {
    later ||= setTimeout(tell, TELL_EVERY_MS);
    return;
  }
  clearTimeout(later);
  later = 0;
  last = now;
  globalThis.tabloop?.progress(loaded, total);
}

/**
 * The start needs these files, and none of them is there yet.
 * @param {string[]} files
 */
export function expect(...files) {
  for (const file of files) if (!shares.has(file)) shares.set(file, 0);
  tell();
}

/** Something else than bytes has moved. */
export const stepped = tell;

// files that the browser loads by itself, such as scripts
new PerformanceObserver((list) => {
  for (const { name } of list.getEntries()) {
    for (const file of shares.keys()) if (name.endsWith(`/${file}`)) shares.set(file, 1);
  }
  tell();
}).observe({ type: 'resource', buffered: true });

/**
 * Counts the bytes of a body while somebody reads it.
 * @param {string} file
 * @param {Response} response
 * @returns {ReadableStream<Uint8Array<ArrayBuffer>> | null}
 */
export function counted(file, response) {
  const size = FILE_SIZES[file]?.[1] ?? 0;
  if (!size || !response.body || !shares.has(file)) return response.body;
  let read = 0;
  const counter = new TransformStream({
    transform(chunk, controller) {
      read += chunk.length;
      shares.set(file, Math.min(1, read / size));
      tell();
      controller.enqueue(chunk);
    },
  });
  return response.body.pipeThrough(counter);
}
