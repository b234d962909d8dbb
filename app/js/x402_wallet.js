/* Wallets in the browser: found by EIP-6963, asked by EIP-1193.
   Rule: account and chain are looked at right before each signature and each read of the chain,
   and a wallet is asked one thing at a time. */

import networks from "../tabloop/core/networks.json";
import { WalletError } from "./x402_error.js";
import { decodeFunctionResult, encodeFunctionData } from "./x402_viem.js";

const CODES = { 4001: "4001", ACTION_REJECTED: "4001" };
const FOUND_WITHIN = 250; // milliseconds; extensions announce themselves at once

const found = new Map();
let chosen = null; // {id, provider}
let account = "";
let tellSwitch = () => {};
let turns = new Map(); // provider: the end of its last request. A wallet shows one, and refuses the others
const waiting = new Set(); // ends the wait for an answer

const lower = (text) => String(text ?? "").toLowerCase();
const chainId = (network) => Number(network.split(":")[1]);

/** Wallets that announce themselves, as [{id, name, icon}]. */
export async function discover(within = FOUND_WITHIN) {
  const hear = ({ detail }) => detail?.info?.uuid && found.set(detail.info.rdns || detail.info.uuid, detail);
  found.clear(); // what is there now, and no more
  addEventListener("eip6963:announceProvider", hear);
  dispatchEvent(new Event("eip6963:requestProvider"));
  await new Promise((done) => setTimeout(done, within));
  removeEventListener("eip6963:announceProvider", hear);
  if (!found.size && globalThis.ethereum?.request)
    found.set("injected", { info: { name: "Wallet", icon: "" }, provider: globalThis.ethereum });
  return [...found].map(([id, { info }]) => ({ id, name: String(info.name), icon: String(info.icon ?? "") }));
}

/** Whether a page of another origin has this one in a frame: it could lay something over the buttons. */
function isFramed() {
  try {
    for (let inner = globalThis; inner.parent && inner.parent !== inner; inner = inner.parent)
      if (inner.parent.location.origin !== location.origin) return true;
    return false;
  } catch {
    return true;
  }
}

/** Ask the wallet for its account; with `silent`, only where it was given before. */
export async function connect(id, { silent = false } = {}) {
  if (isFramed()) throw new WalletError("framed");
  if (!found.size) await discover();
  const entry = found.get(id);
  if (!entry) throw new WalletError("no_wallet");
  if (!silent) abandon(); // the person has turned to this wallet
  const [first] = await ask(entry.provider, silent ? "eth_accounts" : "eth_requestAccounts");
  if (!first && !silent) throw new WalletError("not_connected");
  account = first ?? "";
  chosen = account ? { id, provider: entry.provider } : null;
  return account;
}

export function disconnect() {
  abandon("not_connected");
  chosen = null;
  account = "";
}

/** The account that pays. */
export function current() {
  if (!chosen || !account) throw new WalletError("not_connected");
  return account;
}

/** Call `tell(account)` when the person switches account or network in the wallet. */
export function watch(tell) {
  const { provider } = chosen ?? {};
  tellSwitch = tell;
  provider?.on?.("accountsChanged", (accounts) => chosen?.provider === provider && takeUp(accounts));
  provider?.on?.("chainChanged", () => chosen?.provider === provider && tell(account));
}

/** From now on this is the account: what the wallet says counts, however we hear of it. */
function takeUp([first = ""]) {
  account = first;
  if (!account) chosen = null;
  tellSwitch(account);
}

/** Make sure that the wallet has this account still. Not every wallet tells of a switch: the next try is for the new one. */
async function sameAccount(provider, address) {
  const accounts = await ask(provider, "eth_accounts");
  if (!accounts.length) throw new WalletError("not_connected");
  if (lower(accounts[0]) !== lower(account) && chosen?.provider === provider) takeUp(accounts);
  if (lower(account) !== lower(address)) throw new WalletError("account_changed");
}

