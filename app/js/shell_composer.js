/**
 * The composer: what is typed, sent, given back, and edited again.
 * Rule: what a person typed is never lost, neither a question that cannot be sent nor a draft that makes room.
 */
import { element } from './shell_elements.js';
import { fill } from './shell_grow.js';
import { question } from './shell_question.js';
import { setTitle } from './shell_title.js';
import { words } from './shell_words.js';

const root = document.documentElement;
const field = element('message', HTMLTextAreaElement);
const log = element('log');

/** @type {{ text: string, article: HTMLElement, replaces: boolean }[]} */
const queue = []; // asked, and not yet taken over by Python
let hint = '';
let starting = '';
let busy = false;
let waiting = false; // the person has to confirm or cancel a card
let editing = false;
let aside = ''; // what stood in the field before the question that is edited
let refusal = ''; // why nothing can be sent now

/** Put the cursor into the field, without scrolling away from what the person reads. */
export function focusField() {
  field.focus({ preventScroll: true });
}

/**
 * Show a text below the field. A blank one shows why nothing can be sent, or else the usual hint.
 * @param {string} text
 */
function remark(text) {
  const line = element('hint');
  const urgent = text || refusal;
  // A screen reader says why an Enter did nothing. The usual hint belongs to the field and is said with it, and the
  // failure behind a lasting refusal has an alert of its own.
  if (text) line.setAttribute('role', 'alert');
  else line.removeAttribute('role');
  line.toggleAttribute('data-urgent', Boolean(urgent));
  line.textContent = urgent || hint;
}

/**
 * Refuse to send, and say why, until `why` is blank. What is typed stays and can be changed.
 * @param {string} why
 */
export function refuse(why) {
  refusal = why;
  element('send').setAttribute('aria-disabled', String(Boolean(why)));
  remark('');
}

/** @param {boolean} on whether an answer is being written */
export function setBusy(on) {
  if (busy !== on) setTitle(on ? 'running' : 'done');
  busy = on;
  if (document.activeElement === element('send') || document.activeElement === element('stop')) focusField();
  element('send').hidden = on;
  element('stop').hidden = !on;
  root.toggleAttribute('data-busy', on);
  if (!on) remark('');
}

/** @param {boolean} on whether the person has to confirm or cancel a card */
export function setWaiting(on) {
  if (waiting !== on && busy) setTitle(on ? 'waiting' : 'running');
  waiting = on;
  root.toggleAttribute('data-waiting', on);
  if (!on) remark('');
}

function toEnd() {
  window.scrollTo({ top: root.scrollHeight, behavior: 'instant' });
}

/**
 * Put the question into the log and into the queue. `replaces`: instead of the newest one, which Python removes.
 * @param {string} text
 * @param {boolean} replaces
 */
function ask(text, replaces) {
  const article = question(text);
  log.append(article);
  element('welcome').hidden = true;
  queue.push({ text, article, replaces });
  setBusy(true);
  if (root.dataset.app === 'booting') element('status').textContent = words.queued;
  toEnd();
  document.dispatchEvent(new CustomEvent('tabloop:question'));
}

/** The oldest question that waits, or undefined. */
export function take() {
  return queue.shift();
}

/** Whether a question can be sent now; if not, the page says why. */
export function maySend() {
  if (busy) remark(waiting ? words.waiting : words.busy);
  else if (refusal) remark(refusal);
  else return true;
  return false;
}

function send() {
  const text = field.value.trim();
  if (!text || !maySend()) return;
  const replaces = editing;
  fill(field, '');
  endEditing();
  ask(text, replaces);
}

/**
 * Put a text back into the field, unless the person has typed another one there.
 * @param {string} text
 */
export function giveBack(text) {
  if (!field.value.trim()) fill(field, text);
}

/** @param {string[]} texts those that are not blank become paragraphs */
const joined = (...texts) => texts.filter((text) => text.trim()).join('\n\n');

