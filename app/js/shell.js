/**
 * The page before Python, and the composer for the whole life of the page.
 * Rule: what a person typed is never lost, and a start that fails says so in the page.
 *
 * Kept to syntax of 2017 and to classic scripts, so that a browser too old for the rest can still say so.
 * Python talks to it through `window.tabloop`; it talks to Python through the events
 * `tabloop:question` and `tabloop:stop` on the document.
 */
import { grow, watchGrowth } from './shell_grow.js';
import { bootFailed, died, fail, ready, watchStart } from './shell_start.js';
import { startWithoutStorage } from './shell_storage.js';
import { speak, words } from './shell_words.js';

const root = document.documentElement;
const at = (id) => document.getElementById(id);
const form = at('composer');
const field = at('message');
const log = at('log');

startWithoutStorage();
speak();
at('no-shell').remove();
const hint = at('hint').textContent;
const starting = at('status').textContent;

// Composer

const queue = []; // {text, article}: asked, and not yet taken over by Python
let busy = false;
let waiting = false; // for the person, who has a card to confirm or to cancel
let composing = false;
let refusal = ''; // why nothing can be sent now

/** Back to typing, without leaving what one reads. */
function focusField() {
  field.focus({ preventScroll: true });
}

function remark(text) {
  at('hint').textContent = text || refusal || hint;
  at('hint').toggleAttribute('data-urgent', Boolean(text || refusal));
}

/** Send is off and says why, until `why` is blank. What is typed stays, and can be changed. */
function refuse(why) {
  refusal = why;
  at('send').setAttribute('aria-disabled', String(Boolean(why)));
  remark('');
}

function setBusy(on) {
  busy = on;
  if ([at('send'), at('stop')].indexOf(document.activeElement) >= 0) focusField();
  at('send').hidden = on;
  at('stop').hidden = !on;
  root.toggleAttribute('data-busy', on);
  if (!on) remark('');
}

function setWaiting(on) {
  waiting = on;
  if (!on) remark('');
}

function toEnd() {
  window.scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' });
}

/** Put the question into the log and into the queue. */
function ask(text) {
  const article = at('user-article').content.firstElementChild.cloneNode(true);
  article.querySelector('p').textContent = text;
  log.append(article);
  at('welcome').hidden = true;
  queue.push({ text, article });
  setBusy(true);
  if (root.dataset.app === 'booting') at('status').textContent = words.queued;
  toEnd();
  document.dispatchEvent(new CustomEvent('tabloop:question'));
}

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

/** Give a text back, but never over one that was typed since. */
function giveBack(text) {
  if (!field.value.trim()) field.value = text;
  grow(field);
}

function withdraw() {
  for (const { text, article } of queue.splice(0)) {
    article.remove();
    giveBack(text);
  }
  at('welcome').hidden = log.childElementCount > 0;
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
  // 229: Safari ends the composition before it reports the Enter that ended it
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing || composing || event.keyCode === 229) return;
  event.preventDefault();
  if (!event.repeat) send();
});
at('stop').addEventListener('click', (event) => {
  if (event.detail > 1) return; // the second half of a double click on Send
  if (queue.length) {
    withdraw();
    if (root.dataset.app === 'booting') at('status').textContent = starting;
  } else {
    document.dispatchEvent(new CustomEvent('tabloop:stop'));
  }
});
for (const example of document.querySelectorAll('[data-example]')) {
  example.addEventListener('click', () => {
    if (maySend()) {
      focusField();
      ask(example.textContent.trim());
    }
  });
}

// Side sheet, dialog, phone keyboard

function openSide(on) {
  root.dataset.side = on ? 'open' : 'closed';
  at('menu').setAttribute('aria-expanded', String(on));
}

at('menu').addEventListener('click', () => openSide(root.dataset.side !== 'open'));
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || root.dataset.side !== 'open') return;
  openSide(false);
  at('menu').focus();
});
document.querySelector('main').addEventListener('pointerdown', () => openSide(false));

const confirmTitle = at('confirm-title').textContent;
const confirmText = at('confirm-text').textContent;

/** Resolves to true when the person confirms; Escape means no. Without words it is about a new chat. */
function confirmDiscard(title, text) {
  const dialog = at('confirm');
  at('confirm-title').textContent = title || confirmTitle;
  at('confirm-text').textContent = text || confirmText;
  return new Promise((resolve) => {
    at('confirm-yes').onclick = () => dialog.close('yes');
    at('confirm-no').onclick = () => dialog.close('no');
    dialog.onclose = () => resolve(dialog.returnValue === 'yes');
    dialog.returnValue = 'no';
    dialog.showModal();
  });
}

// nothing is stored, so another language means another start
at('language').addEventListener('click', (event) => {
  const elsewhere = event.ctrlKey || event.metaKey || event.shiftKey;
  if (elsewhere || !(log.childElementCount || field.value.trim())) return;
  event.preventDefault();
  const { href } = event.currentTarget;
  confirmDiscard(words.languageTitle, words.languageText).then((yes) => {
    if (yes) location.assign(href);
  });
});

if (window.visualViewport) {
  const follow = () => {
    const view = window.visualViewport;
    const covered = view.scale > 1.01 ? 0 : Math.max(0, window.innerHeight - view.height - view.offsetTop);
    root.style.setProperty('--keyboard', Math.round(covered) + 'px');
  };
  window.visualViewport.addEventListener('resize', follow);
  window.visualViewport.addEventListener('scroll', follow);
}

window.tabloop = {
  bootFailed,
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
  /** The oldest question that waits, as {text, article}, or undefined. */
  take: () => queue.shift(),
};
watchStart(withdraw, refuse);
watchGrowth(log);
grow(field);
performance.mark('tabloop:shell');
