/**
 * The page until Python has started, and the composer as long as the page is open.
 * Rule: what a person typed is never lost, and a start that fails says so in the page.
 *
 * The shell*.js files become one classic script with the syntax of ES2017, and they call only the functions that ES2017
 * has (tsconfig.shell.json checks this). So a browser that is too old for the other scripts can still say so.
 * Python calls `window.tabloop` (declared in browser/shell.py). This script tells Python about a question or a stop by
 * the events `tabloop:question` and `tabloop:stop` on the document.
 */
import { copyOf, element } from './shell_elements.js';
import { grow, watchGrowth } from './shell_grow.js';
import { bootFailed, died, fail, ready, watchStart } from './shell_start.js';
import { startWithoutStorage } from './shell_storage.js';
import { speak, words } from './shell_words.js';

const root = document.documentElement;
const form = element('composer');
const field = element('message', HTMLTextAreaElement);
const log = element('log');

startWithoutStorage();
speak();
element('no-shell').remove();
const hint = element('hint').textContent;
const starting = element('status').textContent;

// Composer

/** @type {{ text: string, article: HTMLElement }[]} */
const queue = []; // asked, and not yet taken over by Python
let busy = false;
let waiting = false; // the person has to confirm or cancel a card
let composing = false;
let refusal = ''; // why nothing can be sent now

/** Put the cursor into the field, without scrolling away from what the person reads. */
function focusField() {
  field.focus({ preventScroll: true });
}

/**
 * Show a text below the field. A blank one shows why nothing can be sent, or else the usual hint.
 * @param {string} text
 */
function remark(text) {
  element('hint').textContent = text || refusal || hint;
  element('hint').toggleAttribute('data-urgent', Boolean(text || refusal));
}

/**
 * Refuse to send, and say why, until `why` is blank. What is typed stays and can be changed.
 * @param {string} why
 */
function refuse(why) {
  refusal = why;
  element('send').setAttribute('aria-disabled', String(Boolean(why)));
  remark('');
}

/** @param {boolean} on whether an answer is being written */
function setBusy(on) {
  busy = on;
  if (document.activeElement === element('send') || document.activeElement === element('stop')) focusField();
  element('send').hidden = on;
  element('stop').hidden = !on;
  root.toggleAttribute('data-busy', on);
  if (!on) remark('');
}

/** @param {boolean} on whether the person has to confirm or cancel a card */
function setWaiting(on) {
  waiting = on;
  if (!on) remark('');
}

function toEnd() {
  window.scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' });
}

/**
 * Put the question into the log and into the queue.
 * @param {string} text
 */
function ask(text) {
  const article = copyOf('user-article');
  for (const paragraph of article.querySelectorAll('p')) paragraph.textContent = text;
  log.append(article);
  element('welcome').hidden = true;
  queue.push({ text, article });
  setBusy(true);
  if (root.dataset.app === 'booting') element('status').textContent = words.queued;
  toEnd();
  document.dispatchEvent(new CustomEvent('tabloop:question'));
}

/** Whether a question can be sent now; if not, the page says why. */
function maySend() {
  if (busy) remark(waiting ? words.waiting : words.busy);
  else if (refusal) remark(refusal);
  else return true;
  return false;
}

function send() {
  const text = field.value.trim();
  if (!text || !maySend()) return;
  field.value = '';
  grow(field);
  ask(text);
}

/**
 * Put a text back into the field, unless the person has typed another one there.
 * @param {string} text
 */
function giveBack(text) {
  if (!field.value.trim()) field.value = text;
  grow(field);
}

/** Give the questions that wait back to the person. */
function withdraw() {
  for (const { text, article } of queue.splice(0)) {
    article.remove();
    giveBack(text);
  }
  element('welcome').hidden = log.childElementCount > 0;
  setBusy(false);
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  send();
});
field.addEventListener('input', () => remark(''));
field.addEventListener('compositionstart', () => {
  composing = true;
});
field.addEventListener('compositionend', () => {
  composing = false;
});
field.addEventListener('keydown', (event) => {
  // 229: Safari reports the Enter that ends a composition after the composition has ended
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing || composing || event.keyCode === 229) return;
  event.preventDefault();
  if (!event.repeat) send();
});
element('stop').addEventListener('click', (event) => {
  if (event.detail > 1) return; // the second half of a double click on Send
  if (queue.length) {
    withdraw();
    if (root.dataset.app === 'booting') element('status').textContent = starting;
  } else {
    document.dispatchEvent(new CustomEvent('tabloop:stop'));
  }
});
for (const example of document.querySelectorAll('[data-example]')) {
  example.addEventListener('click', () => {
    if (maySend()) {
      focusField();
      ask((example.textContent || '').trim());
    }
  });
}

// Side sheet, dialog, phone keyboard

/** @param {boolean} on */
function openSide(on) {
  root.dataset.side = on ? 'open' : 'closed';
  element('menu').setAttribute('aria-expanded', String(on));
}

element('menu').addEventListener('click', () => openSide(root.dataset.side !== 'open'));
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || root.dataset.side !== 'open') return;
  openSide(false);
  element('menu').focus();
});
document.querySelector('main')?.addEventListener('pointerdown', () => openSide(false));

const confirmTitle = element('confirm-title').textContent;
const confirmText = element('confirm-text').textContent;

/**
 * Resolves to true if the person confirms; Escape means no. Without texts the dialog is about a new chat.
 * @param {string} [title]
 * @param {string} [text]
 * @returns {Promise<boolean>}
 */
function confirmDiscard(title, text) {
  const dialog = element('confirm', HTMLDialogElement);
  element('confirm-title').textContent = title || confirmTitle;
  element('confirm-text').textContent = text || confirmText;
  return new Promise((resolve) => {
    element('confirm-yes').onclick = () => dialog.close('yes');
    element('confirm-no').onclick = () => dialog.close('no');
    dialog.onclose = () => resolve(dialog.returnValue === 'yes');
    dialog.returnValue = 'no';
    dialog.showModal();
  });
}

// the conversation is not stored, so another language means a new start
const otherLanguage = element('language', HTMLAnchorElement);
otherLanguage.addEventListener('click', (event) => {
  const elsewhere = event.ctrlKey || event.metaKey || event.shiftKey;
  if (elsewhere || !(log.childElementCount || field.value.trim())) return;
  event.preventDefault();
  confirmDiscard(words.languageTitle, words.languageText).then((yes) => {
    if (yes) location.assign(otherLanguage.href);
  });
});

const view = window.visualViewport;
if (view) {
  const follow = () => {
    const covered = view.scale > 1.01 ? 0 : Math.max(0, window.innerHeight - view.height - view.offsetTop);
    root.style.setProperty('--keyboard', `${Math.round(covered)}px`);
  };
  view.addEventListener('resize', follow);
  view.addEventListener('scroll', follow);
}

/** @typedef {typeof shell} Shell */
const shell = {
  bootFailed,
  /** @param {string} message */
  died(message) {
    died(message);
    setBusy(false);
  },
  fail,
  ready,
  setBusy,
  refuse,
  maySend,
  setWaiting,
  focusField,
  confirmDiscard,
  /** The oldest question that waits, or undefined. */
  take: () => queue.shift(),
};
window.tabloop = shell;
watchStart(withdraw, refuse);
watchGrowth(log);
grow(field);
performance.mark('tabloop:shell');
