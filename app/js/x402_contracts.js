/**
 * The contracts that the page itself reads and calls. The SDK has the others.
 *
 * @import { Abi, AbiFunction, AbiParameter, Hex } from 'viem'
 */

/** @type {Hex} the channels' contract; it has this address on every chain */
export const ESCROW = '0x4020074e9dF2ce1deE5A9C1b5c3f541D02a10003';
/** @type {Hex} the contract that a deposit passes through */
export const COLLECTOR = '0x4020806089470a89826cB9fB1f4059150b550004';

export const TRANSFER = 'Transfer(address,address,uint256)';
export const CHANNEL_CREATED = 'ChannelCreated(bytes32,(address,address,address,address,address,uint40,bytes32))';

/** @type {{ name: string, type: string, components: AbiParameter[] }} what makes a channel's identity */
export const config = {
  name: 'config',
  type: 'tuple',
  components: [
    ['payer', 'address'],
    ['payerAuthorizer', 'address'],
    ['receiver', 'address'],
    ['receiverAuthorizer', 'address'],
    ['token', 'address'],
    ['withdrawDelay', 'uint40'],
    ['salt', 'bytes32'],
  ].map(([name, type]) => ({ name, type })),
};

/**
 * @param {string} name
 * @param {AbiParameter[]} inputs
 * @param {AbiParameter[]} outputs
 * @param {'view' | 'nonpayable'} [stateMutability]
 * @returns {AbiFunction}
 */
const call = (name, inputs, outputs, stateMutability = 'nonpayable') => ({
  type: 'function',
  name,
  inputs,
  outputs,
  stateMutability,
});
const id = { name: 'channelId', type: 'bytes32' };
const amount = { name: 'amount', type: 'uint128' };

/** @type {Abi} */
export const escrowAbi = [
  call(
    'channels',
    [id],
    [
      { name: 'balance', type: 'uint128' },
      { name: 'totalClaimed', type: 'uint128' },
    ],
    'view',
  ),
  call('pendingWithdrawals', [id], [amount, { name: 'initiatedAt', type: 'uint40' }], 'view'),
  call('initiateWithdraw', [config, amount], []),
  call('finalizeWithdraw', [config], []),
];

/** @type {Abi} */
export const balanceAbi = [
  call('balanceOf', [{ name: 'account', type: 'address' }], [{ name: '', type: 'uint256' }], 'view'),
];
