/**
 * Makes text areas as tall as their text, up to the `max-height` of the style sheet.
 * Rules: a browser without `field-sizing` shows as much of a text as one that has it. This includes text that nobody
 * typed, such as the prompt on a card, because the person pays for it. A very long text does not block the page.
 */
const byStyle = Boolean(window.CSS && CSS.supports('field-sizing', 'content'));
const LONG = 20_000; // characters: taller than `max-height` in any window
const LONGEST_WORD = 2_000; // characters
// no other letter before the first of Hebrew, Arabic and their kin; `\p{L}` is newer than ES2017
const RIGHT_TO_LEFT = /^[^A-Za-z\u00aa-\u058f\u0900-\ufb1c]*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/**
 * Prepare for a text that is about to stand in `area`. Browsers need seconds to find the height or the direction of
 * tens of thousands of lines, so a long text gets a fixed height, and the direction of its first letter. They need
 * minutes to find the words of Thai without a blank, so such a text may be broken anywhere.
 * @param {HTMLTextAreaElement} area
 * @param {string} text
 * @param {boolean} [unknown] whether any text may come
 */
function prepare(area, text, unknown = false) {
  const long = unknown || text.length > LONG;
  const unbroken = unknown || (long && text.split(/\s/).some(({ length }) => length > LONGEST_WORD));
  area.toggleAttribute('data-long', long);
  area.toggleAttribute('data-unbroken', unbroken);
  if (area.dir) area.dir = !long ? 'auto' : RIGHT_TO_LEFT.test(text) ? 'rtl' : 'ltr';
}

/** @param {HTMLTextAreaElement} area */
export function grow(area) {
  prepare(area, area.value);
  if (byStyle) return;
  area.style.height = 'auto';
  const edges = area.offsetHeight - area.clientHeight;
  area.style.height = `${area.scrollHeight + edges}px`;
}

/**
 * Replace the text of `area`.
 * @param {HTMLTextAreaElement} area
 * @param {string} text
 */
export function fill(area, text) {
  prepare(area, area.value + text); // the longer of both
  area.value = text;
  grow(area);
}

/** @param {ParentNode} scope */
function growAll(scope) {
  for (const area of scope.querySelectorAll('textarea')) grow(area);
}

/**
 * From now on, text areas grow when they are added to `log`, when somebody types, and when the window changes its size.
 * @param {HTMLElement} log
 */
export function watchGrowth(log) {
  document.addEventListener('beforeinput', ({ target, data, inputType }) => {
    if (!(target instanceof HTMLTextAreaElement)) return;
    const unknown = inputType.startsWith('history'); // undo and redo do not say which text comes
    // what is pasted or dropped is in `data`
    if (unknown || data) prepare(target, target.value + data, unknown);
  });
  document.addEventListener('input', ({ target }) => {
    if (target instanceof HTMLTextAreaElement) grow(target);
  });
  if (byStyle) return;
  window.addEventListener('resize', () => growAll(document));
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) {
      for (const node of addedNodes) if (node instanceof Element) growAll(node);
    }
  }).observe(log, { childList: true, subtree: true });
}
