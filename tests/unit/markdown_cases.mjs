// Formats a short text while the clock runs as on a computer that is busy, and cuts long texts into pieces; test_scripts.py
// reads what it prints.
import { htmlParts } from '../../app/js/markdown_html.js';
import { unsaidTarget } from '../../app/js/markdown_links.js';
import { pieces } from '../../app/js/markdown_plain.js';

let now = 0;
performance.now = () => {
  now += 1000;
  return now;
};
console.log(htmlParts('**Yes**, on Monday.').join(''));

const LONG = 50_000;
for (const [name, text] of Object.entries({
  marks: `a${'\u0301'.repeat(LONG)}`,
  brackets: '\u0627(['.repeat(LONG / 3),
  emoji: '\ud83d\ude00'.repeat(LONG / 2),
  words: 'some words '.repeat(LONG / 11),
  lines: 'a line of text\n'.repeat(LONG / 15),
  vowels: '\u0e33'.repeat(LONG),
  empty: '',
})) {
  const found = pieces(text);
  const longest = Math.max(0, ...found.map((piece) => piece.length));
  const halves = found.some((piece) => /[\ud800-\udbff]$/.test(piece));
  console.log(`${name}: ${found.join('') === text} ${longest <= 2_000} ${halves}`);
}
console.log(JSON.stringify([...new Set(pieces('a line of text\n'.repeat(3_000)).map((piece) => piece.at(-1)))]));
console.log(`vowels in pieces: ${pieces('\u0e33'.repeat(LONG)).every((piece) => piece.length <= 2_000 / 5)}`);
for (const [name, sign] of Object.entries({ marks: '\u0301', vowels: '\u0e33' })) {
  try {
    console.log(htmlParts(`a${sign.repeat(300)}`));
  } catch (error) {
    console.log(`${name} plain: ${error.message}`);
  }
}
for (const text of ['\u0430pple.com', 'https://www.\u0430pple.com/x', 'm\u00fcller.de', 'example.com/\u4e2d']) {
  const { href } = new URL(text.startsWith('https:') ? text : `https://${text}`);
  console.log(
    `${text} leads to: ${unsaidTarget(text, href, new Set())}, ${unsaidTarget(text, href, new Set([href]))}.`,
  );
}
