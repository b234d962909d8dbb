/**
 * A wallet for tests: it announces itself by EIP-6963, answers EIP-1193 and makes real signatures.
 * Rule: its keys are worth nothing, and it asks a person only in `serve`.
 *
 * The server sends its settings before this file: testWalletSettings = {rpcs, keys, network, asks, names}; `rpcs` has a node's address by network. Tests change
 * its behaviour through `testWallet`.
 */

import { hexToString } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

const settings = globalThis.testWalletSettings;
const accounts = settings.keys.map((key) => privateKeyToAccount(key));
const idOf = (network) => Number(network.split(':')[1]);

/** What the wallet does from now on. `signed` holds what a person would have confirmed. */
const switches = () => ({
  account: 0,
  chain: idOf(settings.network),
  known: [1, idOf(settings.network)],
  connected: false,
  locked: false, // it answers -32002
  declines: 0, // how many requests to decline
  switches: true, // false: it agrees to another network and stays on the one that it has
  wrapsCodes: false, // true: 4902 is in data.originalError.code, as in some wallets
  slow: 0, // milliseconds for a signature; a long one ends when this is 0 again
  swallows: false, // true: a request for the person is never answered, and stays open
  away: false, // true: it shows no account any more, as when it is locked
  signs: (signature) => signature, // another signature: empty, of a contract, of nobody
  receipt: null, // another receipt of each transaction
  invents: '', // the hash of a transaction that it does not send
  offline: [], // the methods that its node does not answer
  asks: settings.asks ?? false,
  names: settings.names ?? ['Test wallet'],
  afterRead: () => {}, // runs after each read of the chain: between a plan and its signature
  signed: [],
  requests: [],
  open: 0,
});
const wallet = { ...switches(), listeners: {}, reset: () => Object.assign(wallet, switches()) };

class ProviderError extends Error {
  constructor(code, message, data) {
    super(message);
    Object.assign(this, { code, ...(data && { data }) });
  }
}

const hex = (number) => `0x${number.toString(16)}`;
const mine = () => (wallet.connected && !wallet.away ? [accounts[wallet.account].address] : []);

async function confirmed(what) {
  if (wallet.locked || wallet.open) throw new ProviderError(-32002, 'Request already pending');
  wallet.open += 1;
  try {
    if (wallet.swallows) await new Promise(() => {});
    const until = performance.now() + wallet.slow;
    while (wallet.slow && performance.now() < until) await new Promise((done) => setTimeout(done, 20));
    const no = wallet.declines > 0 || (wallet.asks && !confirm(`Test wallet\n\n${what}`));
    if (wallet.declines > 0) wallet.declines -= 1;
    if (no) throw new ProviderError(4001, 'User rejected the request.');
  } finally {
    wallet.open -= 1;
  }
}

async function rpc(method, params) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(settings.rpcs[`eip155:${wallet.chain}`] ?? settings.rpcs[settings.network], {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  const { result, error } = await response.json();
  if (error) throw new ProviderError(error.code, error.message);
  return result;
}

const methods = {
  eth_accounts: async () => mine(),
  eth_requestAccounts: async () => {
    if (!wallet.connected) await confirmed('Show this page your account?');
    wallet.connected = true;
    return mine();
  },
  eth_chainId: async () => hex(wallet.chain),
  wallet_switchEthereumChain: async ([{ chainId }]) => {
    const id = Number(chainId);
    if (!wallet.known.includes(id)) {
      const data = { originalError: { code: 4902 } };
      throw wallet.wrapsCodes
        ? new ProviderError(-32603, 'Unrecognized chain', data)
        : new ProviderError(4902, 'Unrecognized chain');
    }
    await confirmed(`Switch to network ${id}?`);
    if (wallet.switches) tell.chain(id);
    return null;
  },
  wallet_addEthereumChain: async ([{ chainId, chainName }]) => {
    await confirmed(`Add the network ${chainName}?`);
    wallet.known.push(Number(chainId));
    return null;
  },
  eth_signTypedData_v4: async ([address, text]) => {
    const account = accounts.find((one) => one.address.toLowerCase() === address.toLowerCase());
    if (!account || !mine().includes(account.address)) throw new ProviderError(4100, 'Unauthorized account');
    const {
      types: { EIP712Domain, ...types },
      domain,
      primaryType,
      message,
    } = JSON.parse(text);
    if (Number(domain.chainId) !== wallet.chain) throw new ProviderError(-32603, 'Another chain is active');
    await confirmed(`Sign ${primaryType}: ${Number(message.value ?? 0) / 1e6} USDC to ${message.to}?`);
    wallet.signed.push({ primaryType, domain, message });
    return wallet.signs(await account.signTypedData({ domain, types, primaryType, message }));
  },
  personal_sign: async ([data, address]) => {
    const account = accounts.find((one) => one.address.toLowerCase() === address.toLowerCase());
    if (!account || !mine().includes(account.address)) throw new ProviderError(4100, 'Unauthorized account');
    await confirmed(`Sign this text?\n\n${hexToString(data)}`);
    wallet.signed.push({ primaryType: 'text', message: hexToString(data) });
    return account.signMessage({ message: { raw: data } });
  },
  eth_sendTransaction: async ([transaction]) => {
    await confirmed('Send a transaction?');
    wallet.signed.push({ primaryType: 'transaction', message: transaction });
    if (wallet.invents) return wallet.invents;
    await rpc('anvil_impersonateAccount', [transaction.from]);
    return rpc('eth_sendTransaction', [transaction]);
  },
  // on another chain, the channel and the balance are empty
  eth_call: async (params) => {
    const read = settings.rpcs[`eip155:${wallet.chain}`] ? await rpc('eth_call', params) : `0x${'0'.repeat(128)}`;
    wallet.afterRead();
    return read;
  },
};
const nodes = ['eth_getLogs', 'eth_getBlockByNumber', 'eth_estimateGas', 'eth_getBalance'];
for (const method of nodes) methods[method] = (params) => rpc(method, params);
methods.eth_getTransactionReceipt = async (params) => wallet.receipt ?? rpc('eth_getTransactionReceipt', params);

const tell = {
  away: (away) => {
    wallet.away = away;
    tell.emit('accountsChanged', mine());
  },
  emit: (name, value) => {
    for (const listener of wallet.listeners[name] ?? []) listener(value);
  },
  chain: (id) => {
    wallet.chain = id;
    tell.emit('chainChanged', hex(id));
  },
  account: (number) => {
    wallet.account = number;
    tell.emit('accountsChanged', mine());
  },
};

const provider = {
  async request({ method, params = [] }) {
    wallet.requests.push(method);
    if (wallet.offline.includes(method)) throw new ProviderError(-32603, 'Internal JSON-RPC error.');
    if (!methods[method]) throw new ProviderError(4200, `no ${method}`);
    return methods[method](params);
  },
  on: (name, listener) => {
    wallet.listeners[name] = [...(wallet.listeners[name] ?? []), listener];
  },
  removeListener: () => {},
};

const announce = () =>
  wallet.names.forEach((name, number) => {
    const info = { uuid: `00000000-0000-4000-8000-00000000000${number}`, name, icon: '', rdns: `test.wallet${number}` };
    dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info, provider }) }));
  });
addEventListener('eip6963:requestProvider', announce);
announce();
globalThis.testWallet = Object.assign(wallet, { tell, addresses: accounts.map(({ address }) => address) });
