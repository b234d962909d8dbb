/**
 * The page until Python has started, and the composer as long as the page is open.
 * Rule: what a person typed is never lost, and a start that fails says so in the page.
 *
 * The shell*.js files become one classic script with the syntax of ES2017, and they call only the functions that ES2017
 * has (tsconfig.shell.json checks this). So a browser that is too old for the other scripts can still say so.
 * Python calls `window.tabloop` (declared in browser/shell.py). This script tells Python about a question or a stop by
 * the events `tabloop:question` and `tabloop:stop` on the document.
 */

import { isFramed } from './framed.js';
import {
  cleared,
  draft,
  edit,
  filled,
  focusField,
  maySend,
  putBack,
  refuse,
  setBusy,
  setWaiting,
  take,
  watchComposer,
  withdraw,
} from './shell_composer.js';
import { element } from './shell_elements.js';
import { watchFrame } from './shell_frame.js';
import { grow, watchGrowth } from './shell_grow.js';
import { keep, kept, leave, watchLeaving, wouldLose } from './shell_keep.js';
import { watchKeys } from './shell_keys.js';
import { watchEnd } from './shell_latest.js';
import { takeLink } from './shell_link.js';
import { newer, watchNetwork } from './shell_newer.js';
import { notes } from './shell_notes.js';
import { settings, settingsFile, spoken } from './shell_opening.js';
import { watchPresses } from './shell_press.js';
import { progress } from './shell_progress.js';
import { question } from './shell_question.js';
import { watchRoom } from './shell_room.js';
import { watchSheet } from './shell_sheet.js';
import { bootFailed, died, fail, ready, watchStart } from './shell_start.js';
import { startWithoutStorage } from './shell_storage.js';
import { words } from './shell_words.js';

const field = element('message', HTMLTextAreaElement);
const log = element('log');

// Chromium sends no request of a page whose address has a user and a password, as links to protected sites may have.
// It knows them by now, and `location` is the address without them.
const WITH_USER = /^(https?:\/\/)[^/]*@/;
if (WITH_USER.test(document.URL)) location.replace(location.href.replace(WITH_USER, '$1'));

startWithoutStorage();
element('no-shell').remove();
watchComposer();
watchKeys();
watchEnd();
watchLeaving();
watchFrame();
watchSheet();
watchPresses();
// browsers with a language model of their own
element('device').hidden = !('LanguageModel' in window);

// Dialog

let usualTitle = '';
let usualText = '';

/**
 * Resolves to true if the person confirms; Escape means no. Without texts the dialog is about a new chat.
 * @param {string} [title]
 * @param {string} [text]
 * @returns {Promise<boolean>}
 */
function confirmDiscard(title, text) {
  const dialog = element('confirm', HTMLDialogElement);
  usualTitle = usualTitle || element('confirm-title').textContent || '';
  usualText = usualText || element('confirm-text').textContent || '';
  element('confirm-title').textContent = title || usualTitle;
  element('confirm-text').textContent = text || usualText;
  return new Promise((resolve) => {
    element('confirm-yes').onclick = () => dialog.close('yes');
    element('confirm-no').onclick = () => dialog.close('no');
    dialog.onclose = () => resolve(dialog.returnValue === 'yes');
    dialog.returnValue = 'no';
    dialog.showModal();
  });
}

// the conversation is not stored, so another language means a new start
element('languages').addEventListener('click', (event) => {
  const elsewhere = event.ctrlKey || event.metaKey || event.shiftKey;
  const link = event.target;
  if (elsewhere || !wouldLose() || !(link instanceof HTMLAnchorElement)) return;
  event.preventDefault();
  confirmDiscard(words.languageTitle, words.languageText).then((yes) => {
    if (yes) leave(() => location.assign(link.href));
  });
});

watchNetwork(confirmDiscard);

/** @typedef {typeof shell} Shell */
const shell = {
  bootFailed,
  /** @param {string} message */
  died(message) {
    died(message);
    setBusy(false);
  },
  fail,
  progress,
  ready,
  setBusy,
  refuse,
  maySend,
  setWaiting,
  focusField,
  confirmDiscard,
  take,
  edit,
  cleared,
  filled,
  putBack,
  question,
  draft,
  keep,
  kept,
  isFramed,
  newer,
  settings,
  spoken,
  settingsFile,
  notes: () => notes,
  asksForCheck: () => new URLSearchParams(location.search).has('check'),
};
window.tabloop = shell;
watchStart(withdraw, refuse);
watchGrowth(log);
takeLink();
watchRoom(element('composer'), element('bar'));
grow(field);
performance.mark('tabloop:shell');
