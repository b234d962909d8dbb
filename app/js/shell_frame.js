/** The page inside another page: what is off there, and how Escape reaches the dialog around it (embed.js). */
import { CLOSE, isFramed } from './framed.js';
import { focusField } from './shell_composer.js';
import { element } from './shell_elements.js';

/** Inside another site's page: say what is off, with a link to a tab of its own. */
export function watchFrame() {
  // while the dialog is closed nothing in it can have the focus
  window.addEventListener('focus', () => {
    if (window.parent !== window && document.activeElement === document.body) focusField();
  });
  if (!isFramed()) return;
  element('framed-open', HTMLAnchorElement).href = location.href;
  element('framed').hidden = false;
}

/** An Escape that ends nothing here. The message says nothing else, so it may go to any origin. */
export function escapeFrame() {
  if (window.parent !== window) window.parent.postMessage(CLOSE, '*');
}
