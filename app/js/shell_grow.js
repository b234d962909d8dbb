/**
 * Makes text areas as tall as their text, up to the `max-height` of the style sheet.
 * Rule: a browser without `field-sizing` shows as much of a text as one that has it. This includes text that nobody
 * typed, such as the prompt on a card, because the person pays for it.
 */
const byStyle = Boolean(window.CSS && CSS.supports('field-sizing', 'content'));

/** @param {HTMLTextAreaElement} area */
export function grow(area) {
  if (byStyle) return;
  area.style.height = 'auto';
  const edges = area.offsetHeight - area.clientHeight;
  area.style.height = `${area.scrollHeight + edges}px`;
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
  if (byStyle) return;
  document.addEventListener('input', ({ target }) => {
    if (target instanceof HTMLTextAreaElement) grow(target);
  });
  window.addEventListener('resize', () => growAll(document));
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) {
      for (const node of addedNodes) if (node instanceof Element) growAll(node);
    }
  }).observe(log, { childList: true, subtree: true });
}
