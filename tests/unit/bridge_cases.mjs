// Runs app/js/bridge.js over a browser that fails, and prints the result of each case; test_bridge.py reads it.
// WebKit's own errors have no `stack`, and some wallets throw values that are not errors.
import * as bridge from '../../app/js/bridge.js';

class Stackless {
  constructor(name, message) {
    Object.assign(this, { name, message });
  }
}
const stackless = new Stackless('TypeError', 'Load failed');
const cursed = new Proxy(
  {},
  {
    get() {
      throw new Error('hands off');
    },
  },
);
const failing = (error) => ({ getReader: () => ({ read: () => Promise.reject(error) }) });
const throwing = {
  getItem() {
    throw stackless;
  },
  setItem() {
    throw stackless;
  },
  removeItem() {
    throw stackless;
  },
};
const wallet = {
  ask: (error) => Promise.reject(error),
  tell: async () => 7,
  burst() {
    throw stackless;
  },
};
const told = async (work) => {
  try {
    return { value: await work() };
  } catch (error) {
    const { name, kind, host, detail } = error;
    return { seen: error instanceof Error && 'stack' in error && 'message' in error, name, kind, host, detail };
  }
};
const answers = (response) => {
  globalThis.fetch = async () => response;
};
const fails = (error) => {
  globalThis.fetch = () => Promise.reject(error);
};
const request = () => bridge.request('https://llm.example:8443/v1', { method: 'POST' });
const cases = {
  async dead() {
    fails(stackless);
    return told(() => request().head());
  },
  async invalid() {
    return told(() => bridge.request('https://a.example', { headers: { a: '\u2028' } }));
  },
  async redirected() {
    const asked = [];
    globalThis.fetch = async (target, options) => {
      asked.push(typeof target === 'string' ? [target, options.headers, options.body] : [target.url]);
      return typeof target === 'string'
        ? { redirected: true, url: 'https://b.example/v1' }
        : { type: 'opaqueredirect', headers: new Headers() };
    };
    const options = { method: 'POST', redirect: 'manual', headers: { authorization: 'x' }, body: '{}' };
    return { told: await told(() => bridge.request('https://a.example/v1?key=x', options).head()), asked };
  },
  async reset() {
    answers({ status: 200, headers: new Headers({ 'X-Cost': '7', Constructor: 'x' }), body: failing(stackless) });
    const sent = request();
    const head = await sent.head();
    return { head, read: await told(() => sent.read()) };
  },
  async empty() {
    answers({ status: 204, headers: new Headers(), body: null });
    const sent = request();
    await sent.head();
    return told(() => sent.read());
  },
  async pieces() {
    answers(
      new Response(
        new ReadableStream({
          start(to) {
            to.enqueue(new Uint8Array());
            to.enqueue(new Uint8Array([65]));
            to.close();
          },
        }),
      ),
    );
    const sent = request();
    await sent.head();
    return [[...(await sent.read())], await sent.read()];
  },
  async gone() {
    answers(new Response('', { status: 404 }));
    return told(() => bridge.readText('https://a.example/x.toml'));
  },
  async module() {
    answers(new Response('<p>'));
    return told(() => bridge.importModule('data:text/javascript,throw 1'));
  },
  async module_gone() {
    answers(new Response('', { status: 404 }));
    return told(() => bridge.importModule('data:text/javascript,throw 1'));
  },
  async wallet() {
    return told(() => bridge.call(wallet, 'ask', { code: 4001, message: 'User rejected' }));
  },
  async wallet_text() {
    return told(() => bridge.call(wallet, 'ask', 'no'));
  },
  async wallet_nothing() {
    return told(() => bridge.call(wallet, 'ask', undefined));
  },
  async wallet_cursed() {
    return told(() => bridge.call(wallet, 'ask', cursed));
  },
  async wallet_sync() {
    return told(() => bridge.call(wallet, 'burst'));
  },
  async wallet_fine() {
    return told(() => bridge.call(wallet, 'tell'));
  },
  async storage() {
    globalThis.localStorage = throwing;
    return [bridge.recall('a'), bridge.remember('a', 'b'), bridge.forget('a')];
  },
  async storage_null() {
    globalThis.localStorage = null;
    return [bridge.recall('a'), bridge.remember('a', 'b'), bridge.forget('a')];
  },
  async clipboard() {
    return bridge.copyText('text');
  },
};
const results = {};
for (const [name, run] of Object.entries(cases)) results[name] = await run();
console.log(JSON.stringify(results));
