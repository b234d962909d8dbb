/**
 * A real paid server: x402's own middleware and facilitator in front of the free stand-ins.
 * Rule: loopback only, and no payment logic of our own.
 *
 * Its first argument is its settings as JSON. It writes one line of JSON when it is ready, and ends when its standard
 * input is closed.
 */

import { fileURLToPath } from 'node:url';
import { serve } from '@hono/node-server';
import { x402Facilitator } from '@x402/core/facilitator';
import { x402ResourceServer } from '@x402/core/server';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { BatchSettlementEvmScheme as BatchFacilitator } from '@x402/evm/batch-settlement/facilitator';
import { BatchSettlementEvmScheme as BatchServer } from '@x402/evm/batch-settlement/server';
import { ExactEvmScheme as ExactFacilitator } from '@x402/evm/exact/facilitator';
import { ExactEvmScheme as ExactServer } from '@x402/evm/exact/server';
import { paymentMiddleware, setSettlementOverrides } from '@x402/hono';
import { buildSync } from 'esbuild';
import { Hono } from 'hono';
import { keccak256, recoverMessageAddress, toBytes } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { dollarAbi, startChain, USDC } from './chain.js';

const settings = {
  networks: ['eip155:10', 'eip155:8453'], // each with a chain of its own; the first one is the usual one
  ceiling: '10000',
  picture: '70000',
  minDeposit: '100000',
  ...JSON.parse(process.argv[2] ?? '{}'),
};
const { networks } = settings;
const [network] = networks;
// The same keys at each start, because a browser remembers the recipient. They are worthless on other chains.
const keyOf = (role) => keccak256(toBytes(`tabloop stand-in: ${role}`));
const owner = privateKeyToAccount(keyOf('owner'));
const authorizer = privateKeyToAccount(keyOf('authorizer'));
const started = await Promise.all(networks.map((one) => startChain(one, keyOf('facilitator'))));
const chains = Object.fromEntries(networks.map((one, number) => [one, started[number]]));

const facilitator = new x402Facilitator();
for (const [one, { client }] of Object.entries(chains)) {
  // the SDK's adapter wants the address of the account that sends the facilitator's transactions
  const signer = toFacilitatorEvmSigner({ ...client, address: client.account.address });
  facilitator.register(one, new ExactFacilitator(signer));
  facilitator.register(one, new BatchFacilitator(signer, authorizer));
}
const inProcess = {
  verify: (payload, requirements) => facilitator.verify(payload, requirements),
  settle: (payload, requirements) => facilitator.settle(payload, requirements),
  getSupported: async () => facilitator.getSupported(),
};
const resources = new x402ResourceServer(inProcess);
const batch = new BatchServer(owner.address, { receiverAuthorizerSigner: authorizer });
for (const one of networks) {
  resources.register(one, new ExactServer());
  resources.register(one, batch);
}

const domain = { name: 'USD Coin', version: '2' };
const offers = (scheme, amount, extra) =>
  networks.map((one) => ({
    network: one,
    payTo: owner.address,
    maxTimeoutSeconds: 300,
    scheme,
    price: { amount, asset: USDC[one], extra: domain },
    ...(extra && { extra }),
  }));
const routes = {
  '/llm': {
    accepts: offers('batch-settlement', settings.ceiling, { minDeposit: settings.minDeposit }),
    description: 'Chat completions',
  },
  '/image': { accepts: offers('exact', settings.picture), description: 'A picture' },
};

let charge = null; // what each answer costs; null: by its usage
const app = new Hono();
app.use(paymentMiddleware(routes, resources));
app.post('/llm', async (c) => {
  const answer = await forward(settings.llm, c);
  const { usage } = answer.ok ? await answer.clone().json() : {};
  // by usage, up to the ceiling, as on the real server: $0.5 and $1.5 for a million tokens
  const cost = charge ?? Math.ceil((usage?.prompt_tokens ?? 0) * 0.5 + (usage?.completion_tokens ?? 0) * 1.5);
  setSettlementOverrides(c, { amount: String(Math.min(Math.max(1, cost), Number(settings.ceiling))) });
  return c.body(await answer.text(), answer.status, { 'content-type': 'application/json' });
});
app.post('/image', async (c) => {
  if (!settings.image) return c.json({ created: 0, data: [], model: 'none' });
  const answer = await forward(settings.image, c);
  return c.body(await answer.text(), answer.status, { 'content-type': 'application/json' });
});
app.get('/llm', (c) => c.json({})); // a refund is a paid GET
app.post('/test/mint', async (c) => {
  const { key, amount } = await c.req.json();
  const to = privateKeyToAccount(key).address;
  for (const [one, { client }] of Object.entries(chains)) {
    const call = { address: USDC[one], abi: dollarAbi, functionName: 'mint', args: [to, BigInt(amount)] };
    await client.waitForTransactionReceipt({ hash: await client.writeContract(call) });
    await client.request({ method: 'anvil_setBalance', params: [to, '0x56bc75e2d63100000'] });
  }
  return c.json({});
});
// the address that signed a text by personal_sign; blank if the signature is invalid
app.post('/test/recover', async (c) => {
  const address = await recoverMessageAddress(await c.req.json()).catch(() => '');
  return c.json({ address });
});
app.post('/test/charge', async (c) => {
  charge = (await c.req.json()).amount;
  return c.json({});
});
app.post('/test/chain', async (c) => {
  const { method, params = [], on = network } = await c.req.json();
  return c.json({ result: await chains[on].client.request({ method, params }) });
});
app.get('/test/balance/:who', async (c) => {
  const args = [c.req.param('who')];
  const balance = await chains[network].client.readContract({
    address: USDC[network],
    abi: dollarAbi,
    functionName: 'balanceOf',
    args,
  });
  return c.json({ balance: String(balance) });
});
app.get('/test/wallet.js', (c) => {
  const entry = fileURLToPath(new URL('wallet.js', import.meta.url));
  const options = { entryPoints: [entry], bundle: true, minify: true, format: 'iife', target: 'es2022', write: false };
  return c.body(buildSync(options).outputFiles[0].text, 200, { 'content-type': 'text/javascript' });
});
app.get('/test/channels', async (c) => c.json((await batch.getStorage().list()).map((one) => ({ ...one }))));
app.post('/test/claim', async (c) => {
  const manager = batch.createChannelManager(inProcess, network, USDC[network]);
  const { channel } = await c.req.json();
  // the chain may have been set back to before the other ones
  const selectClaimChannels = (all) => all.filter(({ channelId }) => channelId.toLowerCase() === channel);
  return c.json(await manager.claimAndSettle({ selectClaimChannels }));
});

const forward = (upstream, c) =>
  fetch(upstream, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: c.req.raw.clone().body,
    duplex: 'half',
  });

const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
  const said = {
    url: `http://127.0.0.1:${port}`,
    rpcs: Object.fromEntries(networks.map((one) => [one, chains[one].url])),
    network,
    payTo: owner.address,
    authorizer: authorizer.address,
  };
  process.stdout.write(`${JSON.stringify(said)}\n`);
});
const end = () => {
  for (const { stop } of started) stop();
  server.close();
  process.exit(0);
};
process.stdin.resume().once('end', end).once('error', end);
process.once('SIGTERM', end).once('SIGINT', end);
