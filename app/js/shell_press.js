/**
 * Presses on buttons of panels that are painted again and again.
 * Rule: browsers send no click if the pressed button was replaced before the release; such a press counts all the same.
 * Touch screens need nothing of this, since they send all mouse events after the release.
 */

const SAME = ['action', 'value'];

/**
 * The button of a panel; in the conversation a press is for just the card that was seen.
 * @param {MouseEvent} event
 */
function buttonOf({ target }) {
  const button = target instanceof Element ? target.closest('button[data-action]') : null;
  return button instanceof HTMLButtonElement && !button.closest('[role="log"]') ? button : null;
}

/**
 * @param {HTMLButtonElement} one
 * @param {HTMLButtonElement} other
 */
function alike(one, other) {
  return one.textContent === other.textContent && SAME.every((name) => one.dataset[name] === other.dataset[name]);
}

export function watchPresses() {
  /** @type {HTMLButtonElement | null} */
  let pressed = null;
  document.addEventListener('mousedown', (event) => {
    pressed = event.button === 0 ? buttonOf(event) : null;
  });
  document.addEventListener('mouseup', (event) => {
    const released = buttonOf(event);
    if (pressed && released && !pressed.isConnected && alike(pressed, released)) released.click();
    pressed = null;
  });
}
