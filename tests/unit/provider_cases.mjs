// Runs app/js/x402_provider.js over wallets that misbehave, and prints the result of each case; test_provider.py reads it.
import { abandon, accountsIn, ask, askHex, chainIdIn, listen } from '../../app/js/x402_provider.js';

const ACCOUNT = `0x${'aB'.repeat(20)}`;
const unreadable = new Proxy(
  {},
  {
    get() {
      throw new Error('hands off');
    },
  },
);
const answering = (value) => ({ request: async () => value });
const throwing = (error) => ({
  request() {
    throw error;
  },
});
const told = async (answer) => {
  try {
    return { value: await answer };
  } catch ({ name, code, message }) {
    return { name, code, message };
  }
};
const failure = (error) => told(ask(throwing(error), 'eth_accounts'));
const signature = (value) => told(askHex(answering(value), 'personal_sign', []));

/** A wallet that answers by hand: `open` has the function that answers each request, in their order. */
function slowWallet() {
  const open = [];
  return { open, request: ({ method }) => new Promise((answer) => open.push(() => answer(method))) };
}
const later = setTimeout;
const settle = () => new Promise((resolve) => later(resolve));

async function inTurn() {
  const wallet = slowWallet();
  const answers = [ask(wallet, 'first'), ask(wallet, 'second')];
  await settle();
  const atOnce = wallet.open.length;
  wallet.open[0]();
  await settle();
  wallet.open[1]();
  return { atOnce, answers: await Promise.all(answers) };
}

async function abandoned() {
  const wallet = slowWallet();
  const answers = [told(ask(wallet, 'first')), told(ask(wallet, 'second'))];
  await settle();
  abandon('not_connected');
  const codes = (await Promise.all(answers)).map(({ code }) => code);
  const next = ask(wallet, 'third');
  await settle();
  wallet.open[0](); // too late: the second request must not follow it
  wallet.open.at(-1)();
  return { codes, next: await next, requests: wallet.open.length };
}

/** A wallet that does not answer its first request, nor what it shows a person, when the time for both is up. */
async function silent() {
  const [wallet, ends] = [slowWallet(), []];
  globalThis.setTimeout = (end) => ends.push(end);
  const [failed, next] = ['eth_accounts', 'eth_chainId'].map((method) => told(ask(wallet, method)));
  await settle();
  ends[0]();
  await settle();
  wallet.open[1]();
  const signed = ask(wallet, 'personal_sign');
  await settle();
  for (const end of ends) end();
  await settle();
  wallet.open[2]();
  globalThis.setTimeout = later;
  return [(await failed).code, (await next).value, await signed];
}

/** What a listener hears of wallets that let nobody listen, and of one that does. */
function heard() {
  const values = [];
  for (const wallet of [{}, unreadable, { on: 5 }, { on: (_event, tell) => tell('account') }])
    listen(wallet, 'accountsChanged', (value) => values.push(value));
  return values;
}

const results = {
  heard: heard(),
  declined: await failure({ code: 4001, message: 'no' }),
  declined_by_name: await failure({ code: 'ACTION_REJECTED', message: 'no' }),
  wrapped: await failure({ code: -32603, message: 'no', data: { originalError: { code: 4902 } } }),
  text: await failure('no'),
  nothing: await failure(undefined),
  unreadable: await failure(unreadable),
  signature: await signature('0x1F'),
  signature_null: await signature(null),
  signature_text: await signature('signed'),
  signature_number: await signature(31),
  accounts: accountsIn([ACCOUNT]),
  accounts_none: [null, {}, ACCOUNT, [7], ['me'], ['0x12'], [unreadable]].map(accountsIn),
  chains: ['0xa', '10', 10].map(chainIdIn),
  chains_none: [null, {}, [10], 'ten', unreadable].map((value) => Number.isNaN(chainIdIn(value))),
  inner: await failure({ code: -32603, message: 'Internal error', data: { code: 3, message: 'execution reverted' } }),
  in_turn: await inTurn(),
  silent: await silent(),
  abandoned: await abandoned(),
};
console.log(JSON.stringify(results));
