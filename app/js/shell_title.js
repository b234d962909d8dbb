/**
 * The title of the tab, for a person who looks at another tab meanwhile.
 * Rule: it says what happens now, and nothing when nobody waits for it.
 */
import { words } from './shell_words.js';

let name = document.title;
/** @type {'running' | 'waiting' | 'done' | ''} */
let shown = '';

/** @param {string} site */
export function setName(site) {
  name = site;
  setTitle(shown);
}

/** @param {'running' | 'waiting' | 'done' | ''} state */
export function setTitle(state) {
  shown = state;
  const said = { running: words.titleRunning, waiting: words.titleWaiting, done: words.titleDone, '': '' }[state];
  document.title = said ? `${said} · ${name}` : name;
}

document.addEventListener('visibilitychange', () => {
  if (shown === 'done' && !document.hidden) setTitle('');
});