/**
 * Whether a text holds the whole paragraphs of another one.
 * @param {string} text
 * @param {string} part
 */
const holds = (text, part) => `\n\n${text.trim()}\n\n`.indexOf(`\n\n${part.trim()}\n\n`) >= 0;

/**
 * Put a text back into the field, before another one that stands there. A part of it may stand there already: browsers
 * fill in what stood there when a page was left, and a link brings its question again.
 * @param {string} text
 */
export function putBack(text) {
  const there = field.value;
  if (holds(there, text)) return;
  fill(field, holds(text, there) ? text : joined(text, there));
}

/** Give the questions that wait back to the person. */
export function withdraw() {
  for (const { text, article } of queue.splice(0)) {
    article.remove();
    putBack(text);
  }
  element('welcome').hidden = log.childElementCount > 0;
  setBusy(false);
  setTitle('');
}

/** The draft that had made room for the question returns into an empty field. */
function endEditing() {
  editing = false;
  element('editing').hidden = true;
  giveBack(aside);
  aside = '';
}

/**
 * Put the newest question into the field; the next text that is sent replaces it.
 * @param {string} text
 */
export function edit(text) {
  if (!editing) aside = field.value;
  editing = true;
  element('editing').hidden = false;
  fill(field, text);
  focusField();
  field.setSelectionRange(text.length, text.length);
}

function keepQuestion() {
  fill(field, '');
  endEditing();
  focusField();
}

/** The log holds a conversation again: one that was kept, or a cleared one that the person wants back. */
export function filled() {
  element('welcome').hidden = true;
}

/** What stands in the field, after a draft that made room for it. */
export function draft() {
  return aside.trim() ? joined(aside, field.value) : field.value;
}

/** Show the empty conversation of a new chat. What is typed stays. */
export function cleared() {
  if (editing && aside.trim()) fill(field, draft());
  aside = '';
  endEditing();
  element('welcome').hidden = log.childElementCount > 0;
  setTitle('');
}

function stop() {
  if (queue.length) {
    withdraw();
    if (root.dataset.app === 'booting') element('status').textContent = starting;
  } else {
    document.dispatchEvent(new CustomEvent('tabloop:stop'));
  }
}

/** Escape ends the editing, or else the answer. Returns whether there was something to end. */
export function endByEscape() {
  if (!editing && !busy) return false;
  if (editing) keepQuestion();
  else stop();
  return true;
}

/** @param {KeyboardEvent} event */
function pressed(event) {
  // 229: Safari reports the Enter that ends a composition after the composition has ended. Its events are not counted,
  // because a text that is put into the field ends a composition without an event.
  if (event.isComposing || event.keyCode === 229) return;
  if (event.key === 'ArrowUp' && !field.value && !event.shiftKey && !busy) {
    const buttons = log.querySelectorAll('[data-action="edit"]');
    const newest = buttons[buttons.length - 1];
    if (!(newest instanceof HTMLElement)) return;
    event.preventDefault();
    newest.click();
  }
  if (event.key !== 'Enter' || event.shiftKey) return;
  event.preventDefault();
  if (!event.repeat) send();
}

/** The page is in its language now: the usual texts are those in it. */
export function translated() {
  hint = element('hint').textContent || '';
  starting = element('status').textContent || '';
  remark('');
}

export function watchComposer() {
  element('send').addEventListener('click', send);
  field.addEventListener('input', () => remark(''));
  field.addEventListener('keydown', pressed);
  element('stop').addEventListener('click', (event) => {
    if (event.detail < 2) stop(); // not the second half of a double click on Send
  });
  element('keep-question').addEventListener('click', keepQuestion);
  element('examples').addEventListener('click', ({ target }) => {
    const example = target instanceof Element && target.closest('[data-example]');
    if (!example || !maySend()) return;
    focusField();
    ask((example.textContent || '').trim(), false);
  });
}
