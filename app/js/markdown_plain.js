/**
 * Cuts text that is shown as it is into pieces, each of which is laid out on its own.
 * Rule: the pieces together are the text, and only the last ones change while it grows. Browsers need quadratic time for
 * one paragraph of some signs: combining marks, brackets in Arabic text, changes of direction, Thai vowels.
 */

const PIECE = 2_000; // characters
const VOWELS = /[\u0e33\u0eb3]{200}/; // AM of Thai and Lao on one letter takes far longer than anything else
const IN_A_PAIR = /[\ud800-\udbff]$/;

/**
 * Where the piece that begins a text ends: after a line, else after a word, else after so many characters.
 * @param {string} text
 */
function end(text) {
  const piece = text.slice(0, PIECE);
  const vowels = VOWELS.exec(piece);
  if (vowels) return vowels.index + vowels[0].length;
  if (text.length <= PIECE) return text.length;
  const line = piece.lastIndexOf('\n') + 1;
  const word = piece.lastIndexOf(' ') + 1;
  return line || (word > PIECE / 2 && word) || (IN_A_PAIR.test(piece) ? PIECE - 1 : PIECE);
}

/** @param {string} text */
export function pieces(text) {
  const found = [];
  for (let start = 0; start < text.length; ) {
    const next = start + end(text.slice(start, start + PIECE + 1));
    found.push(text.slice(start, next));
    start = next;
  }
  return found;
}

/**
 * Show text as it is in `box`. What is shown already stays, because a long text grows often.
 * @param {HTMLElement} box
 * @param {string} text
 */
export function showPlain(box, text) {
  const wanted = pieces(text);
  let same = 0;
  while (same < wanted.length && box.children[same]?.textContent === wanted[same]) same += 1;
  while (box.children.length > same) box.lastChild?.remove();
  for (const piece of wanted.slice(same)) {
    const paragraph = document.createElement('p');
    paragraph.dir = 'auto';
    paragraph.textContent = piece;
    box.append(paragraph);
  }
}
