/* Paying from the tab: the wallet, the tab's own key and the channel's state, with x402's own SDK.
   Python decides what may be paid and talks to the servers; here it is signed.
   Rule: only text crosses to Python, and no key is ever part of it. */

import { BatchSettlementEvmScheme, computeChannelId, refundChannel } from '@x402/evm/batch-settlement/client';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { generatePrivateKey, privateKeyToAccount } from './node_modules/viem/_esm/accounts/index.js';
import { balanceAbi, ESCROW, escrowAbi } from './x402_contracts.js';
import { noStorage, WalletError } from './x402_error.js';
import * as store from './x402_store.js';
import * as wallet from './x402_wallet.js';

const VERSION = 2;
const MARGIN = 6; // seconds that the official facilitator wants a signature to be valid for still
const text = (value) => JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? String(part) : part));

const channels = {
  get: (id) => store.read('channel', id),
  set: (id, state) => store.write('channel', id, JSON.parse(text(state))),
  delete: (id) => store.remove('channel', id),
};

/** The key that signs vouchers: made here, kept here, one per account. It can only spend what its
    account has put into a channel, and only for that channel's recipient. */
function voucherKey(address) {
  return privateKeyToAccount(storedKey(`tabloop:x402:key:${address.toLowerCase()}`));
}

function storedKey(name) {
  try {
    if (!localStorage.getItem(name)) localStorage.setItem(name, generatePrivateKey());
    return localStorage.getItem(name);
  } catch (error) {
    throw noStorage(error);
  }
}

function batch(network, address, deposit) {
  return new BatchSettlementEvmScheme(wallet.signerFor(network, address), {
    storage: channels,
    voucherSigner: voucherKey(address),
    depositPolicy: { depositMultiplier: 3 },
    depositStrategy: () => {
      if (!deposit) throw new WalletError('deposit_needed');
      return deposit;
    },
  });
}

/** The channel of an offer. Its terms are kept apart from its state: they are the way out. */
function channelOf(accepted, address) {
  const config = batch(accepted.network, address).buildChannelConfig(accepted);
  const id = computeChannelId(config, accepted.network).toLowerCase();
  return { id, config };
}

async function funds(accepted, address) {
  const reader = wallet.signerFor(accepted.network, address);
  return reader.readContract({ address: accepted.asset, abi: balanceAbi, functionName: 'balanceOf', args: [address] });
}

/** What an offer would take: {kind, payer, channel, short_by, funds}. */
export async function plan(offer) {
  const accepted = JSON.parse(offer),
    payer = wallet.current();
  await wallet.guard(accepted.network, payer);
  if (accepted.scheme === 'exact') return text({ kind: 'exact', payer, funds: await funds(accepted, payer) });
  const { id, config } = channelOf(accepted, payer);
  await store.write('config', id, { network: accepted.network, config });
  let state = await channels.get(id),
    missing = state && lacking(state, accepted);
  if (missing === undefined || missing > 0n) {
    // the chain may know of a deposit that this tab never heard of again: the wallet is asked last
    state = later(state, await readChannel(accepted.network, payer, id));
    await channels.set(id, state);
    missing = lacking(state, accepted);
  }
  const enough = missing <= 0n;
  return text({
    kind: enough ? 'voucher' : 'deposit',
    payer,
    channel: id,
    short_by: enough ? 0n : missing,
    funds: enough ? null : await funds(accepted, payer),
  });
}

const lacking = (state, { amount }) =>
  BigInt(state.chargedCumulativeAmount ?? 0) + BigInt(amount) - BigInt(state.balance ?? 0);

/** What the chain says, and what was charged since without it. */
function later(known, chain) {
  const charged = BigInt(known?.chargedCumulativeAmount ?? 0);
  return charged > BigInt(chain.totalClaimed)
    ? { ...known, ...chain, chargedCumulativeAmount: String(charged) }
    : chain;
}

/** Whether the last signature for this channel was the very same one; remembered from now on. */
async function signedBefore({ channelId, signature }) {
  const last = await store.read('signed', channelId);
  await store.write('signed', channelId, signature);
  return last === signature;
}

/** A signed payload for exactly this offer and this deposit: {kind, payload, channel, deposit, valid_until, again}. */
export async function sign(offer, deposit, payer) {
  const accepted = JSON.parse(offer);
  if (wallet.current().toLowerCase() !== payer.toLowerCase()) throw new WalletError('account_changed');
  const exact = accepted.scheme === 'exact';
  const scheme = exact
    ? new ExactEvmScheme(wallet.signerFor(accepted.network, payer))
    : batch(accepted.network, payer, BigInt(deposit));
  const { payload } = await scheme.createPaymentPayload(VERSION, accepted);
  const authorization = exact ? payload.authorization : payload.deposit?.authorization.erc3009Authorization;
  const valid_until = Number(authorization?.validBefore ?? 0);
  if (valid_until && valid_until <= Date.now() / 1000 + MARGIN) throw new WalletError('signature_expired');
  return text({
    kind: exact ? 'exact' : payload.type,
    payload,
    valid_until,
    channel: payload.voucher?.channelId ?? '',
    deposit: payload.deposit?.amount ?? '0',
    again: Boolean(payload.voucher) && (await signedBefore(payload.voucher)),
  });
}

