/**
 * The main content of a page as sections of Markdown.
 * Rule: text only. Scripts, navigation, forms and images are left out; of a link to another origin only its text is kept.
 */

/** @typedef {{ level: number, title: string, anchor: string, text: string }} Section */
/** @typedef {(href: string) => string} Resolve the absolute address of this origin, or '' */

const MAIN = ['main article', '[role="main"]', 'main', 'article', '#content', 'body'];
const LEFT_OUT =
  'script,style,noscript,template,nav,footer,aside,form,button,input,select,textarea,svg,canvas,iframe,object,embed,' +
  'video,audio,dialog,[hidden],[aria-hidden="true"],[role="navigation"],[role="search"],' +
  '[style*="display:none" i],[style*="display: none" i]';
const BLOCKS =
  'address,article,blockquote,details,div,dl,dt,dd,figure,figcaption,header,hr,li,main,ol,p,pre,section,summary,table,ul,h1,h2,h3,h4,h5,h6';
const MAX_TEXT = 200_000; // characters of a page
const MAX_SECTIONS = 2_000;
const MAX_COLUMNS = 1_000; // of a table

/** Collects the sections of one page. */
class Writer {
  /** @type {Section[]} */
  sections = [];
  #current = { level: 0, title: '', anchor: '', text: '' };
  #left = MAX_TEXT;
  /** @type {Set<Element>} */
  #blocks = new Set();

