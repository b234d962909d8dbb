/**
 * Model text to HTML: the only place where that happens.
 * Rule: nothing in the text can run, load, submit or style anything, or lead anywhere but to http, https and mailto.
 */
import createDOMPurify from 'dompurify';
import { Marked } from 'marked';

const MAX_LENGTH = 30_000; // characters; above, plain text: a tab must not freeze on an answer
const MAX_NESTING = 40; // quotation marks or bullets in a row
const PART = 1_000; // characters of a long text that are written again while it grows

const TAGS = [
  'a', 'abbr', 'b', 'blockquote', 'br', 'code', 'del', 'em', 'h3', 'h4', 'h5', 'h6', 'hr', 'i', 'kbd', 'li', 'mark',
  'ol', 'p', 'pre', 's', 'strong', 'sub', 'sup', 'table', 'tbody', 'td', 'th', 'thead', 'tr', 'u', 'ul',
];
const ATTRIBUTES = ['align', 'href', 'start', 'value'];

const MONTHS =
  'Januar|Jänner|Februar|Feber|M(?:ä|a\u0308|ae)rz|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|' +
  'January|February|March|May|June|July|October|December|' +
  'Jan\\.|Feb\\.|Mär\\.|Mrz\\.|Apr\\.|Jun\\.|Jul\\.|Aug\\.|Sept?\\.|Okt\\.|Nov\\.|Dez\\.';
// quotes and bullets may stand before it: "- 9. September 2026: ..."
const DATE = new RegExp(
  `^((?:[ \\t]*(?:>|[-*+](?=[ \\t])|\\d{1,9}[.)](?=[ \\t])))*[ \\t]*)(\\d{1,2})\\.(?=[ \\t\\u00a0]+(?:(?:${MONTHS})(?![\\p{L}])|\\d{1,2}\\.[ \\t\\u00a0]*\\d{2,4}\\b))`,
  'iu',
);
const ONLY_A_MONTH = new RegExp(`^[ \\t]*(\\d{1,2})\\.[ \\t]+(?:${MONTHS})[ \\t]*$`, 'iu');
const FENCE = /^[ \t]*(?:>[ \t]*|[-*+][ \t]+|\d{1,9}[.)][ \t]+)*(`{3,}|~{3,})/;

/** Escape the dot of dates at a line's start: "9. September" is a day, not the ninth item of a list. */
export function keepDates(text) {
  const lines = text.split('\n');
  let fence = '';
  let inList = false;
  return lines.map((line, index) => {
    const mark = FENCE.exec(line)?.[1] ?? '';
    if (fence) {
      if (mark.startsWith(fence) && line.trimEnd().endsWith(mark)) fence = '';
      return line;
    }
    if (mark) {
      fence = mark;
      return line;
    }
    const indented = /^(?: {4}|\t)/.test(line);
    if (indented && !inList) return line; // code
    if (line.trim() && !indented) inList = /^ {0,3}(?:[-*+]|\d{1,9}[.)])\s/.test(line) || (inList && line.startsWith(' '));
    if (isListOfMonths(lines, index)) return line;
    return line.replace(DATE, '$1$2\\.');
  }).join('\n');
}

/** "1. Januar", "2. Februar", ...: a list that happens to hold months, told by its neighbour. */
function isListOfMonths(lines, index) {
  const number = (line) => Number(ONLY_A_MONTH.exec(line ?? '')?.[1] ?? NaN);
  const own = number(lines[index]);
  return number(lines[index - 1]) === own - 1 || number(lines[index + 1]) === own + 1;
}

const escape = (text) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** The address when it leads somewhere harmless, else nothing. Relative addresses would lead into this page. */
function harmless(href) {
  try {
    const { protocol } = new URL(href);
    return ['http:', 'https:', 'mailto:'].includes(protocol) ? href : '';
  } catch {
    return '';
  }
}

/** Raw HTML without its attributes and without what is no text: the sanitiser then has nothing to complain of. */
function bare(html) {
  return html
    .replace(/<!--[\s\S]*?(?:-->|$)/g, '')
    .replace(/<(script|style|template|title|textarea|iframe|noscript|xmp|svg|math)\b[\s\S]*?(?:<\/\1\s*>|$)/gi, '')
    .replace(/<(\/?)([a-z][a-z0-9]*)\b[^>]*>?/gi, (_, slash, name) =>
      (TAGS.includes(name.toLowerCase()) && name.toLowerCase() !== 'a' ? `<${slash}${name}>` : ''))
    .replace(/<(?!\/?[a-z])/gi, '&lt;');
}

function link(href, inner) {
  const address = harmless(href);
  return address ? `<a href="${escape(address)}">${inner}</a>` : inner;
}

/** The numbers as written, where they were written to be read (92, 95), and counted where all are "1.". */
function numbersOf(token) {
  const numbers = token.items.map((item) => Number(/^\s*(\d{1,9})[.)]/.exec(item.raw)?.[1] ?? NaN));
  const rising = numbers.every((number, i) => i === 0 || number > numbers[i - 1]);
  return rising && !numbers.some(Number.isNaN) ? numbers : numbers.map((_, i) => (numbers[0] || 1) + i);
}

const marked = new Marked({
  gfm: true,
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
      const numbers = numbersOf(token);
      const items = token.items.map((item, i) => this.listitem(item).replace('<li>', `<li value="${numbers[i]}">`));
      return `<ol start="${numbers[0]}">\n${items.join('')}</ol>\n`;
    },
  },
});

/** Headings go below the answer's own (h2), by rank and without a gap, whatever levels the model chose. */
function levelled(tokens) {
  const headings = [];
  marked.walkTokens(tokens, (token) => { if (token.type === 'heading') headings.push(token); });
  const depths = [...new Set(headings.map((token) => token.depth))].sort();
  let before = 2;
  for (const heading of headings) {
    heading.level = Math.min(3 + depths.indexOf(heading.depth), before + 1, 6);
    before = heading.level;
  }
  return tokens;
}

const purify = createDOMPurify(window);
purify.addHook('afterSanitizeAttributes', (node) => {
  if (node.nodeName !== 'A') return;
  const href = harmless(node.getAttribute('href') ?? '');
  if (!href) {
    node.removeAttribute('href');
    return;
  }
  node.setAttribute('href', href);
  node.setAttribute('target', '_blank');
  node.setAttribute('rel', 'noopener noreferrer nofollow');
});

/**
 * The text as HTML in parts of some length, cut between blocks. While a text grows, only its last parts change.
 * Raw HTML may open in one block and close in another: then there is one part.
 */
function parts(text) {
  const tokens = levelled(marked.lexer(keepDates(text)));
  if (tokens.some((token) => token.type === 'html')) return [marked.parser(tokens)];
  const groups = [[]];
  let length = 0;
  for (const token of tokens) {
    if (length >= PART && token.type !== 'text') { // lines of text in a row make one paragraph
      groups.push([]);
      length = 0;
    }
    groups.at(-1).push(token);
    length += token.raw.length;
  }
  return groups.map((group) => marked.parser(group));
}

function sanitised(html) {
  return purify.sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ATTRIBUTES,
    ADD_URI_SAFE_ATTR: ['align', 'start', 'value'], // else they would have to look like an address
    ALLOW_ARIA_ATTR: false,
    ALLOW_DATA_ATTR: false,
    ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
    RETURN_DOM_FRAGMENT: true,
  });
}

/** Wide things scroll by themselves, by keyboard too. */
function madeScrollable(fragment, labels) {
  for (const table of fragment.querySelectorAll('table')) {
    const frame = document.createElement('div');
    frame.className = 'scroll';
    frame.setAttribute('role', 'group');
    frame.setAttribute('aria-label', labels.table);
    frame.tabIndex = 0;
    table.replaceWith(frame);
    frame.append(table);
  }
  for (const block of fragment.querySelectorAll('pre')) {
    block.tabIndex = 0;
    block.setAttribute('role', 'group');
    block.setAttribute('aria-label', labels.code);
  }
}

const tooDeep = new RegExp(
  `(?:>[ \\t]*|(?:[-*+]|\\d+[.)])[ \\t]+){${MAX_NESTING},}|[*_~\`\\[\\]<(]{400,}`,
);

