/**
 * How far the start is: bytes while files come, then that Python is being prepared.
 * Rule: while something moves, nothing on the page says that it may have failed.
 */
import { element } from './shell_elements.js';
import { say, words } from './shell_words.js';

const STILL_MS = 20000; // "Reload" is offered when nothing has moved for so long

/** @type {(moving: boolean) => void} */
let tell = () => {};
let timer = 0;

/** Something has moved. */
function moved() {
  clearTimeout(timer);
  tell(true);
  timer = setTimeout(() => tell(false), STILL_MS);
}

/**
 * Call `report` with false when nothing has moved for a long time, and with true when something moves again.
 * @param {(moving: boolean) => void} report
 */
export function watchMoves(report) {
  tell = report;
  moved();
}

/** The start has ended, in whatever way. */
export function endProgress() {
  clearTimeout(timer);
  tell = () => {};
  element('loading').hidden = true;
}

/**
 * Show how many bytes have come. Called by boot.js.
 * @param {number} loaded
 * @param {number} total
 */
export function progress(loaded, total) {
  if (document.documentElement.dataset.app !== 'booting') return;
  moved();
  const bar = element('loading-bar', HTMLProgressElement);
  const values = { loaded: (loaded / 1e6).toFixed(0), total: (total / 1e6).toFixed(0) };
  const text = loaded < total ? say('loading', values) : words.preparing;
  if (loaded < total) bar.value = loaded / total;
  else bar.removeAttribute('value');
  bar.setAttribute('aria-valuetext', text);
  element('loading-text').textContent = text;
  element('loading').hidden = false;
}
