/** Between a page and the assistant that embed.js shows in it. Rule: a message has no content but its name. */

/** From the assistant: an Escape that ended nothing there. */
export const CLOSE = 'tabloop:close';

/** Whether a page of another origin has this one in a frame. It could lay something over the buttons. */
export function isFramed() {
  try {
    for (let inner = window; inner.parent !== inner; inner = /** @type {typeof window} */ (inner.parent)) {
      if (inner.parent.location.origin !== location.origin) return true;
    }
    return false;
  } catch (_error) {
    return true;
  }
}
