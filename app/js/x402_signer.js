/**
 * What the connected wallet signs, reads and sends for one account.
 * Rule: everything goes through the wallet; the page has no connection to a chain of its own.
 */
import { messageOf, WalletError } from './x402_error.js';
import { toJson } from './x402_json.js';
import { ask, askHex } from './x402_provider.js';
import { decodeFunctionResult, encodeFunctionData, recoverTypedDataAddress } from './x402_viem.js';
import { current, providerOn, providerWithAccount } from './x402_wallet.js';

/**
 * @import { Abi, Hex } from 'viem'
 * @typedef {{ domain: Record<string, unknown>, types: Record<string, unknown>, primaryType: string,
 *   message: Record<string, unknown> }} TypedData
 * @typedef {{ address: Hex, abi: readonly unknown[], functionName: string, args?: readonly unknown[] }} ContractCall
 */

/** The types of the fields that the domain of an EIP-712 signature may have. */
const DOMAIN_FIELDS = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
];

const SIGNATURE_LENGTH = 132; // of an ordinary account: 65 bytes in hexadecimal
/** What a wallet says of itself or of the person; anything else that stops a read is a fault of the network. */
const OF_THE_WALLET = [
  '4001',
  '4100',
  '4901',
  '4902',
  '-32002',
  'locked',
  'no_wallet',
  'not_connected',
  'wrong_network',
  'account_changed',
];

/** @param {unknown} error of a read */
const readError = (error) =>
  error instanceof WalletError && OF_THE_WALLET.includes(error.code)
    ? error
    : new WalletError('rpc_failed', messageOf(error));

/**
 * @param {Hex} signature
 * @param {TypedData} data
 * @param {Hex} address
 */
async function checkSignature(signature, data, address) {
  if (signature.length > SIGNATURE_LENGTH) throw new WalletError('contract_wallet');
  const signed = /** @type {Parameters<typeof recoverTypedDataAddress>[0]} */ ({ ...data, signature });
  const who = await recoverTypedDataAddress(signed).catch(() => '');
  if (who.toLowerCase() !== address.toLowerCase()) throw new WalletError('bad_signature');
}

/**
 * A signer as the SDK's schemes expect it, for one account on one network.
 * @param {string} network
 * @param {Hex} address
 */
export function signerFor(network, address) {
  return {
    address,

    /** @param {TypedData} data */
    async signTypedData({ domain, types, primaryType, message }) {
      const provider = await providerOn(network, address);
      const EIP712Domain = DOMAIN_FIELDS.filter(({ name }) => name in domain);
      const text = toJson({ types: { EIP712Domain, ...types }, domain, primaryType, message });
      const signature = await askHex(provider, 'eth_signTypedData_v4', [address, text]);
      await checkSignature(signature, { domain, types, primaryType, message }, address);
      return signature;
    },

    /**
     * A wallet reads from its active chain. The contracts have the same address on each chain, so on the wrong one a
     * channel would look empty.
     * @param {ContractCall} call
     * @returns {Promise<unknown>}
     */
    async readContract({ address: to, functionName, args = [], ...call }) {
      const provider = await providerOn(network, address);
      const abi = /** @type {Abi} */ (call.abi);
      const asked = { to, data: encodeFunctionData({ abi, functionName, args }) };
      try {
        return decodeFunctionResult({ abi, functionName, data: await askHex(provider, 'eth_call', [asked, 'latest']) });
      } catch (error) {
        throw readError(error);
      }
    },

    /**
     * Ask the wallet's node for something that is in no contract.
     * @param {string} method
     * @param {unknown[]} params
     */
    async ask(method, params) {
      const provider = await providerOn(network, address);
      return ask(provider, method, params).catch((error) => {
        throw readError(error);
      });
    },

    /**
     * Send a transaction, but none that the contract would refuse or that the account cannot pay the fee of.
     * @param {ContractCall} call
     */
    async writeContract({ address: to, functionName, args = [], ...call }) {
      const provider = await providerOn(network, address);
      const abi = /** @type {Abi} */ (call.abi);
      const data = encodeFunctionData({ abi, functionName, args });
      const transaction = { from: address, to, data };
      await ask(provider, 'eth_estimateGas', [transaction]).catch(async (error) => {
        if (!/revert|execution|funds|gas/i.test(messageOf(error))) throw readError(error); // the contract was not asked
        const ether = await ask(provider, 'eth_getBalance', [address, 'latest']).catch(() => 1);
        const poor = Number(ether) === 0 || /insufficient funds|gas \* price/i.test(messageOf(error));
        throw new WalletError(poor ? 'no_gas' : 'would_fail', messageOf(error));
      });
      if (Number(await ask(provider, 'eth_getBalance', [address, 'latest'])) === 0) throw new WalletError('no_gas');
      return askHex(provider, 'eth_sendTransaction', [transaction]);
    },
  };
}

/**
 * Sign a text by `personal_sign`, with this account and no other.
 * @param {string} text
 * @param {string} address
 */
export async function signText(text, address) {
  if (current().toLowerCase() !== address.toLowerCase()) throw new WalletError('account_changed');
  const bytes = [...new TextEncoder().encode(text)];
  const hex = `0x${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  return askHex(await providerWithAccount(address), 'personal_sign', [hex, address]);
}
