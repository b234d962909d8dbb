/**
 * A chain for tests: anvil, with the contracts of contracts.sol at the real chains' addresses.
 * Rule: it listens on loopback, starts empty, and ends with its parent.
 */

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createWalletClient, defineChain, http, parseAbi, publicActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

const networks = JSON.parse(readFileSync(new URL('../../../app/tabloop/core/networks.json', import.meta.url), 'utf8'));
export const USDC = Object.fromEntries(Object.entries(networks).map(([id, { usdc }]) => [id, usdc.address]));
const CANONICAL = {
  Escrow: '0x4020074e9dF2ce1deE5A9C1b5c3f541D02a10003',
  Erc3009Collector: '0x4020806089470a89826cB9fB1f4059150b550004',
  Multicall: '0xcA11bde05977b3631167028862bE2a173976CA11',
};
export const dollarAbi = parseAbi([
  'function mint(address to, uint256 value)',
  'function balanceOf(address) view returns (uint256)',
]);

/** The runtime code of each contract, by name. The compiler takes seconds, so its output is kept in node_modules. */
export async function compile() {
  const source = readFileSync(new URL('contracts.sol', import.meta.url), 'utf8');
  const name = `node_modules/.contracts-${createHash('sha256').update(source).digest('hex')}.json`;
  const kept = new URL(name, import.meta.url);
  if (existsSync(kept)) return JSON.parse(readFileSync(kept, 'utf8'));
  const { default: solc } = await import('solc');
  const settings = { optimizer: { enabled: true }, outputSelection: { '*': { '*': ['evm.deployedBytecode.object'] } } };
  const asked = { language: 'Solidity', sources: { 'contracts.sol': { content: source } }, settings };
  const { errors = [], contracts } = JSON.parse(solc.compile(JSON.stringify(asked)));
  const fatal = errors.filter(({ severity }) => severity === 'error');
  if (fatal.length) throw new Error(fatal.map((error) => error.formattedMessage).join('\n'));
  const all = Object.entries(contracts['contracts.sol']);
  const code = Object.fromEntries(all.map(([name, { evm }]) => [name, `0x${evm.deployedBytecode.object}`]));
  writeFileSync(kept, JSON.stringify(code));
  return code;
}

function anvil() {
  const os = process.platform === 'win32' ? 'win32' : process.platform;
  const cpu = process.arch === 'x64' ? 'amd64' : process.arch;
  const name = `@foundry-rs/anvil-${os}-${cpu}/bin/anvil${os === 'win32' ? '.exe' : ''}`;
  return createRequire(import.meta.url).resolve(name);
}

/** Start a chain with the id of `network` (CAIP-2). `key` signs for `client`. Returns {url, client, stop}. */
export async function startChain(network, key) {
  const id = Number(network.split(':')[1]);
  // a block every second, as on a real chain, and one at once for each transaction
  const blocks = ['--block-time', '1', '--mixed-mining'];
  const options = ['--host', '127.0.0.1', '--port', '0', '--chain-id', String(id), ...blocks];
  const child = spawn(anvil(), options, { stdio: ['ignore', 'pipe', 'ignore'] });
  const url = await new Promise((resolve, reject) => {
    let said = '';
    child.stdout.on('data', (data) => {
      said += data;
      const at = /Listening on ([\d.]+:\d+)/.exec(said);
      if (at) resolve(`http://${at[1]}`);
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`anvil ended with ${code}`)));
  });
  const chain = defineChain({
    id,
    name: network,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });
  const account = privateKeyToAccount(key);
  const client = createWalletClient({ account, chain, transport: http(url), pollingInterval: 50 }).extend(
    publicActions,
  );
  const code = await compile();
  const places = { ...CANONICAL, Dollar: USDC[network] };
  await client.request({ method: 'anvil_setBalance', params: [account.address, '0x56bc75e2d63100000'] });
  for (const [name, place] of Object.entries(places))
    await client.request({ method: 'anvil_setCode', params: [place, code[name]] });
  return { url, client, stop: () => child.kill() };
}