const shown = new WeakMap(); // target: the parts in it, each with its HTML and its nodes

/** Replace the parts that are not what they were. The whole of a long text in each frame would hold up the page. */
function update(target, text, labels) {
  const wanted = parts(text);
  let before = shown.get(target) ?? [];
  const nodes = before.flatMap((part) => part.nodes);
  if (nodes.length !== target.childNodes.length || nodes.some((node) => node.parentNode !== target)) {
    target.replaceChildren(); // somebody else has written here
    before = [];
  }
  const same = wanted.findIndex((html, i) => before[i]?.html !== html);
  const kept = before.slice(0, same < 0 ? wanted.length : same);
  const added = wanted.slice(kept.length).map((html) => {
    const fragment = sanitised(html);
    madeScrollable(fragment, labels);
    return { html, fragment, nodes: [...fragment.childNodes] };
  });
  for (const part of before.slice(kept.length)) part.nodes.forEach((node) => node.remove());
  target.append(...added.map((part) => part.fragment));
  shown.set(target, [...kept, ...added.map(({ html, nodes: own }) => ({ html, nodes: own }))]);
}

/** Show `text` in `target`. Returns whether it was formatted; above a size, or oddly nested, it stays plain. */
export function renderInto(target, text, labels) {
  if (text.length <= MAX_LENGTH && !tooDeep.test(text)) {
    try {
      update(target, text, labels);
      return true;
    } catch (error) {
      console.error(error); // shown as plain text below: an answer is never lost to its formatting
    }
  }
  const plain = document.createElement('p');
  plain.className = 'plain';
  plain.textContent = text;
  target.replaceChildren(plain);
  return false;
}
