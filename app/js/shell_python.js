/**
 * Starts Python: adds the scripts that lie in the template `python`, and the links that load all files side by side.
 * Rule: not before the box to write in is painted and the site's own files are there, because large files would take the
 * line and the processor from both.
 */
import { element } from './shell_elements.js';

const NO_FRAME_MS = 300; // a page that nobody sees, such as a tab in the background, is not painted

const painted = new Promise((resolve) => {
  requestAnimationFrame(() => setTimeout(resolve));
  setTimeout(resolve, NO_FRAME_MS);
});

function start() {
  const scripts = document.importNode(element('python', HTMLTemplateElement).content, true);
  for (const script of scripts.querySelectorAll('script')) {
    if (script.type === 'module') script.async = false; // they run in their order
  }
  document.body.appendChild(scripts);
}

export function startPython() {
  painted.then(start);
}
