/**
 * Model text in the page: the only place where text becomes elements.
 * Rule: nothing in the text can run, load, submit or style anything, lead anywhere but to http, https and mailto, or
 * hold up the page.
 */
import createDOMPurify from 'dompurify';

import { TAGS, TooMuch, htmlParts } from './markdown_html.js';
import { harmless, madeHonest } from './markdown_links.js';

const ATTRIBUTES = ['align', 'href', 'start', 'value'];
const SLOW_MS = 100; // for one formatting
const SLOW_IN_A_ROW = 2; // one alone may be the machine's fault
const QUIET_MS = 300; // without growth: then a slow text is formatted

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

function nodesOf(html, labels) {
  const fragment = sanitised(html);
  madeHonest(fragment);
  madeScrollable(fragment, labels);
  return [...fragment.childNodes];
}

function plain(text) {
  const paragraph = document.createElement('p');
  paragraph.className = 'plain';
  paragraph.textContent = text;
  return paragraph;
}

/**
 * What is shown in a target: the formatted `parts` ({html, nodes}) of `text`, and a plain `tail` while more waits.
 * `slow` counts the formattings in a row that took too long.
 */
const shown = new WeakMap();

const nothing = () => ({ text: '', parts: [], tail: null, slow: 0, timer: 0 });

/** What we know of the target, unless somebody else has written there. */
function stateOf(target) {
  const state = shown.get(target) ?? nothing();
  clearTimeout(state.timer);
  const nodes = [...state.parts.flatMap((part) => part.nodes), ...(state.tail ? [state.tail] : [])];
  if (nodes.length === target.childNodes.length && nodes.every((node) => node.parentNode === target)) return state;
  target.replaceChildren();
  return nothing();
}

/** Replace the parts that are not what they were. The whole of a long text in each frame would hold up the page. */
function update(target, state, wanted, labels) {
  const before = state.parts;
  const same = wanted.findIndex((html, i) => before[i]?.html !== html);
  const kept = before.slice(0, same < 0 ? wanted.length : same);
  const added = wanted.slice(kept.length).map((html) => ({ html, nodes: nodesOf(html, labels) }));
  const old = before.slice(kept.length).flatMap((part) => part.nodes);
  // blocks that stay what they are stay in place too: the reader may have selected something in them
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

/** Show the text formatted, or all of it plain. Returns which, and counts what was slow. */
function format(target, state, text, labels) {
  const start = performance.now();
  try {
    update(target, state, htmlParts(text), labels);
    state.slow = performance.now() - start > SLOW_MS ? state.slow + 1 : 0;
    state.text = text;
    return true;
  } catch (error) {
    // an answer is never lost to its formatting
    if (!(error instanceof TooMuch)) console.error(error);
    else if (error.message === 'work') state.slow = SLOW_IN_A_ROW; // it took its time, and would again
    state.parts = [];
    state.text = '';
    state.tail = plain(text);
    target.replaceChildren(state.tail);
    return false;
  }
}

/** Show what has grown as plain text below what is formatted, and format it when nothing more comes. */
function postpone(target, state, text, labels) {
  state.tail?.remove();
  state.tail = plain(text.slice(state.text.length));
  target.append(state.tail);
  state.timer = setTimeout(() => {
    if (stateOf(target) === state) format(target, state, text, labels);
  }, QUIET_MS);
  return state.text.length > 0;
}

/**
 * Show `text` in `target`. Returns whether it was formatted; above a size, or oddly nested, it stays plain. What
 * grows and was slow to format is formatted a moment after its end.
 */
export function renderInto(target, text, labels) {
  const state = stateOf(target);
  shown.set(target, state);
  const grows = text.startsWith(state.text) && text.length > state.text.length;
  if (state.slow >= SLOW_IN_A_ROW && grows) return postpone(target, state, text, labels);
  return format(target, state, text, labels);
}