/** Take a receipt into the channel's state. */
export async function settled(offer, payload, receipt) {
  const requirements = JSON.parse(offer),
    sent = JSON.parse(payload);
  if (requirements.scheme === 'exact') return;
  await batch(requirements.network, sent.channelConfig.payer).schemeHooks.onPaymentResponse({
    settleResponse: JSON.parse(receipt),
    paymentPayload: { payload: sent },
    requirements,
  });
}

/** Put the channel right by what the server proves and the chain says; false where it can't. */
export async function resync(payload, challenge) {
  const sent = JSON.parse(payload),
    asked = JSON.parse(challenge);
  if (!sent.channelConfig) return false;
  const { payer } = sent.channelConfig,
    id = sent.voucher.channelId.toLowerCase();
  const same = (entry) => {
    try {
      return entry.scheme === 'batch-settlement' && channelOf(entry, payer).id === id;
    } catch {
      return false;
    }
  };
  const accepts = (asked.accepts ?? []).filter(same);
  if (!accepts.length) return false;
  return batch(accepts[0].network, payer).processCorrectivePaymentRequired({ ...asked, accepts });
}

/** Drop what is known of a channel; the next plan reads the chain. */
export const forget = async (id) => channels.delete(id);

async function readChannel(network, address, id) {
  const reader = wallet.signerFor(network, address);
  const read = (functionName) => reader.readContract({ address: ESCROW, abi: escrowAbi, functionName, args: [id] });
  const [balance, totalClaimed] = await read('channels');
  return {
    balance: String(balance),
    totalClaimed: String(totalClaimed),
    chargedCumulativeAmount: String(totalClaimed),
  };
}

/** All channels of the connected account: what is in them, and the terms that get it back. */
export async function list() {
  const mine = wallet.current().toLowerCase(),
    ids = await store.ids('config');
  const all = await Promise.all(
    ids.map(async (id) => ({ id, ...(await store.read('config', id)), state: (await channels.get(id)) ?? null })),
  );
  return text(all.filter(({ config }) => config.payer.toLowerCase() === mine));
}

/** Ask the server to pay the rest of a channel back; the SDK sends the two requests itself. */
export async function refund(url, id) {
  const { network, config } = await store.read('config', id);
  const address = wallet.current();
  const deps = {
    signer: wallet.signerFor(network, address),
    storage: channels,
    voucherSigner: voucherKey(address),
    salt: config.salt,
  };
  try {
    return text(await refundChannel(deps, url));
  } catch (error) {
    throw error.code ? error : new WalletError('refund_failed', error.message);
  }
}

/** The way out without the server: announce it, wait for the channel's delay, then take it. */
export async function withdraw(id, step) {
  const { network, config } = await store.read('config', id);
  const contract = wallet.signerFor(network, wallet.current());
  const call = (functionName, args) => contract.writeContract({ address: ESCROW, abi: escrowAbi, functionName, args });
  if (step === 'finish') return call('finalizeWithdraw', [config]);
  const { balance, totalClaimed } = await readChannel(network, wallet.current(), id);
  return call('initiateWithdraw', [config, BigInt(balance) - BigInt(totalClaimed)]);
}

/* A lock over all tabs. Python requests it, waits until it is acquired, and releases it whatever
   happens: the request has an id from the start, so that a stopped task never blocks the others. */
const locks = new Map();
let lastLock = 0;

export function requestLock(name) {
  const id = ++lastLock,
    waiting = new AbortController();
  let release;
  const released = new Promise((resolve) => {
    release = resolve;
  });
  const acquired = new Promise((resolve, reject) => {
    navigator.locks
      .request(name, { signal: waiting.signal }, () => {
        resolve();
        return released;
      })
      .catch(reject);
  });
  acquired.catch(() => {});
  locks.set(id, { acquired, release, waiting });
  return id;
}
export const acquireLock = (id) => locks.get(id).acquired;
export function releaseLock(id) {
  const lock = locks.get(id);
  locks.delete(id);
  lock?.release();
  lock?.waiting.abort();
}

export const discover = async () => text(await wallet.discover());
export const connect = (id, silent) => wallet.connect(id, { silent });
export const { abandon, disconnect, signText, watch } = wallet;
