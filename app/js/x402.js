/**
 * Payments from the tab, by x402's SDK: the wallet, the tab's own key and the payment channels.
 * Rule: only text, numbers and booleans cross to Python, and no key is in them.
 *
 * Python decides what may be paid and talks to the servers; this module signs. Python declares what it exports in
 * browser/payment_scripts.py. Offers, payloads, challenges and receipts are JSON. Amounts are in millionths of USDC.
 */
import { ExactEvmScheme } from '@x402/evm/exact/client';
import * as channels from './x402_channels.js';
import { balanceAbi } from './x402_contracts.js';
import { WalletError } from './x402_error.js';
import { toJson } from './x402_json.js';
import * as locks from './x402_locks.js';
import * as provider from './x402_provider.js';
import * as record from './x402_record.js';
import * as signer from './x402_signer.js';
import * as store from './x402_store.js';
import { isAddress } from './x402_viem.js';
import * as wallet from './x402_wallet.js';
import * as ways from './x402_ways_out.js';

/**
 * @import { PaymentRequired, PaymentRequirements } from '@x402/core/types'
 * @import { Hex } from 'viem'
 * @typedef {{ channelId: string, signature: string }} Voucher
 * @typedef {{ validBefore: string }} Authorization
 * @typedef {object} Payload what this module reads of a signed payload, of either scheme
 * @property {'deposit' | 'voucher'} [type]
 * @property {Voucher} [voucher]
 * @property {{ amount: string, authorization: { erc3009Authorization?: Authorization } }} [deposit]
 * @property {Authorization} [authorization]
 * @property {{ payer: Hex }} [channelConfig]
 */

const VERSION = 2;
const MARGIN_S = 6; // the official facilitator refuses a signature that ends in fewer seconds

/**
 * The account's balance of the token.
 * @param {PaymentRequirements} offer
 * @param {Hex} account
 */
function funds(offer, account) {
  const token = { address: /** @type {Hex} */ (offer.asset), abi: balanceAbi };
  return signer
    .signerFor(offer.network, account)
    .readContract({ ...token, functionName: 'balanceOf', args: [account] });
}

/**
 * An offer whose addresses have no typing error: letters of both cases are a checksum.
 * @param {string} text
 * @returns {PaymentRequirements}
 */
function offerIn(text) {
  const offer = JSON.parse(text);
  for (const address of [offer.asset, offer.payTo, offer.extra?.receiverAuthorizer ?? offer.payTo])
    if (!isAddress(address)) throw new WalletError('bad_address', address);
  return offer;
}

/**
 * What an offer would take, as {kind, payer, channel, short_by, funds, left, clock}. The wallet is asked to sign
 * nothing. `clock` is the time of the chain's newest block in seconds of the epoch, 0 if the wallet is not needed.
 * @param {string} offer
 */
export async function plan(offer) {
  const accepted = offerIn(offer);
  const payer = wallet.current();
  if (accepted.scheme === 'exact') return toJson({ kind: 'exact', payer, ...(await wallets(accepted, payer)) });
  const { id, missing, left } = await channels.inspect(accepted, payer);
  const found = { payer, channel: id, left };
  if (missing <= 0n) return toJson({ ...found, kind: 'voucher', short_by: 0, funds: null, clock: 0 });
  return toJson({ ...found, kind: 'deposit', short_by: missing, ...(await wallets(accepted, payer)) });
}

/**
 * What has to be known before the wallet signs.
 * @param {PaymentRequirements} offer
 * @param {Hex} payer
 */
async function wallets(offer, payer) {
  const held = await funds(offer, payer);
  const { ask } = signer.signerFor(offer.network, payer);
  const block = /** @type {{ timestamp?: string } | null} */ (
    await ask('eth_getBlockByNumber', ['latest', false]).catch(() => null)
  );
  return { funds: held, clock: Number(block?.timestamp ?? 0) };
}

/**
 * Whether this voucher has the signature of the channel's last one. Stores the signature.
 * @param {Voucher} voucher
 */
async function signedBefore({ channelId, signature }) {
  const last = await store.read('signed', channelId);
  await store.write('signed', channelId, signature);
  return last === signature;
}

