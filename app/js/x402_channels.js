/**
 * The payment channels of an account: their terms, their state, and the key that signs their vouchers.
 * Rule: no key leaves this module.
 */
import { BatchSettlementEvmScheme, computeChannelId } from '@x402/evm/batch-settlement/client';
import { generatePrivateKey, privateKeyToAccount } from './node_modules/viem/_esm/accounts/index.js';
import { ESCROW, escrowAbi } from './x402_contracts.js';
import { WalletError } from './x402_error.js';
import { toJson } from './x402_json.js';
import { signerFor } from './x402_signer.js';
import * as store from './x402_store.js';
import { networkNow } from './x402_wallet.js';

/**
 * @import { BatchSettlementClientContext, ClientChannelStorage } from '@x402/evm/batch-settlement/client'
 * @import { PaymentRequirements } from '@x402/core/types'
 * @import { Hex } from 'viem'
 * @typedef {ReturnType<BatchSettlementEvmScheme['buildChannelConfig']>} Terms the account, the recipient and so on
 * @typedef {{ network: string, config: Terms }} StoredTerms
 * @typedef {BatchSettlementClientContext} State amounts as text, in millionths of USDC
 * @typedef {{ balance: string, totalClaimed: string, chargedCumulativeAmount: string }} ChainState
 */

/**
 * The states of channels, as the SDK reads and writes them.
 * @type {ClientChannelStorage}
 */
export const states = {
  get: (id) => store.read('channel', id),
  set: async (id, state) => void (await store.write('channel', id, JSON.parse(toJson(state)))),
  delete: (id) => store.write('channel', id, undefined),
};

/** @param {string} text whether it is a key, and not what another page of this origin has stored in its place */
const isKey = (text) => /^0x[0-9a-f]{64}$/.test(text);

/**
 * The account that signs vouchers. Its key is made here and stored here, one for each account of the wallet. It can
 * spend only what the wallet's account has put into a channel, and only to the channel's recipient.
 * @param {string} address
 */
export const voucherSigner = (address) =>
  privateKeyToAccount(
    /** @type {Hex} */ (store.text(`tabloop:x402:key:${address.toLowerCase()}`, generatePrivateKey, isKey)),
  );

/**
 * The SDK's scheme for an account. Without a `deposit` it throws "deposit_needed" where the channel lacks money.
 * @param {string} network
 * @param {Hex} address
 * @param {bigint} [deposit] in millionths
 */
export function batchScheme(network, address, deposit) {
  const wallet = signerFor(network, address);
  return new BatchSettlementEvmScheme(
    { ...wallet, readContract: readOr(wallet.readContract, network, address) },
    {
      storage: states,
      voucherSigner: voucherSigner(address),
      depositPolicy: { depositMultiplier: 3 },
      depositStrategy: () => {
        if (!deposit) throw new WalletError('deposit_needed');
        return deposit;
      },
    },
  );
}

/**
 * Read the chain, or take the stored state where the wallet is locked, away or on another network: a voucher needs no
 * wallet, so nobody is asked to unlock or to switch it.
 * @param {ReturnType<typeof signerFor>['readContract']} read
 * @param {string} network
 * @param {Hex} address
 * @returns {ReturnType<typeof signerFor>['readContract']}
 */
function readOr(read, network, address) {
  return async (call) => {
    const known = call.functionName === 'channels' ? await states.get(String(call.args?.[0])) : undefined;
    if (!known?.balance || (await networkNow(address)) === network) return read(call);
    return [BigInt(known.balance), BigInt(known.totalClaimed ?? 0)];
  };
}

/**
 * The channel that an offer is paid from.
 * @param {PaymentRequirements} offer
 * @param {Hex} address
 */
export function channelOf(offer, address) {
  const config = batchScheme(offer.network, address).buildChannelConfig(offer);
  return { id: idOf(config, offer.network), config };
}

/**
 * @param {Terms} config
 * @param {string} network
 */
export const idOf = (config, network) => computeChannelId(config, network).toLowerCase();

/**
 * What a channel lacks for an offer, in millionths; zero or less if it has enough.
 * @param {State} state
 * @param {PaymentRequirements} offer
 */
const lacking = (state, { amount }) =>
  BigInt(state.chargedCumulativeAmount ?? 0) + BigInt(amount) - BigInt(state.balance ?? 0);

/**
 * The channel of an offer, and what it lacks. Its terms are stored apart from its state, because the ways out need them.
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
  const left = BigInt(state.balance ?? 0) - BigInt(state.chargedCumulativeAmount ?? 0);
  return { id, left, missing: lacking(state, offer) };
}

/**
 * The chain's state, except that it does not have the newest charges yet.
 * @param {State | undefined} known
 * @param {ChainState} chain
 */
export function merged(known, chain) {
  const charged = BigInt(known?.chargedCumulativeAmount ?? 0);
  return charged > BigInt(chain.totalClaimed)
    ? { ...known, ...chain, chargedCumulativeAmount: String(charged) }
    : chain;
}

/**
 * @param {string} network
 * @param {Hex} address
 * @param {string} id
 * @returns {Promise<ChainState>}
 */
export async function readChain(network, address, id) {
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
export async function terms(id) {
  const stored = await store.read('config', id);
  if (!stored || !isOf(stored, id)) throw new WalletError('unknown_channel');
  return stored;
}

/**
 * Whether terms are those of this channel: their hash is its id.
 * @param {StoredTerms} terms
 * @param {string} id
 */
export function isOf({ network, config }, id) {
  try {
    return idOf(config, network) === id.toLowerCase();
  } catch {
    return false; // no hash can be made of them
  }
}

/**
 * The channels of an account, as [{id, network, config, state, withdrawal, own}]. `state` and `withdrawal` are null if
 * none is stored; `own`: this browser has the key that signs its vouchers.
 * @param {Hex} account
 */
export async function list(account) {
  const own = voucherSigner(account).address;
  const entry = async (/** @type {string} */ id) => {
    const known = await terms(id).catch(() => null);
    if (known?.config.payer.toLowerCase() !== account.toLowerCase()) return [];
    const { network, config } = known;
    const [state, withdrawal] = await Promise.all([states.get(id), store.read('withdrawal', id)]);
    return [
      {
        id,
        network,
        config,
        state: state ?? null,
        withdrawal: withdrawal ?? null,
        own: config.payerAuthorizer === own,
      },
    ];
  };
  return (await Promise.all((await store.ids('config')).map(entry))).flat();
}
