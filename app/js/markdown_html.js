/**
 * Model text to HTML that is not sanitised yet.
 * Rule: the work is bounded. marked is quadratic in some texts, so each of its steps is counted and timed.
 */
import { Marked } from 'marked';

import { datesKept, numberOf } from './markdown_dates.js';
import { harmless } from './markdown_links.js';

const MAX_LENGTH = 30_000; // characters; above, plain text: a tab must not freeze on an answer
const MAX_LINES = 2_000;
const MAX_WORD = 3_000; // marked looks for an e-mail address at each sign of a word
const MAX_WORK = 2_000_000; // characters ahead, summed over the steps within paragraphs
const MAX_STEPS = 8_000;
const MAX_ELEMENTS = 3_000; // to sanitise and to lay out
const MAX_MS = 300; // the counts come first, for they say the same on any machine
const PART = 1_000; // characters of a long text that are written again while it grows

export const TAGS = [
  'a',
  'abbr',
  'b',
  'blockquote',
  'br',
  'code',
  'del',
  'em',
  'h3',
  'h4',
  'h5',
  'h6',
  'hr',
  'i',
  'kbd',
  'li',
  'mark',
  'ol',
  'p',
  'pre',
  's',
  'strong',
  'sub',
  'sup',
  'table',
  'tbody',
  'td',
  'th',
  'thead',
  'tr',
  'u',
  'ul',
];

// quotation marks or bullets in a row, or below one another; signs that open something
const TOO_DEEP =
  /(?:>[ \t]*|(?:[-*+]|\d{1,9}[.)])[ \t]+){24}|^(?:\t| {2}){40}[ \t]*(?:[-*+>]|\d{1,9}[.)])|[*_~`[\]<(]{200}/m;

/** The text would take too long: it is shown as it is. */
export class TooMuch extends Error {}

function checkText(text) {
  if (text.length > MAX_LENGTH) throw new TooMuch('length');
  if (text.split('\n').length > MAX_LINES) throw new TooMuch('lines');
  if (text.split(/[^!-~]+/).some((word) => word.length > MAX_WORD)) throw new TooMuch('word');
  if (TOO_DEEP.test(text)) throw new TooMuch('depth');
}

let spent = { work: 0, steps: 0, until: Infinity };

function step(ahead) {
  spent.work += ahead;
  spent.steps += 1;
  if (spent.work > MAX_WORK || spent.steps > MAX_STEPS || performance.now() > spent.until) throw new TooMuch('work');
  return false; // marked goes on with its own
}

const escape = (text) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** Raw HTML without its attributes and without what is no text: the sanitiser then has nothing to complain of. */
function bare(html) {
  return html
    .replace(/<!--[\s\S]*?(?:-->|$)/g, '')
    .replace(/<(script|style|template|title|textarea|iframe|noscript|xmp|svg|math)\b[\s\S]*?(?:<\/\1\s*>|$)/gi, '')
    .replace(/<(\/?)([a-z][a-z0-9]*)\b[^>]*>?/gi, (_, slash, name) =>
      TAGS.includes(name.toLowerCase()) && name.toLowerCase() !== 'a' ? `<${slash}${name}>` : '',
    )
    .replace(/<(?!\/?[a-z])/gi, '&lt;');
}

function link(href, inner) {
  const address = harmless(href);
  return address ? `<a href="${escape(address)}">${inner}</a>` : inner;
}

/** The numbers as written, for they may be meant (92, 95; 3, 2, 1), and counted where all are the same. */
function numbersOf(items) {
  const numbers = items.map(numberOf);
  return new Set(numbers).size > 1 ? numbers : numbers.map((first, i) => first + i);
}

const marked = new Marked({
  gfm: true,
  tokenizer: {
    // the first that marked tries at each step: in a paragraph, and between blocks
    escape: (src) => step(src.length),
    space: () => step(0),
  },
  renderer: {
    heading({ tokens, level }) {
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`;
    },
    image({ href, text }) {
      return link(href, escape(text || href));
    },
    link({ href, tokens }) {
      // a picture inside a link would make a link inside a link
      const plain = tokens.map((token) => (token.type === 'image' ? { ...token, type: 'text' } : token));
      return link(href, this.parser.parseInline(plain));
    },
    html({ text }) {
      return bare(text);
    },
    checkbox({ checked }) {
      return checked ? '☑ ' : '☐ ';
    },
    list(token) {
      if (!token.ordered) return `<ul>\n${token.items.map((item) => this.listitem(item)).join('')}</ul>\n`;
      const numbers = numbersOf(token.items);
      const items = token.items.map((item, i) => this.listitem(item).replace('<li>', `<li value="${numbers[i]}">`));
      return `<ol start="${numbers[0]}">\n${items.join('')}</ol>\n`;
    },
  },
});

/** Headings go below the answer's own (h2), by rank and without a gap, whatever levels the model chose. */
function levelled(tokens) {
  const headings = [];
  marked.walkTokens(tokens, (token) => {
    if (token.type === 'heading') headings.push(token);
  });
  const depths = [...new Set(headings.map((token) => token.depth))].sort();
  let before = 2;
  for (const heading of headings) {
    heading.level = Math.min(3 + depths.indexOf(heading.depth), before + 1, 6);
    before = heading.level;
  }
  return tokens;
}

/** Tokens in groups of some length, cut between blocks. Raw HTML may open in one block and close in another. */
function grouped(tokens) {
  if (tokens.some((token) => token.type === 'html')) return [tokens];
  const groups = [[]];
  let length = 0;
  for (const token of tokens) {
    if (length >= PART && token.type !== 'text') {
      // lines of text in a row make one paragraph
      groups.push([]);
      length = 0;
    }
    groups.at(-1).push(token);
    length += token.raw.length;
  }
  return groups;
}

/** The text as HTML in parts, of which only the last ones change while it grows. Throws TooMuch. */
export function htmlParts(text) {
  checkText(text);
  spent = { work: 0, steps: 0, until: performance.now() + MAX_MS };
  const parts = grouped(levelled(datesKept(marked.lexer(text)))).map((group) => marked.parser(group));
  const elements = parts.reduce((sum, html) => sum + (html.match(/<[a-z]/gi)?.length ?? 0), 0);
  if (elements > MAX_ELEMENTS) throw new TooMuch('elements');
  return parts;
}