/** Make sure that the wallet has this account and this network; switching asks the person. */
export async function guard(network, address = current()) {
  if (!chosen) throw new WalletError("not_connected");
  const { provider } = chosen;
  await sameAccount(provider, address);
  if (await isOn(provider, network)) return;
  const hex = `0x${chainId(network).toString(16)}`;
  const change = () => ask(provider, "wallet_switchEthereumChain", [{ chainId: hex }]);
  try {
    await change();
  } catch (error) {
    if (error.code !== "4902") throw error;
    await ask(provider, "wallet_addEthereumChain", [{ chainId: hex, ...chainToAdd(network) }]);
    if (!(await isOn(provider, network))) await change();
  }
  if (!(await isOn(provider, network))) throw new WalletError("wrong_network");
}

/** What a wallet has to know of a network that it has not. */
function chainToAdd(network) {
  const { name, rpc, explorer } = networks[network];
  const nativeCurrency = { name: "Ether", symbol: "ETH", decimals: 18 };
  return { chainName: name, rpcUrls: [rpc], blockExplorerUrls: [explorer], nativeCurrency };
}

/** The wallet as the schemes of the SDK want it, for one account on one network. */
export function signerFor(network, address) {
  return {
    address,
    async signTypedData({ domain, types, primaryType, message }) {
      await guard(network, address);
      const fields = [["name", "string"], ["version", "string"], ["chainId", "uint256"], ["verifyingContract", "address"]];
      const EIP712Domain = fields.filter(([key]) => key in domain).map(([name, type]) => ({ name, type }));
      const document = { types: { EIP712Domain, ...types }, domain, primaryType, message };
      const text = JSON.stringify(document, (_, value) => (typeof value === "bigint" ? String(value) : value));
      return ask(chosen.provider, "eth_signTypedData_v4", [address, text]);
    },
    // a read goes to the wallet's active chain; contracts have the same address on all of them,
    // so that a channel read on the wrong one is simply empty
    async readContract({ address: to, abi, functionName, args = [] }) {
      await guard(network, address);
      const data = encodeFunctionData({ abi, functionName, args });
      const result = await ask(chosen.provider, "eth_call", [{ to, data }, "latest"]);
      return decodeFunctionResult({ abi, functionName, data: result });
    },
    async writeContract({ address: to, abi, functionName, args }) {
      await guard(network, address);
      const data = encodeFunctionData({ abi, functionName, args });
      return ask(chosen.provider, "eth_sendTransaction", [{ from: address, to, data }]);
    },
  };
}

/** A text signed by exactly this account, as `personal_sign` does it. */
export async function signText(text, address) {
  const bytes = new TextEncoder().encode(text);
  const hex = `0x${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
  if (lower(current()) !== lower(address)) throw new WalletError("account_changed");
  const { provider } = chosen;
  await sameAccount(provider, address);
  return ask(provider, "personal_sign", [hex, address]);
}

async function isOn(provider, network) {
  return Number(await ask(provider, "eth_chainId")) === chainId(network);
}

/** Wait for no answer any more, and begin anew: a wallet may swallow a request, and none can be taken back.
    What was to come after such an answer never comes, least of all another window of the wallet. */
export function abandon(code = "-32002") {
  turns = new Map();
  for (const end of waiting) end(new WalletError(code));
  waiting.clear();
}

function ask(provider, method, params) {
  const now = turns, before = now.get(provider) ?? Promise.resolve();
  const answer = before.then(() => now === turns && provider.request({ method, ...(params && { params }) }))
    .catch((error) => { throw readable(error); });
  now.set(provider, answer.catch(() => {}));
  return new Promise((resolve, reject) => {
    waiting.add(reject);
    answer.then(resolve, reject).finally(() => waiting.delete(reject));
  });
}

/** An error of a wallet's own making, which need not be one: even to look at it may throw. */
function readable(error) {
  try {
    // some wallets wrap the real code
    const code = error?.data?.originalError?.code ?? error?.code ?? error?.cause?.code;
    return new WalletError(CODES[code] ?? code ?? "wallet_failed", String(error?.message ?? error));
  } catch {
    return new WalletError("wallet_failed", "an error that cannot be read");
  }
}
