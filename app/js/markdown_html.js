/**
 * Turns model text into HTML that is not sanitised yet.
 * Rule: the work is limited. For some texts marked needs quadratic time, so each of its steps is counted and timed.
 */
import { Marked } from 'marked';

import { datesKept, numbersOf } from './markdown_dates.js';
import { boldLabel } from './markdown_labels.js';
import { harmless } from './markdown_links.js';

/** @import { Token, Tokens } from 'marked' */

const MAX_LENGTH = 30_000; // characters; a longer text stays plain, because it would block the tab
const MAX_LINES = 2_000;
const MAX_WORD = 3_000; // marked looks for an e-mail address at each character of a word
const MAX_WORK = 2_000_000; // the sum, over all steps within paragraphs, of the characters that remain
const MAX_STEPS = 8_000;
const MAX_ELEMENTS = 3_000; // that have to be sanitised and laid out
const MAX_MS = 300; // only for longer texts: a short one is slow because of the machine
const SHORT = 4_000; // characters
const PART = 1_000; // characters; while a long text grows, only its last part is replaced

export const TAGS = (
  'a abbr b blockquote br code del em h3 h4 h5 h6 hr i kbd li ' +
  'mark ol p pre s strong sub sup table tbody td th thead tr u ul'
).split(' ');

