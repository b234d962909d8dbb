/**
 * The button "Latest": to the end of the conversation.
 * Rule: it is there only while the end is out of sight.
 */
import { focusField } from './shell_composer.js';
import { element } from './shell_elements.js';

const NEAR = 48; // pixels
const root = document.documentElement;

function rest() {
  return root.scrollHeight - window.innerHeight - window.scrollY;
}

export function watchEnd() {
  const button = element('latest');
  let requested = false;
  const look = () => {
    requested = false;
    const near = rest() <= NEAR || !element('log').childElementCount;
    if (near && document.activeElement === button) focusField();
    button.hidden = near;
  };
  const later = () => {
    if (!requested) requestAnimationFrame(look);
    requested = true;
  };
  window.addEventListener('scroll', later, { passive: true });
  window.addEventListener('resize', later);
  if (window.ResizeObserver) new ResizeObserver(later).observe(element('log'));
  button.addEventListener('click', () => {
    const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    window.scrollTo({ top: root.scrollHeight, behavior: calm ? 'auto' : 'smooth' });
  });
}
