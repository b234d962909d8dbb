/**
 * The connected wallet: how it is found (EIP-6963), and which account and network it has.
 * Rule: before each signature and each read of the chain, the wallet is asked for its account and its network. What the
 * tab's own key signs needs no wallet: the account stays known while the wallet is locked or away.
 */
import networks from '../tabloop/core/networks.json';
import { isFramed } from './framed.js';
import { WalletError } from './x402_error.js';
import { abandon, accountsIn, ask, chainIdIn, listen } from './x402_provider.js';

/**
 * @import { Hex } from 'viem'
 * @import { Provider } from './x402_provider.js'
 * @typedef {{ name: string, provider: Provider }} Found
 * @typedef {{ name: string, rpc: string, explorer: string }} Network
 */

const ANSWERS_WITHIN_MS = 250; // extensions announce themselves at once

/** @type {Map<string, Found>} the wallets in this browser, by their ids */
const found = new Map();
/** @type {{ provider: Provider | null, account: Hex } | null} */
let connected = null;
/** @type {WeakSet<Provider>} those that are listened to; a wallet may announce another object each time */
const heard = new WeakSet();
/** @type {(account: string) => void} */
let tellSwitch = () => {};

/**
 * @param {string} one
 * @param {string} other
 */
const sameAddress = (one, other) => one.toLowerCase() === other.toLowerCase();

/** @param {string} network */
const chainIdOf = (network) => Number(network.split(':')[1]);

/** The wallets in this browser, as [{id, name}]. */
export async function discover() {
  found.clear();
  addEventListener('eip6963:announceProvider', takeAnnounced);
  dispatchEvent(new Event('eip6963:requestProvider'));
  await new Promise((resolve) => setTimeout(resolve, ANSWERS_WITHIN_MS));
  removeEventListener('eip6963:announceProvider', takeAnnounced);
  if (!found.size) take({ info: { uuid: 'injected', name: 'Wallet' }, provider: globalThis.ethereum });
  return [...found].map(([id, { name }]) => ({ id, name }));
}

/** @param {Event} event */
const takeAnnounced = (event) => take('detail' in event ? event.detail : null);

/**
 * Any script can announce a wallet, so everything in it may be missing.
 * @param {any} announced
 */
function take(announced) {
  const { uuid, rdns, name } = announced?.info ?? {};
  if (!uuid || !announced.provider?.request) return;
  found.set(String(rdns || uuid), { name: String(name ?? '').slice(0, 200), provider: announced.provider });
}

/**
 * Ask the wallet for its account. With `silent` the wallet opens no window, and the account is blank if the person
 * never gave it to this page.
 * @param {string} id
 * @param {boolean} silent
 */
export async function connect(id, silent) {
  if (isFramed()) throw new WalletError('framed');
  if (!found.size) await discover();
  const entry = found.get(id);
  if (!entry) throw new WalletError('no_wallet');
  if (!silent) abandon(); // the person has chosen this wallet: no other answer matters
  const { provider } = entry;
  const [account] = accountsIn(await ask(provider, silent ? 'eth_accounts' : 'eth_requestAccounts'));
  if (!account && !silent) throw new WalletError('locked');
  if (account) connected = { provider, account };
  else if (connected) connected.provider = provider;
  return account ?? '';
}

/**
 * Pay from the channels of an account that an earlier visit had, while the wallet is locked or away.
 * @param {string} account
 */
export function resume(account) {
  if (account) connected ??= { provider: null, account: /** @type {Hex} */ (account) };
}

export function disconnect() {
  abandon('not_connected');
  connected = null;
}

function connection() {
  if (!connected) throw new WalletError('not_connected');
  return connected;
}

/** The account that pays. */
export const current = () => connection().account;

/**
 * Call `tell(account)` when the person switches the account or the network in the connected wallet. The account is blank
 * when the wallet is locked.
 * @param {(account: string) => void} tell
 */
export function watch(tell) {
  tellSwitch = tell;
  const provider = connected?.provider;
  if (!provider || heard.has(provider)) return;
  heard.add(provider);
  listen(provider, 'accountsChanged', (accounts) => {
    if (connected?.provider === provider) switchTo(provider, accountsIn(accounts));
  });
  listen(provider, 'chainChanged', () => {
    if (connected && connected.provider === provider) tell(connected.account);
  });
}

/**
 * @param {Provider} provider
 * @param {Hex[]} accounts
 */
function switchTo(provider, [account]) {
  if (account) connected = { provider, account };
  tellSwitch(account ?? '');
}

/**
 * Make sure that the wallet still has this account. Not every wallet tells of a switch, so it is taken up here too: the
 * next payment is for the new account.
 * @param {Provider} provider
 * @param {string} address
 */
async function checkAccount(provider, address) {
  const accounts = accountsIn(await ask(provider, 'eth_accounts'));
  if (!accounts.length) throw new WalletError('locked');
  if (connected?.provider === provider && !sameAddress(accounts[0], connected.account)) switchTo(provider, accounts);
  if (!connected || !sameAddress(connected.account, address)) throw new WalletError('account_changed');
}

/**
 * The wallet, if it has this account now.
 * @param {string} address
 */
export async function providerWithAccount(address) {
  const { provider } = connection();
  if (!provider) throw new WalletError('no_wallet');
  await checkAccount(provider, address);
  return provider;
}

/**
 * The wallet, if it has this account and this network now. If it has another network, it asks the person to switch.
 * @param {string} network
 * @param {string} address
 */
export async function providerOn(network, address) {
  const provider = await providerWithAccount(address);
  if (await isOn(provider, network)) return provider;
  await switchChain(provider, network);
  if (!(await isOn(provider, network))) throw new WalletError('wrong_network');
  return provider;
}

/**
 * The network that the wallet has now, if it has this account; blank if it is locked or away. It opens no window.
 * @param {string} address
 */
export async function networkNow(address) {
  try {
    return `eip155:${chainIdIn(await ask(await providerWithAccount(address), 'eth_chainId'))}`;
  } catch {
    return '';
  }
}

/**
 * @param {Provider} provider
 * @param {string} network
 */
async function isOn(provider, network) {
  return chainIdIn(await ask(provider, 'eth_chainId')) === chainIdOf(network);
}

/**
 * @param {Provider} provider
 * @param {string} network
 */
async function switchChain(provider, network) {
  const chainId = `0x${chainIdOf(network).toString(16)}`;
  const change = () => ask(provider, 'wallet_switchEthereumChain', [{ chainId }]);
  try {
    await change();
  } catch (error) {
    if (!(error instanceof WalletError && error.code === '4902')) throw error; // 4902: the wallet does not know it
    await ask(provider, 'wallet_addEthereumChain', [{ chainId, ...chainToAdd(network) }]);
    if (!(await isOn(provider, network))) await change();
  }
}

/**
 * What a wallet needs to add a network.
 * @param {string} network
 */
function chainToAdd(network) {
  /** @type {Record<string, Network>} */
  const known = networks;
  const { name, rpc, explorer } = known[network];
  const nativeCurrency = { name: 'Ether', symbol: 'ETH', decimals: 18 };
  return { chainName: name, rpcUrls: [rpc], blockExplorerUrls: [explorer], nativeCurrency };
}
