/**
 * The ways to get a deposit back: the server pays it back, or the person withdraws it without the server.
 * Rule: a transaction that the contract would refuse is not sent, because it would cost a fee for nothing.
 */
import { channelOf, readChain, states, terms, voucherSigner } from './x402_channels.js';
import { ESCROW, escrowAbi } from './x402_contracts.js';
import { WalletError } from './x402_error.js';
import { pending } from './x402_record.js';
import { signerFor } from './x402_signer.js';

/**
 * @import { PaymentRequirements } from '@x402/core/types'
 * @import { Hex } from 'viem'
 */

const VOUCHER = [
  { name: 'channelId', type: 'bytes32' },
  { name: 'maxClaimableAmount', type: 'uint128' },
];

/**
 * The payload that asks for a channel's rest, with the offer of the server that it answers. Null where no offer is for
 * this channel.
 * @param {PaymentRequirements[]} offers
 * @param {string} id
 * @param {Hex} account
 */
export async function refundPayload(offers, id, account) {
  const { network, config } = await terms(id);
  const offer = offers.find((one) => isFor(one, id, account));
  if (!offer) return null;
  const { chargedCumulativeAmount: charged = '0' } = (await states.get(id)) ?? (await readChain(network, account, id));
  const signature = await voucherSigner(account).signTypedData({
    domain: { name: 'x402 Batch Settlement', version: '1', chainId: chainIdOf(network), verifyingContract: ESCROW },
    types: { Voucher: VOUCHER },
    primaryType: 'Voucher',
    message: { channelId: /** @type {Hex} */ (id), maxClaimableAmount: BigInt(charged) },
  });
  const voucher = { channelId: id, maxClaimableAmount: charged, signature };
  return { offer, payload: { type: 'refund', channelConfig: config, voucher } };
}

/** @param {string} network */
const chainIdOf = (network) => Number(network.split(':')[1]);

/**
 * Whether an offer is paid from this channel.
 * @param {PaymentRequirements} offer
 * @param {string} id
 * @param {Hex} account
 */
export function isFor(offer, id, account) {
  try {
    return offer.scheme === 'batch-settlement' && channelOf(offer, account).id === id.toLowerCase();
  } catch {
    return false; // no channel can be made of this offer
  }
}

/**
 * Take the rest of a channel without the server: announce it, and after the channel's delay take it. Returns the hash
 * of the transaction that was sent.
 * @param {string} id
 * @param {string} step 'announce' or 'finish'
 * @param {Hex} account
 */
export async function withdraw(id, step, account) {
  const { network, config } = await terms(id);
  const { ask, writeContract } = signerFor(network, account);
  const { amount, initiatedAt } = await pending(network, account, id);
  const escrow = { address: ESCROW, abi: escrowAbi };
  if (step === 'finish') {
    if (!initiatedAt) throw new WalletError('not_announced');
    const block = /** @type {{ timestamp: string }} */ (await ask('eth_getBlockByNumber', ['latest', false]));
    if (Number(block.timestamp) < initiatedAt + Number(config.withdrawDelay)) throw new WalletError('too_early');
    return writeContract({ ...escrow, functionName: 'finalizeWithdraw', args: [config] });
  }
  if (initiatedAt) throw new WalletError('already_announced', String(amount));
  const { balance, totalClaimed } = await readChain(network, account, id);
  const rest = BigInt(balance) - BigInt(totalClaimed);
  if (rest <= 0n) throw new WalletError('nothing_left');
  return writeContract({ ...escrow, functionName: 'initiateWithdraw', args: [config, rest] });
}

/**
 * Whether a transaction worked; null while the chain does not have it.
 * @param {string} id of the channel
 * @param {string} hash
 * @param {Hex} account
 */
export async function worked(id, hash, account) {
  const { network } = await terms(id);
  const receipt = await signerFor(network, account).ask('eth_getTransactionReceipt', [hash]);
  const status = receipt && typeof receipt === 'object' && 'status' in receipt ? receipt.status : null;
  return status === null ? null : Number(status) === 1;
}
