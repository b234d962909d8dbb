/**
 * The payment channels of the connected account: their terms, their state, and the key that signs their vouchers.
 * Rule: no key leaves this module.
 */
import { BatchSettlementEvmScheme, computeChannelId, refundChannel } from '@x402/evm/batch-settlement/client';
import { generatePrivateKey, privateKeyToAccount } from './node_modules/viem/_esm/accounts/index.js';
import { ESCROW, escrowAbi } from './x402_contracts.js';
import { messageOf, noStorage, WalletError } from './x402_error.js';
import { toJson } from './x402_json.js';
import { signerFor } from './x402_signer.js';
import * as store from './x402_store.js';
import { current } from './x402_wallet.js';

/**
 * @import { BatchSettlementClientContext, ClientChannelStorage } from '@x402/evm/batch-settlement/client'
 * @import { PaymentRequirements } from '@x402/core/types'
 * @import { Hex } from 'viem'
 * @typedef {ReturnType<BatchSettlementEvmScheme['buildChannelConfig']>} Terms the account, the recipient and so on
 * @typedef {{ network: string, config: Terms }} StoredTerms
 * @typedef {BatchSettlementClientContext} State amounts as text, in millionths of USDC
 */

/**
 * The states of channels, as the SDK reads and writes them.
 * @type {ClientChannelStorage}
 */
export const states = {
  get: (id) => store.read('channel', id),
  set: async (id, state) => void (await store.write('channel', id, JSON.parse(toJson(state)))),
  delete: (id) => store.remove('channel', id),
};

/**
 * The account that signs vouchers. Its key is made here and stored here, one for each account of the wallet. It can
 * spend only what the wallet's account has put into a channel, and only to the channel's recipient.
 * @param {string} address
 */
const voucherSigner = (address) => privateKeyToAccount(storedKey(`tabloop:x402:key:${address.toLowerCase()}`));

/**
 * @param {string} name
 * @returns {Hex}
 */
function storedKey(name) {
  try {
    const stored = localStorage.getItem(name);
    if (stored) return /** @type {Hex} */ (stored);
    const key = generatePrivateKey();
    localStorage.setItem(name, key);
    return key;
  } catch (error) {
    throw noStorage(error);
  }
}

/**
 * The SDK's scheme for an account. Without a `deposit` it throws "deposit_needed" where the channel lacks money.
 * @param {string} network
 * @param {Hex} address
 * @param {bigint} [deposit] in millionths
 */
export function batchScheme(network, address, deposit) {
  return new BatchSettlementEvmScheme(signerFor(network, address), {
    storage: states,
    voucherSigner: voucherSigner(address),
    depositPolicy: { depositMultiplier: 3 },
    depositStrategy: () => {
      if (!deposit) throw new WalletError('deposit_needed');
      return deposit;
    },
  });
}

/**
 * The channel that an offer is paid from.
 * @param {PaymentRequirements} offer
 * @param {Hex} address
 */
export function channelOf(offer, address) {
  const config = batchScheme(offer.network, address).buildChannelConfig(offer);
  return { id: computeChannelId(config, offer.network).toLowerCase(), config };
}

/**
 * What a channel lacks for an offer, in millionths; zero or less if it has enough.
 * @param {State} state
 * @param {PaymentRequirements} offer
 */
const lacking = (state, { amount }) =>
  BigInt(state.chargedCumulativeAmount ?? 0) + BigInt(amount) - BigInt(state.balance ?? 0);

/**
 * The channel of an offer, and what it lacks. Its terms are stored apart from its state, because `refund` and
 * `withdraw` need them.
 * @param {PaymentRequirements} offer
 * @param {Hex} address
 */
export async function inspect(offer, address) {
  const { id, config } = channelOf(offer, address);
  await store.write('config', id, { network: offer.network, config });
  let state = await states.get(id);
  if (!state || lacking(state, offer) > 0n) {
    // the chain may have a deposit whose receipt never reached this tab, so it is read before the wallet is asked
    state = merged(state, await readChain(offer.network, address, id));
    await states.set(id, state);
  }
  return { id, missing: lacking(state, offer) };
}

/**
 * The chain's state, except that it does not have the newest charges yet.
 * @param {State | undefined} known
 * @param {State & { totalClaimed: string }} chain
 */
function merged(known, chain) {
  const charged = BigInt(known?.chargedCumulativeAmount ?? 0);
  return charged > BigInt(chain.totalClaimed)
    ? { ...known, ...chain, chargedCumulativeAmount: String(charged) }
    : chain;
}

/**
 * @param {string} network
 * @param {Hex} address
 * @param {string} id
 */
async function readChain(network, address, id) {
  const { readContract } = signerFor(network, address);
  const read = await readContract({ address: ESCROW, abi: escrowAbi, functionName: 'channels', args: [id] });
  const [balance, totalClaimed] = /** @type {[bigint, bigint]} */ (read);
  const claimed = String(totalClaimed);
  return { balance: String(balance), totalClaimed: claimed, chargedCumulativeAmount: claimed };
}

/**
 * @param {string} id
 * @returns {Promise<StoredTerms>}
 */
const terms = (id) => store.read('config', id);

/** The channels of the connected account, as [{id, network, config, state}]. `state` is null if none is stored. */
export async function list() {
  const ids = await store.ids('config');
  const entry = async (/** @type {string} */ id) => ({
    id,
    ...(await terms(id)),
    state: (await states.get(id)) ?? null,
  });
  const all = await Promise.all(ids.map(entry));
  const payer = current().toLowerCase();
  return all.filter(({ config }) => config.payer.toLowerCase() === payer);
}

/**
 * Ask the server to pay the rest of a channel back. Returns its receipt.
 * @param {string} url
 * @param {string} id
 */
export async function refund(url, id) {
  const { network, config } = await terms(id);
  const address = current();
  const signer = signerFor(network, address);
  try {
    const voucher = { voucherSigner: voucherSigner(address), salt: config.salt };
    return await refundChannel({ signer, storage: states, ...voucher }, url);
  } catch (error) {
    throw error instanceof WalletError ? error : new WalletError('refund_failed', messageOf(error));
  }
}

/**
 * Take the rest of a channel without the server: announce it, and after the channel's delay take it.
 * @param {string} id
 * @param {string} step 'announce' or 'finish'
 */
export async function withdraw(id, step) {
  const { network, config } = await terms(id);
  const address = current();
  const { writeContract } = signerFor(network, address);
  const contract = { address: ESCROW, abi: escrowAbi };
  if (step === 'finish') return writeContract({ ...contract, functionName: 'finalizeWithdraw', args: [config] });
  const { balance, totalClaimed } = await readChain(network, address, id);
  const rest = BigInt(balance) - BigInt(totalClaimed);
  return writeContract({ ...contract, functionName: 'initiateWithdraw', args: [config, rest] });
}