  /**
   * @param {Element} root
   * @param {Resolve} resolve
   */
  constructor(root, resolve) {
    this.resolve = resolve;
    for (const element of root.querySelectorAll(BLOCKS)) {
      for (let at = element; at !== root && !this.#blocks.has(at); at = /** @type {Element} */ (at.parentElement))
        this.#blocks.add(at);
    }
  }

  /** @param {Node} node whether it is a block, or has one in it */
  isBlock(node) {
    return this.#blocks.has(/** @type {Element} */ (node));
  }

  /** @param {string} text */
  block(text) {
    const kept = text.slice(0, this.#left);
    this.#left -= kept.length;
    if (kept.trim()) this.#current.text += (this.#current.text && '\n\n') + kept;
  }

  get isFull() {
    return this.#left <= 0 || this.sections.length >= MAX_SECTIONS;
  }

  /**
   * @param {number} level
   * @param {string} title
   * @param {string} anchor
   */
  heading(level, title, anchor) {
    this.end();
    this.#current = { level, title, anchor, text: '' };
  }

  end() {
    if (this.#current.level || this.#current.text) this.sections.push(this.#current);
  }
}

/**
 * @param {Document} page
 * @param {Resolve} resolve
 */
export function sectionsOf(page, resolve) {
  const found = MAIN.map((selector) => page.querySelectorAll(selector));
  // several articles are a list of them
  const root = found.find((elements, at) => elements.length && (at !== 0 || elements.length === 1))?.[0];
  const writer = root && new Writer(root, resolve);
  if (writer) blocks(root, writer);
  writer?.end();
  const sections = writer?.sections ?? [];
  const title = sections.find((section) => section.level)?.title || page.title.trim();
  return { title, sections };
}

/**
 * @param {Element} parent
 * @param {Writer} writer
 */
function blocks(parent, writer) {
  let loose = '';
  const flush = () => {
    writer.block(tidy(loose));
    loose = '';
  };
  for (const node of parent.childNodes) {
    if (writer.isFull) return;
    if (!(node instanceof Element) || !writer.isBlock(node)) {
      loose += inline(node, writer.resolve);
      if (loose.length > MAX_TEXT) flush();
    } else if (!node.matches(LEFT_OUT)) {
      flush();
      block(node, writer);
    }
  }
  flush();
}

/**
 * @param {Element} element
 * @param {Writer} writer
 */
function block(element, writer) {
  const name = element.localName;
  if (/^h[1-6]$/.test(name)) {
    writer.heading(Number(name[1]), tidy(inline(element, () => '')).replaceAll('\n', ' '), anchorOf(element));
  } else if (name === 'pre') {
    writer.block(`\`\`\`\n${(element.textContent ?? '').replaceAll('```', "'''").trimEnd()}\n\`\`\``);
  } else if (name === 'table') {
    writer.block(table(/** @type {HTMLTableElement} */ (element), writer));
  } else if (name === 'ul' || name === 'ol') {
    writer.block(list(element, writer, ''));
  } else {
    blocks(element, writer);
  }
}

/**
 * The anchor of a heading: its own id, that of the section that it begins, or where its own link leads.
 * @param {Element} heading
 */
function anchorOf(heading) {
  if (heading.id) return heading.id;
  const parent = heading.parentElement;
  if (parent?.id && parent.localName === 'section' && parent.firstElementChild === heading) return parent.id;
  const inside = heading.querySelector('[id],a[name]');
  const link = heading.querySelector('a[href^="#"]')?.getAttribute('href')?.slice(1);
  return inside?.id || inside?.getAttribute('name') || link || '';
}

/**
 * @param {Element} element
 * @param {Writer} writer
 * @param {string} indent
 * @returns {string}
 */
function list(element, writer, indent) {
  const ordered = element.localName === 'ol';
  const items = [...element.children].filter((item) => item.localName === 'li' && !item.matches(LEFT_OUT));
  return items
    .map((item, at) => {
      const nested = [...item.children].filter((child) => child.matches('ul,ol'));
      const own = [...item.childNodes].filter((node) => !(node instanceof Element && node.matches('ul,ol')));
      const text = tidy(own.map((node) => inline(node, writer.resolve)).join('')).replaceAll('\n', ' ');
      const below = nested.map((child) => `\n${list(child, writer, `${indent}  `)}`).join('');
      return `${indent}${ordered ? `${at + 1}.` : '-'} ${text}${below}`;
    })
    .join('\n');
}

/**
 * @param {HTMLTableElement} element
 * @param {Writer} writer
 */
function table(element, writer) {
  const lines = [];
  let size = 0;
  for (const row of element.rows) {
    const cells = [...row.cells]
      .slice(0, MAX_COLUMNS)
      .map((cell) => tidy(inline(cell, writer.resolve)).replaceAll('\n', ' ').replaceAll('|', '\\|'));
    lines.push(`| ${cells.join(' | ')} |`);
    if (lines.length === 1) lines.push(`|${' --- |'.repeat(cells.length)}`);
    size += lines[lines.length - 1].length;
    if (size > MAX_TEXT) break;
  }
  return lines.join('\n');
}

/**
 * @param {Node} node
 * @param {Resolve} resolve
 * @returns {string}
 */
function inline(node, resolve) {
  if (node.nodeType === Node.TEXT_NODE) return (node.textContent ?? '').replace(/\s+/g, ' ');
  if (!(node instanceof Element) || node.matches(LEFT_OUT)) return '';
  if (node.localName === 'br') return '\n';
  const text = [...node.childNodes]
    .map((child) => inline(child, resolve))
    .join(node.matches('tr,td,th,p,div,li') ? ' ' : '');
  if (node.localName === 'code') return text.trim() && `\`${text}\``;
  if (node.localName === 'a') return link(node, text, resolve);
  return node.matches(BLOCKS) ? ` ${text} ` : text;
}

/**
 * @param {Element} element
 * @param {string} text
 * @param {Resolve} resolve
 */
function link(element, text, resolve) {
  const href = element.getAttribute('href') ?? '';
  // "¶", "#" or nothing that can be seen: a heading's link to itself
  if (href.startsWith('#') && text.replace(/[\s\u200b]/g, '').length <= 1) return '';
  const target = text.trim() && href && !href.startsWith('#') ? resolve(href) : '';
  return target ? `[${text.trim().replace(/[[\]]/g, '')}](${target})` : text;
}

/** @param {string} text */
const tidy = (text) =>
  text
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .trim();
