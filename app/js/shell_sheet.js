/**
 * The options: beside the conversation on wide screens, a sheet over it on narrow ones.
 * Rule: an open sheet holds the focus, and Escape, the button and a press beside it close it.
 */
import { element } from './shell_elements.js';

const FOCUSABLE = 'a[href], button:not(:disabled), input:not(:disabled), select, summary, [tabindex="0"]';
const root = document.documentElement;
const side = element('side');
const menu = element('menu');
const behind = [...document.querySelectorAll('main, .skip, #new-chat')];

/** @param {boolean} on */
function openSheet(on) {
  const focused = side.contains(document.activeElement);
  root.dataset.side = on ? 'open' : 'closed';
  menu.setAttribute('aria-expanded', String(on));
  for (const part of behind) part.toggleAttribute('inert', on);
  if (on) {
    side.setAttribute('role', 'dialog');
    side.setAttribute('tabindex', '-1');
    side.focus();
    return;
  }
  side.setAttribute('role', 'complementary');
  side.removeAttribute('tabindex');
  if (focused) menu.focus();
}

/**
 * From the last control of the sheet, Tab leads to the button that closes it, and back.
 * @param {KeyboardEvent} event
 */
function hold(event) {
  const shown = [...side.querySelectorAll(FOCUSABLE)].filter((part) => part.getClientRects().length);
  const last = /** @type {HTMLElement | undefined} */ (shown.pop());
  const [from, to] = event.shiftKey ? [menu, last] : [last, menu];
  if (document.activeElement !== from || !to) return;
  event.preventDefault();
  to.focus();
}

export function watchSheet() {
  menu.addEventListener('click', () => openSheet(root.dataset.side !== 'open'));
  document.addEventListener('keydown', (event) => {
    if (root.dataset.side !== 'open') return;
    if (event.key === 'Escape') openSheet(false);
    if (event.key === 'Tab') hold(event);
  });
  document.addEventListener('pointerdown', ({ target }) => {
    if (root.dataset.side !== 'open' || !(target instanceof Node)) return;
    if (!side.contains(target) && !menu.contains(target)) openSheet(false);
  });
  // a window that has become wide shows the options beside the conversation
  window.addEventListener('resize', () => {
    if (root.dataset.side === 'open' && !menu.offsetParent) openSheet(false);
  });
}
