/**
 * How the start ends: ready, failed, or slow.
 * Rule: a start that fails says why in the page, and one that stands still says so after 20 seconds. The first cause
 * stays; later ones follow from it.
 */
import { copyOf, element } from './shell_elements.js';
import { findBroken } from './shell_files.js';
import { missingNeed } from './shell_needs.js';
import { endProgress, watchMoves } from './shell_progress.js';
import { say, words } from './shell_words.js';

/** @typedef {import('./shell_files.js').BrokenFile} BrokenFile */

const root = document.documentElement;

let giveBackQuestion = () => {};
/** @type {(why: string) => void} */
let refuse = () => {};
let failure = ''; // the first cause that was named

/**
 * Show the box for failures.
 * @param {string} sentence
 * @param {string} [remedy]
 */
function show(sentence, remedy) {
  fill(sentence, remedy);
  root.dataset.app = 'failed';
  refuse(words.notStarted);
  endProgress();
}

/**
 * Put sentences and "Reload" into the box for failures.
 * @param {string} sentence
 * @param {string} [remedy]
 */
function fill(sentence, remedy) {
  const box = element('failure');
  box.textContent = '';
  for (const text of [sentence, remedy]) {
    if (text) box.appendChild(document.createElement('p')).textContent = text;
  }
  box.appendChild(copyOf('failure-reload')).addEventListener('click', () => location.reload());
  box.hidden = false;
  if (root.dataset.app !== 'ready') box.parentElement?.prepend(box); // nothing else on the page is as important
  box.scrollIntoView({ block: 'nearest' });
}

/**
 * End the start: say why, and give a waiting question back to the person.
 * @param {string} sentence
 * @param {string} [remedy]
 */
export function fail(sentence, remedy) {
  if (failure || root.dataset.app === 'ready') return;
  failure = sentence;
  giveBackQuestion();
  show(sentence, remedy);
  element('status').textContent = words.failedStatus;
}

/**
 * End the start because of a file.
 * @param {BrokenFile} broken
 */
export function bootFailed({ file, status, message }) {
  const reason = status && status !== 200 ? `HTTP ${status}` : message || words.noReason;
  fail(say('fileFailed', { file, reason }), words.fileHint);
}

/** @param {boolean} on whether what needs Python can be used */
function allow(on) {
  for (const control of document.querySelectorAll('[data-needs-python]')) control.toggleAttribute('disabled', !on);
}

/** Disable everything that needs Python. Texts stay readable and can be copied. */
function freeze() {
  allow(false);
  for (const part of document.querySelectorAll('#side, #log, #welcome')) {
    for (const control of part.querySelectorAll('button, select, input')) control.toggleAttribute('disabled', true);
    for (const area of part.querySelectorAll('textarea')) area.readOnly = true;
  }
  const dialog = element('confirm', HTMLDialogElement);
  if (dialog.open) dialog.close('no');
}

let usual = ''; // what the status line says while something moves

/** @param {boolean} moving whether something has moved in the last seconds */
function onMove(moving) {
  const status = element('status');
  if (!booting()) return;
  if (!moving) {
    usual = status.textContent || '';
    status.textContent = words.stalledStatus;
    fill(words.stalled);
  } else if (usual) {
    if (status.textContent === words.stalledStatus) status.textContent = usual;
    usual = '';
    element('failure').hidden = true;
  }
}

/** Python has taken over. A sentence about a start that stood still is removed. */
export function ready() {
  failure = '';
  const box = element('failure');
  box.hidden = true;
  element('composer').before(box); // a failure that happens later is seen there
  refuse('');
  endProgress();
  allow(true);
  root.dataset.app = 'ready';
  performance.mark('tabloop:ready');
  document.dispatchEvent(new CustomEvent('tabloop:ready'));
}

/**
 * Python has ended while it worked. What is on the page stays there.
 * @param {string} message
 */
export function died(message) {
  if (booting()) {
    fail(say('crashed', { message }), words.fileHint);
    return;
  }
  show(say('died', { message: String(message).split('\n')[0].slice(0, 200) }), words.diedHint);
  refuse(words.diedStatus);
  freeze();
  element('status').textContent = words.diedStatus;
}

/**
 * Name the file that is broken. If every file loads now, show the browser's message, or else name the suspect.
 * @param {string} suspect address of a file
 * @param {string} message may be blank
 */
function explain(suspect, message) {
  findBroken([suspect], (type) => say('sentAs', { type })).then((broken) => {
    if (broken) bootFailed(broken);
    else if (message) fail(say('crashed', { message }), words.fileHint);
    else bootFailed({ file: suspect.split('/').pop() || suspect, status: 0, message: '' });
  });
}

/**
 * Whether the address is on another server. PyScript asks its CDN if the settings name no interpreter, and our policy
 * forbids it. So a foreign address means that the settings cannot be read.
 * @param {string} address
 */
function isForeign(address) {
  return /^https?:/.test(address) && address.indexOf(location.origin) !== 0;
}

function settingsBroken() {
  fail(words.settingsBroken, words.settingsHint);
}

const booting = () => root.dataset.app !== 'ready' && !failure;

/** @param {ErrorEvent | Event} event */
function onError(event) {
  if (!booting()) return;
  const source = event.target instanceof HTMLScriptElement && event.target.src;
  if (source) explain(source, '');
  else if ('message' in event && event.message) fail(say('crashed', { message: event.message }), words.fileHint);
}

/** @param {PromiseRejectionEvent} event */
function onRejection(event) {
  if (!booting()) return;
  const reason = event.reason || {};
  const message = String(reason.message || reason)
    .trim()
    .split('\n')
    .slice(-1)[0];
  const [address] = /https?:[^\s'"]+/.exec(message) || [''];
  if (isForeign(address)) settingsBroken();
  // boot.js may name the file itself a moment later
  setTimeout(() => {
    if (booting()) explain(address, message);
  }, 1500);
}

/** @param {SecurityPolicyViolationEvent} event */
function onViolation(event) {
  const what = event.effectiveDirective || event.violatedDirective || '';
  const ours = event.blockedURI.indexOf(location.origin) === 0 || /eval/.test(event.blockedURI);
  if (booting() && /^script-src/.test(what) && isForeign(event.blockedURI)) settingsBroken();
  if (booting() && ours && /^(script|connect|worker|default)-src/.test(what)) {
    fail(say('policy', { what: `${what} ${event.blockedURI}` }), words.policyHint);
  }
}

/**
 * Watch the start. `withdraw` gives a waiting question back to the person; `refuseToSend` says why none can be sent.
 * @param {() => void} withdraw
 * @param {(why: string) => void} refuseToSend
 */
export function watchStart(withdraw, refuseToSend) {
  giveBackQuestion = withdraw;
  refuse = refuseToSend;
  window.addEventListener('error', onError, true);
  window.addEventListener('unhandledrejection', onRejection);
  document.addEventListener('securitypolicyviolation', onViolation);
  watchMoves(onMove);

  const missing = missingNeed();
  if (missing?.off) fail(say('switchedOff', { what: missing.what }), words.switchedOffHint);
  else if (missing) fail(say('oldBrowser', { what: missing.what }));
}