/**
 * Sign for exactly this offer and this deposit: {kind, payload, channel, deposit, valid_until, again}.
 * `valid_until` is in seconds of the epoch, 0 for a payload that does not end.
 * @param {string} offer
 * @param {string} deposit
 * @param {string} payer
 */
export async function sign(offer, deposit, payer) {
  const accepted = offerIn(offer);
  const account = wallet.current();
  if (account.toLowerCase() !== payer.toLowerCase()) throw new WalletError('account_changed');
  const exact = accepted.scheme === 'exact';
  const scheme = exact
    ? new ExactEvmScheme(signer.signerFor(accepted.network, account))
    : channels.batchScheme(accepted.network, account, BigInt(deposit));
  const signed = await scheme.createPaymentPayload(VERSION, accepted);
  const payload = /** @type {Payload} */ (signed.payload);
  return toJson({
    kind: exact ? 'exact' : payload.type,
    payload,
    valid_until: validUntil(payload),
    channel: payload.voucher?.channelId ?? '',
    deposit: payload.deposit?.amount ?? '0',
    again: payload.voucher ? await signedBefore(payload.voucher) : false,
  });
}

/**
 * When the wallet's signature ends. The person may have confirmed so late that the server would refuse it.
 * @param {Payload} payload
 */
function validUntil({ authorization, deposit }) {
  const { validBefore = 0 } = authorization ?? deposit?.authorization.erc3009Authorization ?? {};
  const end = Number(validBefore);
  if (end && end <= Date.now() / 1000 + MARGIN_S) throw new WalletError('signature_expired');
  return end;
}

/**
 * Update the channel's state by a receipt.
 * @param {string} offer
 * @param {string} payload
 * @param {string} receipt
 */
export async function settled(offer, payload, receipt) {
  /** @type {PaymentRequirements} */
  const accepted = JSON.parse(offer);
  if (accepted.scheme === 'exact') return;
  const sent = JSON.parse(payload);
  await channels.batchScheme(accepted.network, sent.channelConfig.payer).schemeHooks.onPaymentResponse?.({
    settleResponse: JSON.parse(receipt),
    paymentPayload: { x402Version: VERSION, accepted, payload: sent },
    requirements: accepted,
  });
}

/**
 * Correct the channel's state by the server's proof and the chain. Returns false where this is impossible.
 * @param {string} payload
 * @param {string} challenge
 */
export async function resync(payload, challenge) {
  /** @type {Payload} */
  const { channelConfig, voucher } = JSON.parse(payload);
  if (!channelConfig || !voucher) return false;
  const { payer } = channelConfig;
  /** @type {PaymentRequired} */
  const asked = JSON.parse(challenge);
  const accepts = (asked.accepts ?? []).filter((offer) => ways.isFor(offer, voucher.channelId, payer));
  if (!accepts.length) return false;
  try {
    return await channels
      .batchScheme(accepts[0].network, payer)
      .processCorrectivePaymentRequired({ ...asked, accepts });
  } catch (error) {
    if (error instanceof WalletError) throw error;
    return false; // what it shows as a proof is none
  }
}

/**
 * Delete the stored state of a channel. The next plan reads it from the chain.
 * @param {string} id
 */
export const forget = (id) => channels.states.delete(id);

/** The channels of the account, and whether the browser keeps what it is given: {channels, keeps}. */
export const list = async () => toJson({ channels: await channels.list(wallet.current()), keeps: store.keepsAll() });
export const survey = () => record.survey(wallet.current());
export const load = record.load;

/**
 * @param {string} offers
 * @param {string} id
 */
export const refundPayload = async (offers, id) =>
  toJson(await ways.refundPayload(JSON.parse(offers), id, wallet.current()));

/**
 * @param {string} id
 * @param {string} step
 */
export const withdraw = (id, step) => ways.withdraw(id, step, wallet.current());

/**
 * @param {string} id
 * @param {string} hash
 */
export const worked = (id, hash) => ways.worked(id, hash, wallet.current());

export const discover = async () => toJson(await wallet.discover());
export const connect = wallet.connect;
export const resume = wallet.resume;
export const disconnect = wallet.disconnect;
export const watch = wallet.watch;
export const abandon = provider.abandon;
export const signText = signer.signText;

export const requestLock = locks.requestLock;
export const acquireLock = locks.acquireLock;
export const releaseLock = locks.releaseLock;
