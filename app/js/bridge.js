/**
 * What Python asks of the browser and the browser may refuse: requests, files, storage, clipboard, promises.
 * Rule: every failure reaches Python as a BridgeError or as a plain value. An engine's own kind of error may lack what
 * Pyodide needs to see an exception in it (WebKit's have no `stack`), and then Python waits for ever.
 *
 * Python finds this module as `tabloop_bridge` (boot.js registers it, browser/bridge.py declares it).
 */

/**
 * The error that Python reads. `kind`: "invalid" (not even tried), "network" (no response, or it broke off), "missing"
 * (no such file), "broken" (a file that does not work here), or the code of who threw. `host` may be blank, `detail`
 * holds the browser's words.
 */
export class BridgeError extends Error {
  constructor(kind, host = '', cause = undefined) {
    const detail = messageOf(cause);
    super(`${kind}${host && ` at ${host}`}${detail && `: ${detail}`}`);
    this.name = 'BridgeError';
    this.kind = String(kind);
    this.host = host;
    this.detail = detail;
    if (!('stack' in this)) this.stack = '';
  }
}

/** What an error says; even to look at one may throw. */
function messageOf(error) {
  try {
    return error === undefined || error === null ? '' : String(error.message ?? error);
  } catch {
    return 'an error that cannot be read';
  }
}

function codeOf(error) {
  try {
    return String(error.code || error.name || 'failed');
  } catch {
    return 'failed';
  }
}

function hostOf(url) {
  try {
    return new URL(url, globalThis.document?.baseURI).host;
  } catch {
    return '';
  }
}

/** One HTTP request: `await head()`, then `await read()` until it gives null. `abort()` ends it at any moment. */
export class BrowserRequest {
  #request;
  #reader = null;
  #controller = new AbortController();
  #host;

  /** Throws "invalid" for an address, a header or a method that the browser would never send. */
  constructor(url, options) {
    this.#host = hostOf(url);
    try {
      this.#request = new Request(url, { ...options, signal: this.#controller.signal });
    } catch (error) {
      throw new BridgeError('invalid', this.#host, error);
    }
  }

  /** The status and the headers, whose names are in lower case. */
  async head() {
    try {
      const response = await fetch(this.#request);
      this.#reader = response.body?.getReader() ?? null;
      return { status: response.status, headers: Object.fromEntries(response.headers) };
    } catch (error) {
      throw new BridgeError('network', this.#host, error);
    }
  }

  /** The next bytes of the body, or null at its end. */
  async read() {
    if (!this.#reader) return null;
    try {
      for (;;) {
        const { done, value } = await this.#reader.read();
        if (done) return null;
        if (value.length) return value; // an empty piece is no end
      }
    } catch (error) {
      throw new BridgeError('network', this.#host, error);
    }
  }

  abort() {
    this.#controller.abort();
  }
}

export const request = (url, options) => new BrowserRequest(url, options);

async function file(url, options) {
  let response;
  try {
    response = await fetch(url, options);
  } catch (error) {
    throw new BridgeError('network', hostOf(url), error);
  }
  if (!response.ok) throw new BridgeError('missing', hostOf(url), `HTTP ${response.status}`);
  return response;
}

/** The text of a file as it is on the server now. */
export async function readText(url) {
  const response = await file(url, { cache: 'no-cache' });
  try {
    return await response.text();
  } catch (error) {
    throw new BridgeError('network', hostOf(url), error);
  }
}

/** A JavaScript module. `import` does not say what is wrong with its file, so a failed one is asked for again. */
export async function importModule(url) {
  try {
    return await import(url);
  } catch (error) {
    await file(url);
    throw new BridgeError('broken', hostOf(url), error);
  }
}

/** `await module[name](...given)`; what it throws comes as a BridgeError with its code as `kind`. */
export async function call(module, name, ...given) {
  try {
    return await module[name](...given);
  } catch (error) {
    throw error instanceof BridgeError ? error : new BridgeError(codeOf(error), '', error);
  }
}

// Storage: some browsers forbid it, some have a null in its place, and any may be full.

/** What is kept under the name; null where nothing is, or nothing may be read. */
export function recall(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** Whether it is kept now. */
export function remember(name, text) {
  try {
    localStorage.setItem(name, text);
    return true;
  } catch {
    return false;
  }
}

/** Whether nothing is kept under the name any more. */
export function forget(name) {
  try {
    localStorage.removeItem(name);
    return true;
  } catch {
    return false;
  }
}

/** Whether the text is on the clipboard; there is none over plain HTTP, and the browser may refuse. */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
