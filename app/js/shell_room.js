/**
 * The room that the composer takes from the page, for the style sheet.
 * Rule: the style sheet alone decides what is sticky; this script only measures.
 */

const root = document.documentElement;

/** The phone's keyboard covers the page unless the browser makes the page smaller; zooming is no keyboard. */
function watchKeyboard() {
  const view = window.visualViewport;
  if (!view) return;
  const follow = () => {
    const covered = view.scale > 1.01 ? 0 : Math.max(0, window.innerHeight - view.height - view.offsetTop);
    root.style.setProperty('--keyboard', `${Math.round(covered)}px`);
  };
  view.addEventListener('resize', follow);
  view.addEventListener('scroll', follow);
}

/**
 * Keep `--composer` and `--top` (the heights of composer and bar) and `--keyboard` up to date.
 * @param {HTMLElement} composer
 * @param {HTMLElement} bar
 */
export function watchRoom(composer, bar) {
  watchKeyboard();
  if (!window.ResizeObserver) return;
  const measure = () => {
    root.style.setProperty('--composer', `${composer.offsetHeight}px`);
    root.style.setProperty('--top', `${bar.offsetHeight}px`);
  };
  // At first when the page is painted: each change styles the whole page again, and nothing needs the heights yet.
  let painted = false;
  const measured = new ResizeObserver(() => {
    if (painted) measure();
    else requestAnimationFrame(() => setTimeout(measure));
    painted = true;
  });
  measured.observe(composer);
  measured.observe(bar);
}
