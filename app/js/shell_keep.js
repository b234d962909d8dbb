/**
 * What becomes of the conversation when the page is left.
 * Rule: nothing is stored unless the person asks for it, and then only in this tab. Else leaving asks first.
 */
import { element } from './shell_elements.js';

// frames of one tab share its storage
const NAME = `tabloop.conversation${window.name.slice(0, 20)}`;
let ours = false; // what is stored is of this page
let safe = false; // what stands in the page survives a reload
let leaving = false; // the person has already agreed

/**
 * Store the conversation for a reload of this tab; a blank text removes it. Returns whether the browser did it.
 * @param {string} text
 */
export function keep(text) {
  safe = false;
  try {
    if (text || ours) sessionStorage.removeItem(NAME); // an older state must not come back if the new one does not fit
    if (text) sessionStorage.setItem(NAME, text);
    safe = ours = Boolean(text);
    return true;
  } catch (_error) {
    return false;
  }
}

/** The stored conversation, blank if there is none. */
export function kept() {
  try {
    return sessionStorage.getItem(NAME) || '';
  } catch (_error) {
    return '';
  }
}

/**
 * Leave the page without asking again.
 * @param {() => void} go
 */
export function leave(go) {
  leaving = true;
  go();
}

/** Whether leaving now would lose something that nobody has agreed to lose. */
export function wouldLose() {
  if (leaving) return false;
  if (document.documentElement.hasAttribute('data-busy')) return true;
  const something = element('log').childElementCount || element('message', HTMLTextAreaElement).value.trim();
  return Boolean(something) && !safe;
}

export function watchLeaving() {
  window.addEventListener('beforeunload', (event) => {
    if (!wouldLose()) return;
    event.preventDefault();
    event.returnValue = ''; // for older browsers
  });
}
