/**
 * Requests to a wallet (EIP-1193), and the check of each value that it answers.
 * Rule: a wallet gets one request at a time, because it shows one window and refuses the other requests. What it
 * answers is `unknown` until it is checked here.
 */
import { WalletError } from './x402_error.js';

/**
 * @import { Hex } from 'viem'
 * @typedef {{ method: string, params?: unknown[] }} ProviderRequest
 * @typedef {object} Provider a wallet
 * @property {(asked: ProviderRequest) => Promise<unknown>} request
 * @property {(event: string, listener: (value: unknown) => void) => void} [on]
 */

const ANSWERS_WITHIN_MS = 30_000;
/** What a wallet shows a person, who may take any time. */
const SHOWN = /^(eth_requestAccounts|eth_sendTransaction|eth_sign.*|personal_sign|wallet_.*)$/;

/** @type {Map<Provider, Promise<unknown>>} the last request to each wallet; it never fails */
let last = new Map();
/** @type {Set<(error: WalletError) => void>} each of them ends the wait for one answer */
const waiting = new Set();

/**
 * Send a request when the one before is answered. Throws WalletError.
 * @param {Provider} provider
 * @param {string} method
 * @param {unknown[]} [params]
 * @returns {Promise<unknown>}
 */
export function ask(provider, method, params) {
  const requests = last;
  const before = requests.get(provider) ?? Promise.resolve();
  const answer = before
    .then(() => requests === last && answered(method, provider.request(params ? { method, params } : { method })))
    .catch((error) => {
      throw walletError(error);
    });
  requests.set(
    provider,
    answer.catch(() => {}),
  );
  return new Promise((resolve, reject) => {
    waiting.add(reject);
    answer.then(resolve, reject).finally(() => waiting.delete(reject));
  });
}

/**
 * The answer, which must come in time unless a person is asked: an extension whose background process has ended, or a
 * node that hangs, never answers, and all later requests would wait for it.
 * @param {string} method
 * @param {unknown} answer
 */
function answered(method, answer) {
  if (SHOWN.test(method)) return answer;
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new WalletError('-32002', `no answer to ${method}`)), ANSWERS_WITHIN_MS);
    Promise.resolve(answer)
      .finally(() => clearTimeout(late))
      .then(resolve, reject);
  });
}

/**
 * Let every wait for an answer fail with this code. A wallet may never answer, and no request can be taken back.
 * Requests that were to follow are not sent, so that the wallet opens no other window.
 * @param {string} [code]
 */
export function abandon(code = '-32002') {
  last = new Map();
  for (const fail of waiting) fail(new WalletError(code));
  waiting.clear();
}

/**
 * Listen to a wallet. One that refuses is used all the same: it is asked for its account before each signature.
 * @param {Provider} provider
 * @param {string} event
 * @param {(value: unknown) => void} listener
 */
export function listen(provider, event, listener) {
  try {
    provider.on?.(event, listener);
  } catch {
    // nothing that a person could do
  }
}

/**
 * A wallet may throw anything. Reading from it may itself throw.
 * @param {any} error
 */
function walletError(error) {
  try {
    // some wallets wrap the error that has the code
    const code = error?.data?.originalError?.code ?? error?.code ?? error?.cause?.code ?? 'wallet_failed';
    const words = error?.data?.message ?? error?.message ?? error;
    return new WalletError(code === 'ACTION_REJECTED' ? '4001' : code, String(words));
  } catch {
    return new WalletError('wallet_failed', 'an error that cannot be read');
  }
}

/**
 * @param {unknown} value
 * @returns {value is Hex}
 */
const isHex = (value) => typeof value === 'string' && /^0x[0-9a-f]*$/i.test(value);

/**
 * @param {unknown} value
 * @returns {value is Hex}
 */
const isAddress = (value) => isHex(value) && value.length === 42;

/**
 * The accounts in what a wallet gave as a list of them; none if it is no such list.
 * @param {unknown} value
 * @returns {Hex[]}
 */
export const accountsIn = (value) => (Array.isArray(value) && value.every(isAddress) ? value : []);

/**
 * The number of a chain, which some wallets write as a number; NaN if it is none.
 * @param {unknown} value
 */
export const chainIdIn = (value) => (typeof value === 'string' || typeof value === 'number' ? Number(value) : NaN);

/**
 * As `ask`, for an answer in hexadecimal: a signature, a hash, data of a contract.
 * @param {Provider} provider
 * @param {string} method
 * @param {unknown[]} params
 */
export async function askHex(provider, method, params) {
  const answer = await ask(provider, method, params);
  if (!isHex(answer)) throw new WalletError('wallet_failed', `the answer to ${method} is not hexadecimal`);
  return answer;
}
