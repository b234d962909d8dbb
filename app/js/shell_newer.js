/**
 * Says that there is a newer build, and that there is no network.
 * Rule: the page is reloaded only by the person, who is asked first where something would be lost.
 */
import { element } from './shell_elements.js';
import { leave, wouldLose } from './shell_keep.js';
import { words } from './shell_words.js';

/** @param {(title: string, text: string) => Promise<boolean>} confirm */
export function watchNetwork(confirm) {
  const note = element('offline');
  const look = () => {
    note.hidden = navigator.onLine !== false;
  };
  window.addEventListener('online', look);
  window.addEventListener('offline', look);
  look();
  element('renew').addEventListener('click', () => {
    const agreed = wouldLose() ? confirm(words.renewTitle, words.renewText) : Promise.resolve(true);
    agreed.then((yes) => {
      if (yes) leave(() => location.reload());
    });
  });
}

/** A newer build is there. The status line, the one that is spoken, says so unless it tells of a run. */
export function newer() {
  element('newer').hidden = false;
  if (!document.documentElement.hasAttribute('data-busy')) element('status').textContent = words.newer;
}
