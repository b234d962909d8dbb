/**
 * What the chain itself has on the channels of an account, and what a file has.
 * Rule: a deposit is found without anything that this browser stored, and nothing here opens a window of the wallet.
 */
import networks from '../tabloop/core/networks.json';
import { isOf, list, merged, readChain, states } from './x402_channels.js';
import { CHANNEL_CREATED, COLLECTOR, config, ESCROW, escrowAbi, TRANSFER } from './x402_contracts.js';
import { WalletError } from './x402_error.js';
import { signerFor } from './x402_signer.js';
import * as store from './x402_store.js';
import { decodeAbiParameters, keccak256, toBytes } from './x402_viem.js';
import { networkNow } from './x402_wallet.js';

/**
 * @import { Hex } from 'viem'
 * @import { StoredTerms, Terms } from './x402_channels.js'
 * @typedef {{ address: string, topics: Hex[], data: Hex, transactionHash: string }} Log
 * @typedef {Record<string, { usdc: { address: string } }>} Networks
 */

const MAX_DEPOSITS = 100; // the newest ones of an account
/** @type {Set<string>} the accounts on their networks whose record was searched */
const searched = new Set();

/** @param {string} signature of an event */
const topic = (signature) => keccak256(toBytes(signature));
/** @param {string} address */
const asTopic = (address) => `0x${'0'.repeat(24)}${address.slice(2).toLowerCase()}`;

/**
 * Read the chain for all channels on the wallet's present network. Returns whether its whole record was searched; false
 * also where the wallet is locked, away, or on a network without channels.
 * @param {Hex} account
 */
export async function survey(account) {
  const network = await networkNow(account);
  if (!(network in networks)) return false;
  const complete = await search(network, account);
  const own = (await list(account)).filter((channel) => channel.network === network);
  // one after the other, because channels of one recipient have one lock
  for (const { id, config } of own) await update(network, account, id, config.receiver).catch(() => {});
  return complete;
}

/**
 * Find each channel that the account ever made a deposit for, by the token's transfers to the deposit contract.
 * @param {string} network
 * @param {Hex} account
 */
async function search(network, account) {
  const key = `${network} ${account}`;
  if (searched.has(key)) return true;
  try {
    const token = /** @type {Networks} */ (networks)[network].usdc.address;
    const { ask } = signerFor(network, account);
    const topics = [topic(TRANSFER), asTopic(account), asTopic(COLLECTOR)];
    const range = { fromBlock: '0x0', toBlock: 'latest' };
    const deposits = /** @type {Log[]} */ (await ask('eth_getLogs', [{ ...range, address: token, topics }]));
    const hashes = [...new Set(deposits.map((log) => log.transactionHash))].slice(-MAX_DEPOSITS);
    for (const hash of hashes) await take(network, account, await ask('eth_getTransactionReceipt', [hash]));
    searched.add(key);
    return true;
  } catch {
    return false; // many nodes search only a part of the chain
  }
}

/**
 * Store the channels that a transaction has created.
 * @param {string} network
 * @param {Hex} account
 * @param {unknown} receipt
 */
async function take(network, account, receipt) {
  const { logs } = /** @type {{ logs: Log[] }} */ (receipt);
  for (const { address, topics, data } of logs) {
    if (address.toLowerCase() !== ESCROW.toLowerCase() || topics[0] !== topic(CHANNEL_CREATED)) continue;
    const [created] = /** @type {[Terms]} */ (/** @type {unknown} */ (decodeAbiParameters([config], data)));
    if (created.payer.toLowerCase() === account.toLowerCase()) await keep({ network, config: created }, topics[1]);
  }
}

/**
 * Store a channel's terms if they are those of this id. Returns whether they are.
 * @param {StoredTerms} found
 * @param {string} id
 */
async function keep({ network, config }, id) {
  if (!(network in networks) || !isOf({ network, config }, id)) return false;
  const { withdrawDelay } = config;
  await store.write('config', id, { network, config: { ...config, withdrawDelay: Number(withdrawDelay) } });
  return true;
}

/**
 * Store what the chain has on a channel, when no payment through it is under way.
 * @param {string} network
 * @param {Hex} account
 * @param {string} id
 * @param {string} receiver
 */
async function update(network, account, id, receiver) {
  await navigator.locks.request(`x402 ${network} ${receiver.toLowerCase()}`, async () => {
    await states.set(id, merged(await states.get(id), await readChain(network, account, id)));
    const { amount, initiatedAt } = await pending(network, account, id);
    await store.write('withdrawal', id, initiatedAt ? { amount: String(amount), initiatedAt } : undefined);
  });
}

/**
 * The announced withdrawal of a channel; `initiatedAt` is in seconds of the epoch, 0 if there is none.
 * @param {string} network
 * @param {Hex} account
 * @param {string} id
 */
export async function pending(network, account, id) {
  const { readContract } = signerFor(network, account);
  const call = { address: ESCROW, abi: escrowAbi, functionName: 'pendingWithdrawals', args: [id] };
  const [amount, initiatedAt] = /** @type {[bigint, bigint | number]} */ (await readContract(call));
  return { amount, initiatedAt: Number(initiatedAt) };
}

/**
 * Take saved channels up again. Returns how many; a state that is known already is kept, because it is newer.
 * @param {string} text
 */
export async function load(text) {
  let count = 0;
  try {
    for (const { id, network, config, state } of JSON.parse(text)) {
      if (!(await keep({ network, config }, id))) continue;
      if (state && !(await states.get(id))) await states.set(id, state);
      count += 1;
    }
  } catch {
    // below
  }
  if (!count) throw new WalletError('bad_file');
  return count;
}
