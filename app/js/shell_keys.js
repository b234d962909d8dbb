/**
 * The keys of the page, and the list of them.
 * Rule: no key does anything while the person types elsewhere, composes a sign or looks at a dialog.
 */
import { endByEscape } from './shell_composer.js';
import { element } from './shell_elements.js';
import { escapeFrame } from './shell_frame.js';

const OFF = 'tabloop.no-question-mark';

/** Whether the key ? opens the list. It can be turned off: who speaks to the browser would press it by accident. */
function listed() {
  return element('keys-on', HTMLInputElement).checked;
}

function restore() {
  try {
    element('keys-on', HTMLInputElement).checked = localStorage.getItem(OFF) === null;
  } catch (_error) {} // nothing is stored here: the key stays on
}

function remember() {
  try {
    if (listed()) localStorage.removeItem(OFF);
    else localStorage.setItem(OFF, '');
  } catch (_error) {} // then it is off until the page is left
}

/** @param {EventTarget | null} target */
function isField(target) {
  return target instanceof Element && Boolean(target.closest('input, textarea, select, [contenteditable]'));
}

function openList() {
  element('keys', HTMLDialogElement).showModal();
}

/** @param {KeyboardEvent} event */
function pressed(event) {
  if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (document.querySelector('dialog[open]') || document.documentElement.dataset.side === 'open') return;
  const elsewhere = isField(event.target) && event.target !== element('message');
  if (event.key === 'Escape' && !event.repeat && !elsewhere) {
    if (endByEscape()) event.preventDefault();
    else escapeFrame();
  }
  if (event.key === '?' && listed() && !isField(event.target)) {
    event.preventDefault();
    openList();
  }
}

export function watchKeys() {
  // captured, so that the Escape that closes the sheet does nothing else
  document.addEventListener('keydown', pressed, true);
  restore();
  element('keys-on').addEventListener('change', remember);
  element('show-keys').addEventListener('click', openList);
  element('close-keys').addEventListener('click', () => element('keys', HTMLDialogElement).close());
}