// many quotation marks or bullets in a row or nested, or many characters that open something
const TOO_DEEP =
  /(?:>[ \t]*|(?:[-*+]|\d{1,9}[.)])[ \t]+){24}|^(?:\t| {2}){40}[ \t]*(?:[-*+>]|\d{1,9}[.)])|[*_~`[\]<(]{200}/m;

// on one letter: to lay them out takes quadratic time. The vowel AM of Thai and Lao is no mark, but acts as one
const MARKS = /[\p{M}\u0e33\u0eb3]{200}/u;

/** The text would take too long to format, so it is shown as it is. The message says which limit it exceeds. */
export class TooMuch extends Error {}

/** @param {string} text */
function checkText(text) {
  if (text.length > MAX_LENGTH) throw new TooMuch('length');
  if (text.split('\n').length > MAX_LINES) throw new TooMuch('lines');
  if (text.split(/[^!-~]+/).some((word) => word.length > MAX_WORD)) throw new TooMuch('word');
  if (MARKS.test(text)) throw new TooMuch('marks');
  if (TOO_DEEP.test(text)) throw new TooMuch('depth');
}

let spent = { work: 0, steps: 0, until: Infinity };

/**
 * Counts a step of marked. Throws TooMuch if there were too many.
 * @param {number} ahead characters that remain
 * @returns {false} which tells marked to go on with its own function
 */
function step(ahead) {
  spent.work += ahead;
  spent.steps += 1;
  if (spent.work > MAX_WORK || spent.steps > MAX_STEPS || performance.now() > spent.until) throw new TooMuch('work');
  return false;
}

/** @param {string} text */
const escaped = (text) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

// other elements of HTML: their tags are left out. What else stands between angle brackets is text
const LEFT_OUT = new Set(
  (
    'address area article aside audio base basefont bdi bdo big body button canvas caption center cite col colgroup ' +
    'data datalist dd details dfn dialog div dl dt embed fieldset figcaption figure font footer form frame frameset ' +
    'h1 h2 head header html iframe image img input ins label legend link main map math menu meta meter nav noscript ' +
    'object optgroup option output param picture progress q rp rt ruby samp script section select small source span ' +
    'strike style summary svg template textarea tfoot time title track tt var video wbr xmp'
  ).split(' '),
);
const INLINE = new Set('abbr b code del em i kbd mark s strong sub sup u'.split(' '));
const WITH_TEXT = new Set('paragraph heading text strong em del link'.split(' ')); // kinds of token
const IS_ATTRIBUTES = /^(?:\s+[\w:-]+\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))*\s*\/?$/;

/**
 * A tag without its attributes, nothing, or text.
 * @param {string} whole
 * @param {string} slash
 * @param {string} word
 * @param {string} rest
 */
function bareTag(whole, slash, word, rest) {
  const name = word.toLowerCase();
  if (name === 'a' || LEFT_OUT.has(name)) return '';
  return TAGS.includes(name) && IS_ATTRIBUTES.test(rest) ? `<${slash}${name}>` : escaped(whole);
}

/**
 * Closes what would go on in the blocks that follow.
 * @param {string} html of `bare`
 */
function closed(html) {
  /** @type {string[]} */
  const open = [];
  for (const [, slash, name] of html.matchAll(/<(\/?)([a-z]+)>/g)) {
    if (!INLINE.has(name)) continue;
    if (!slash) open.unshift(name);
    else if (open.includes(name)) open.splice(open.indexOf(name), 1);
  }
  return html + open.map((name) => `</${name}>`).join('');
}

/**
 * Leaves out the tags within a paragraph that have no partner there.
 * @param {Token[]} tokens
 */
function paired(tokens) {
  /** @type {[name: string, tag: Tokens.Tag][]} */
  const open = [];
  const tags = /** @type {Tokens.Tag[]} */ (tokens.filter(({ type }) => type === 'html'));
  for (const tag of tags) {
    const [, slash, name] = /^<(\/?)([a-z]+)>$/.exec(bare(tag.text)) ?? ['', '', 'br'];
    if (name === 'br' || name === 'hr') continue;
    if (!slash) open.push([name, tag]);
    else if (open.at(-1)?.[0] === name) open.pop();
    else tag.text = '';
  }
  for (const [, tag] of open) tag.text = '';
}

/**
 * Lets no raw tag outlive the block that it stands in.
 * @param {Token[]} tokens
 */
function contained(tokens) {
  marked.walkTokens(tokens, (token) => {
    if (token.type === 'table') {
      for (const cell of [token.header, ...token.rows].flat()) paired(cell.tokens);
    } else if (WITH_TEXT.has(token.type) && 'tokens' in token) {
      paired(token.tokens ?? []);
    }
  });
  return tokens;
}

/**
 * Raw HTML with only the tags that are allowed, without attributes, comments and what is not text (such as scripts).
 * @param {string} html
 */
function bare(html) {
  return html
    .replace(/<!--[\s\S]*?(?:-->|$)/g, '')
    .replace(/<(script|style|template|title|textarea|iframe|noscript|xmp|svg|math)\b[\s\S]*?(?:<\/\1\s*>|$)/gi, '')
    .replace(/<(\/?)([a-z][^\s/>]*)([^>]*)>?/gi, bareTag)
    .replace(/<(?!\/?[a-z])/gi, '&lt;');
}

/**
 * @param {string} href
 * @param {string} inner HTML
 */
function link(href, inner) {
  const address = harmless(href);
  return address ? `<a href="${escaped(address)}">${inner}</a>` : inner;
}

const marked = new Marked({
  gfm: true,
  tokenizer: {
    // what marked tries first at each step: `escape` in a paragraph, `space` between blocks
    escape: (src) => step(src.length),
    space: () => step(0),
    emStrong(src, _masked, before) {
      const [raw, text] = boldLabel(src, before) ?? [];
      return raw && text ? { type: 'strong', raw, text, tokens: this.lexer.inlineTokens(text) } : false;
    },
  },
  renderer: {
    image({ href, text }) {
      return link(href, escaped(text || href));
    },
    link({ href, tokens }) {
      // an image becomes a link too, and a link must not contain a link
      const plain = tokens.map((token) => (token.type === 'image' ? { ...token, type: 'text' } : token));
      return link(href, this.parser.parseInline(plain));
    },
    html({ text, block }) {
      return block ? closed(bare(text)) : bare(text);
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

/**
 * Gives headings the levels below the answer's own (h2) without a gap, whatever levels the model chose.
 * @param {Token[]} tokens
 */
function levelled(tokens) {
  /** @type {Tokens.Heading[]} */
  const headings = [];
  marked.walkTokens(tokens, (token) => {
    if (token.type === 'heading') headings.push(/** @type {Tokens.Heading} */ (token));
  });
  const depths = [...new Set(headings.map((token) => token.depth))].sort();
  let before = 2;
  for (const heading of headings) {
    heading.depth = Math.min(3 + depths.indexOf(heading.depth), before + 1, 6);
    before = heading.depth;
  }
  return tokens;
}

/**
 * Tokens in groups of some length, cut between blocks. A text with raw HTML is not cut, because a tag may be opened in
 * one block and closed in another.
 * @param {Token[]} tokens
 */
function grouped(tokens) {
  if (tokens.some((token) => token.type === 'html')) return [tokens];
  /** @type {Token[][]} */
  const groups = [];
  let group = [];
  let length = 0;
  for (const token of tokens) {
    // tokens of text in a row are the lines of one paragraph
    if (length >= PART && token.type !== 'text') {
      groups.push(group);
      group = [];
      length = 0;
    }
    group.push(token);
    length += token.raw.length;
  }
  return [...groups, group];
}

/**
 * The text as HTML in parts, of which only the last ones change while it grows. Throws TooMuch.
 * @param {string} text
 */
export function htmlParts(text) {
  checkText(text);
  spent = { work: 0, steps: 0, until: text.length > SHORT ? performance.now() + MAX_MS : Infinity };
  const parts = grouped(levelled(contained(datesKept(marked.lexer(text))))).map((group) => marked.parser(group));
  const elements = parts.reduce((sum, html) => sum + (html.match(/<[a-z]/gi)?.length ?? 0), 0);
  if (elements > MAX_ELEMENTS) throw new TooMuch('elements');
  return parts;
}
