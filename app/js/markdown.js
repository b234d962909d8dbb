/**
 * Shows model text in the page; only this module makes elements from text.
 * Rule: nothing in the text can run, load, submit or style anything. Links lead only to http, https and mailto. No text
 * blocks the page for long.
 */
import createDOMPurify from 'dompurify';

import { htmlParts, TAGS, TooMuch } from './markdown_html.js';
import { harmless, madeHonest } from './markdown_links.js';
import { showPlain } from './markdown_plain.js';

/**
 * @typedef {{ table: string, code: string, copy?: string }} Labels the page's words for what can be scrolled or copied
 * @typedef {{ html: string, nodes: ChildNode[] }} Part
 */

/**
 * What is shown in a target: the formatted `parts` of `text`, and a plain `tail` while the rest waits to be formatted.
 * `known` are the addresses in results of tools, `slow` counts the formattings in a row that took too long.
 * @typedef {{ text: string, parts: Part[], tail: HTMLElement | null, known: Set<string>, slow: number, timer: number }} State
 */

const ATTRIBUTES = ['align', 'href', 'start', 'value'];
const SLOW_MS = 100; // for one formatting
const SLOW_IN_A_ROW = 2; // a single one may be due to the machine
const QUIET_MS = 300; // a slow text is formatted when it has not grown for so long

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

/** @param {string} html */
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

/**
 * Tables and code blocks can be scrolled on their own, also with the keyboard.
 * @param {DocumentFragment} fragment
 * @param {Labels} labels
 */
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
    if (labels.copy) withCopyButton(block, labels.copy);
  }
}

const DIRECTED = 'p, h3, h4, h5, h6, ul, ol, li, blockquote, table, th, td';
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/**
 * Each block is written from the side on which its first word begins.
 * @param {DocumentFragment} fragment
 */
function madeDirected(fragment) {
  if (!RIGHT_TO_LEFT.test(fragment.textContent ?? '')) return;
  for (const block of fragment.querySelectorAll(DIRECTED)) block.setAttribute('dir', 'auto');
}

/**
 * Put a block of code and the button that copies it into a frame. The page listens to `data-action`.
 * @param {HTMLElement} block
 * @param {string} label
 */
function withCopyButton(block, label) {
  const frame = document.createElement('div');
  const button = document.createElement('button');
  frame.className = 'code';
  button.type = 'button';
  button.className = 'quiet';
  button.dataset.action = 'copy-code';
  button.textContent = label;
  block.replaceWith(frame);
  frame.append(button, block);
}

/**
 * The HTML of what is shown in `target`, for another program: without our buttons, frames and labels.
 * @param {HTMLElement} target
 */
export function plainHtml(target) {
  const copy = /** @type {HTMLElement} */ (target.cloneNode(true));
  for (const button of copy.querySelectorAll('button')) button.remove();
  for (const frame of copy.querySelectorAll('div')) frame.replaceWith(...frame.childNodes);
  for (const node of copy.querySelectorAll('*')) {
    for (const { name } of [...node.attributes]) if (!ATTRIBUTES.includes(name)) node.removeAttribute(name);
  }
  return copy.innerHTML;
}

/**
 * @param {string} html
 * @param {Labels} labels
 * @param {Set<string>} known
 */
function nodesOf(html, labels, known) {
  const fragment = sanitised(html);
  madeHonest(fragment, known);
  madeScrollable(fragment, labels);
  madeDirected(fragment);
  return [...fragment.childNodes];
}

/**
 * The element for text that is not formatted.
 * @param {State} state
 */
function boxOf(state) {
  if (state.tail) return state.tail;
  state.tail = document.createElement('div');
  state.tail.className = 'plain';
  return state.tail;
}

/** @type {WeakMap<Element, State>} */
const shown = new WeakMap();

/** @returns {State} */
const nothing = () => ({ text: '', parts: [], tail: null, known: new Set(), slow: 0, timer: 0 });

