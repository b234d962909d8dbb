/**
 * Types of what only the payment scripts use.
 *
 * In the bundle, `viem` is x402_viem.js (app/build/bundles.py), so the scripts name viem's files by their paths. viem
 * has its types under other paths.
 */

declare module '*/viem/_esm/accounts/index.js' {
  export { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
}

declare module '*/viem/_esm/utils/index.js' {
  export * from 'viem/utils';
}

/** Wallets older than EIP-6963 put themselves here. */
declare var ethereum: unknown;
