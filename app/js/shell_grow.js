/**
 * Text areas as tall as their text, up to the style's `max-height`.
 * Rule: in a browser without `field-sizing` a person sees as much of a text as in one that has it, also of a text that
 * nobody typed: the prompt on a card is what one pays for.
 */
const byStyle = Boolean(window.CSS && CSS.supports('field-sizing', 'content'));

export function grow(area) {
  if (byStyle) return;
  area.style.height = 'auto';
  const edges = area.offsetHeight - area.clientHeight;
  area.style.height = area.scrollHeight + edges + 'px';
}

function growAll(scope) {
  for (const area of scope.querySelectorAll('textarea')) grow(area);
}

/** From now on, whoever puts a text area into `log`, and whatever is typed anywhere. */
export function watchGrowth(log) {
  if (byStyle) return;
  document.addEventListener('input', ({ target }) => {
    if (target.tagName === 'TEXTAREA') grow(target);
  });
  window.addEventListener('resize', () => growAll(document));
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) {
      for (const node of addedNodes) if (node.nodeType === Node.ELEMENT_NODE) growAll(node);
    }
  }).observe(log, { childList: true, subtree: true });
}