/**
 * The state of the target. It is empty if something other than this module has changed the target.
 * @param {Element} target
 */
function stateOf(target) {
  const state = shown.get(target) ?? nothing();
  clearTimeout(state.timer);
  const nodes = [...state.parts.flatMap((part) => part.nodes), ...(state.tail ? [state.tail] : [])];
  if (nodes.length === target.childNodes.length && nodes.every((node) => node.parentNode === target)) return state;
  target.replaceChildren();
  return nothing();
}

/**
 * Replace only the parts that have changed, because to replace a long text in each frame would block the page.
 * @param {Element} target
 * @param {State} state
 * @param {string[]} wanted the HTML of the parts
 * @param {Labels} labels
 */
function update(target, state, wanted, labels) {
  const before = state.parts;
  const same = wanted.findIndex((html, i) => before[i]?.html !== html);
  const kept = before.slice(0, same < 0 ? wanted.length : same);
  const added = wanted.slice(kept.length).map((html) => ({ html, nodes: nodesOf(html, labels, state.known) }));
  const old = before.slice(kept.length).flatMap((part) => part.nodes);
  // blocks that have not changed stay in place, because the person may have selected text in them
  const [first] = added;
  let stay = 0;
  while (stay < (first?.nodes.length ?? 0) && old[stay]?.isEqualNode(first.nodes[stay])) {
    first.nodes[stay] = old[stay];
    stay += 1;
  }
  for (const node of [...old.slice(stay), ...(state.tail ? [state.tail] : [])]) node.remove();
  target.append(...added.flatMap((part) => part.nodes).slice(stay));
  state.parts = [...kept, ...added];
  state.tail = null;
}

/**
 * Show the text formatted, or all of it plain. Returns whether it is formatted.
 * @param {Element} target
 * @param {State} state
 * @param {string} text
 * @param {Labels} labels
 */
function format(target, state, text, labels) {
  const start = performance.now();
  try {
    update(target, state, htmlParts(text), labels);
    state.slow = performance.now() - start > SLOW_MS ? state.slow + 1 : 0;
    state.text = text;
    return true;
  } catch (error) {
    // an answer must be readable even if it cannot be formatted
    if (!(error instanceof TooMuch)) console.error(error);
    else if (error.message === 'work') state.slow = SLOW_IN_A_ROW; // it took long, and would again
    state.parts = [];
    state.text = '';
    const box = boxOf(state);
    showPlain(box, text);
    if (target.childNodes.length > 1 || target.firstChild !== box) target.replaceChildren(box);
    return false;
  }
}

/**
 * Show the new end of the text as plain text below the formatted part, and format it when the text no longer grows.
 * @param {Element} target
 * @param {State} state
 * @param {string} text
 * @param {Labels} labels
 */
function postpone(target, state, text, labels) {
  const box = boxOf(state);
  showPlain(box, text.slice(state.text.length));
  if (box.parentNode !== target) target.append(box);
  state.timer = setTimeout(() => {
    if (stateOf(target) === state) format(target, state, text, labels);
  }, QUIET_MS);
  return state.text.length > 0;
}

/**
 * Show `text` in `target`. Returns whether it is formatted. A text that is too long or too deeply nested stays plain. A
 * text that grows and was slow to format is formatted a moment after it has stopped growing.
 * @param {Element} target
 * @param {string} text
 * @param {Labels} labels
 * @param {string[]} [links] the addresses in results of tools
 */
export function renderInto(target, text, labels, links = []) {
  const state = stateOf(target);
  const known = new Set(links.flatMap((address) => harmless(address) || []));
  if (known.size !== state.known.size || [...known].some((address) => !state.known.has(address))) {
    state.known = known;
    for (const part of state.parts) part.html = ''; // they may have links that are known only now
  }
  shown.set(target, state);
  const grows = text.startsWith(state.text) && text.length > state.text.length;
  if (state.slow >= SLOW_IN_A_ROW && grows) return postpone(target, state, text, labels);
  return format(target, state, text, labels);
}
