/**
 * A question that a link brings in `?q=`.
 * Rule: it is put into the message box, all of it can be seen there, and only the person sends it.
 */
import { giveBack } from './shell_composer.js';
import { kept } from './shell_keep.js';

const LONGEST_LINK = 4000; // characters of `?q=`
// Signs that show nothing, or that change the order of what is shown: a link must not put hidden words into the field.
const UNSEEN = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x2800, 0x2800],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
];

/** @param {string} sign */
function seen(sign) {
  const point = sign.codePointAt(0) || 0;
  return UNSEEN.some(([first, last]) => first <= point && point <= last) ? '' : sign;
}

/** Whether the page comes back with what became of the link's question: the draft, or the conversation. */
function comesBack() {
  const [entry] = performance.getEntriesByType('navigation');
  const { type = '' } = /** @type {{ type?: string }} */ (entry || {});
  return type !== 'navigate' && kept() !== '';
}

/** Put the link's question into the message box, without blank lines that would push words out of sight. */
export function takeLink() {
  if (comesBack()) return;
  const text = new URLSearchParams(location.search).get('q') || '';
  const lines = Array.from(text, seen)
    .join('')
    .split(/\s*\n\s*/);
  giveBack(lines.join('\n').trim().slice(0, LONGEST_LINK));
}
