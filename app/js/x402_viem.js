/**
 * The part of viem that the two client schemes of @x402/evm use. In the bundle it takes viem's place.
 * Rule: what opens connections of its own, or signs for permit2, is not here.
 */

export {
  decodeAbiParameters,
  decodeFunctionResult,
  encodeAbiParameters,
  encodeFunctionData,
  getAddress,
  hashTypedData,
  hexToBigInt,
  isAddress,
  isAddressEqual,
  isHash,
  keccak256,
  recoverAddress,
  recoverTypedDataAddress,
  toBytes,
  toHex,
} from './node_modules/viem/_esm/utils/index.js';

export const zeroAddress = `0x${'0'.repeat(40)}`;
export const maxUint256 = 2n ** 256n - 1n;

const absent = () => {
  throw new Error('this part of viem is not in the page');
};

export {
  absent as createPublicClient,
  absent as decodeFunctionData,
  absent as http,
  absent as parseErc6492Signature,
  absent as parseEventLogs,
  absent as parseSignature,
  absent as parseTransaction,
  absent as recoverTransactionAddress,
};
