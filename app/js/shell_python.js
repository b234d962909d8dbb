/**
 * Starts Python: adds the scripts that lie in the template `python`, and the links that load all files side by side.
 * Rule: not before the page is painted, because large files would take the line and the processor from it.
 */
import { element } from './shell_elements.js';

const NO_FRAME_MS = 300; // a page that nobody sees, such as a tab in the background, is not painted

export function startPython() {
  let started = false;
  const start = () => {
    if (started) return;
    started = true;
    const scripts = document.importNode(element('python', HTMLTemplateElement).content, true);
    for (const script of scripts.querySelectorAll('script')) {
      if (script.type === 'module') script.async = false; // they run in their order
    }
    document.body.appendChild(scripts);
  };
  requestAnimationFrame(() => setTimeout(start));
  setTimeout(start, NO_FRAME_MS);
}
