/**
 * What the connected wallet signs, reads and sends for one account.
 * Rule: everything goes through the wallet; the page has no connection to a chain of its own.
 */
import { WalletError } from './x402_error.js';
import { toJson } from './x402_json.js';
import { askHex } from './x402_provider.js';
import { decodeFunctionResult, encodeFunctionData } from './x402_viem.js';
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
      return askHex(provider, 'eth_signTypedData_v4', [address, text]);
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
      const data = await askHex(provider, 'eth_call', [
        { to, data: encodeFunctionData({ abi, functionName, args }) },
        'latest',
      ]);
      return decodeFunctionResult({ abi, functionName, data });
    },

    /** @param {ContractCall} call */
    async writeContract({ address: to, functionName, args = [], ...call }) {
      const provider = await providerOn(network, address);
      const abi = /** @type {Abi} */ (call.abi);
      const data = encodeFunctionData({ abi, functionName, args });
      return askHex(provider, 'eth_sendTransaction', [{ from: address, to, data }]);
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
