/**
 * How the start ends: ready, failed, or slow.
 * Rule: a start that fails says why in the page within 20 seconds, and the first cause that was named stays.
 */
import { findBroken } from './shell_files.js';
import { missingNeed } from './shell_needs.js';
import { say, words } from './shell_words.js';

const SLOW_AFTER_MS = 17000; // a sentence has to be there within 20 s

const root = document.documentElement;
const at = (id) => document.getElementById(id);

let giveBackQuestion = () => {};
let refuse = () => {};
let failure = ''; // the first cause that was named; those that follow from it are noise

function show(sentence, remedy) {
  const box = at('failure');
  box.textContent = '';
  for (const text of [sentence, remedy]) {
    if (text) box.appendChild(document.createElement('p')).textContent = text;
  }
  box
    .appendChild(at('failure-reload').content.firstElementChild.cloneNode(true))
    .addEventListener('click', () => location.reload());
  box.hidden = false;
  if (root.dataset.app !== 'ready') box.parentNode.prepend(box); // nothing else on the page matters as much
  root.dataset.app = 'failed';
  refuse(words.notStarted);
  box.scrollIntoView({ block: 'nearest' });
}

/** The start is over: say why, and hand a waiting question back. */
export function fail(sentence, remedy) {
  if (failure || root.dataset.app === 'ready') return;
  failure = sentence;
  giveBackQuestion();
  show(sentence, remedy);
  at('status').textContent = words.failedStatus;
}

export function bootFailed({ file, status, message }) {
  const reason = status && status !== 200 ? 'HTTP ' + status : message || words.noReason;
  fail(say('fileFailed', { file, reason }), words.fileHint);
}

function allow(on) {
  for (const element of document.querySelectorAll('[data-needs-python]')) element.disabled = !on;
}

/** Nothing that only Python can do may look as if it could be done. Texts stay readable, and can be copied. */
function freeze() {
  allow(false);
  for (const part of document.querySelectorAll('#side, #log, #welcome')) {
    for (const element of part.querySelectorAll('button, select, input')) element.disabled = true;
    for (const element of part.querySelectorAll('textarea')) element.readOnly = true;
  }
  if (at('confirm').open) at('confirm').close('no');
}

/** Python has taken over. It may come later than the sentence about a slow start, which then goes away. */
export function ready() {
  failure = '';
  at('failure').hidden = true;
  at('composer').before(at('failure')); // where a fault of a later moment is seen
  refuse('');
  allow(true);
  root.dataset.app = 'ready';
  performance.mark('tabloop:ready');
}

/** Python has ended in the middle of its work. What stands on the page stays there; nothing more can come. */
export function died(message) {
  if (booting()) {
    fail(say('crashed', { message }), words.fileHint);
    return;
  }
  show(say('died', { message: String(message).split('\n')[0].slice(0, 200) }), words.diedHint);
  refuse(words.diedStatus);
  freeze();
  at('status').textContent = words.diedStatus;
}

/** Name the file that is broken; where each comes now, the fault as the browser told it, or the script that failed. */
function explain(suspect, message) {
  findBroken([suspect], (type) => say('sentAs', { type })).then((broken) => {
    if (broken) bootFailed(broken);
    else if (message) fail(say('crashed', { message }), words.fileHint);
    else bootFailed({ file: suspect.split('/').pop(), status: 0, message: '' });
  });
}

/** PyScript asks its CDN where it finds no interpreter of ours, and our policy refuses: the settings are unreadable. */
function isForeign(address) {
  return /^https?:/.test(address) && address.indexOf(location.origin) !== 0;
}

function settingsBroken() {
  fail(words.settingsBroken, words.settingsHint);
}

const booting = () => root.dataset.app !== 'ready' && !failure;

/** Watch the start; `withdraw` hands a question that waits back to the person, `refuseToSend` says why. */
export function watchStart(withdraw, refuseToSend) {
  giveBackQuestion = withdraw;
  refuse = refuseToSend;
  window.addEventListener(
    'error',
    (event) => {
      if (!booting()) return;
      const source = event.target && event.target.tagName === 'SCRIPT' && event.target.src;
      if (source) explain(source, '');
      else if (event.message) fail(say('crashed', { message: event.message }), words.fileHint);
    },
    true,
  );
  window.addEventListener('unhandledrejection', (event) => {
    if (!booting()) return;
    const reason = event.reason || {};
    const message = String(reason.message || reason)
      .trim()
      .split('\n')
      .pop();
    const [address] = /https?:[^\s'"]+/.exec(message) || [''];
    if (isForeign(address)) settingsBroken();
    // what the boot module names itself comes a moment later
    setTimeout(() => {
      if (booting()) explain(address, message);
    }, 1500);
  });
  document.addEventListener('securitypolicyviolation', (event) => {
    const what = event.effectiveDirective || event.violatedDirective || '';
    const ours = event.blockedURI.indexOf(location.origin) === 0 || /eval/.test(event.blockedURI);
    if (booting() && /^script-src/.test(what) && isForeign(event.blockedURI)) settingsBroken();
    if (booting() && ours && /^(script|connect|worker|default)-src/.test(what)) {
      fail(say('policy', { what: what + ' ' + event.blockedURI }), words.policyHint);
    }
  });
  setTimeout(() => {
    if (!booting()) return;
    show(words.slow);
  }, SLOW_AFTER_MS);

  const missing = missingNeed();
  if (missing && missing.off) fail(say('switchedOff', missing), words.switchedOffHint);
  else if (missing) fail(say('oldBrowser', missing));
}
