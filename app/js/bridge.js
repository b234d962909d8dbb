/**
 * What Python needs of the browser and the browser may refuse: requests, files, storage, clipboard, promises.
 * Rule: every failure reaches Python as a BridgeError or as a plain value. Pyodide recognises an error by its `stack`.
 * WebKit's own errors have none, and if Python awaited a promise that is rejected with one, it would wait for ever.
 *
 * Python finds this module as `tabloop_bridge`: boot.js registers it, browser/bridge.py declares it.
 */

/**
 * The error that Python reads. `kind`: "invalid" (the request cannot be sent), "network" (no response), "redirected"
 * (`detail` is where to, blank if unknown), "cut_off" (the body broke off), "missing" (no such file), "broken" (a file that does not work here), or the code of who threw.
 * `host` may be blank, `detail` holds the browser's words.
 */
class BridgeError extends Error {
  /**
   * @param {string} kind
   * @param {string} [host]
   * @param {unknown} [cause]
   */
  constructor(kind, host = '', cause = undefined) {
    const detail = messageOf(cause);
    super(`${kind}${host && ` at ${host}`}${detail && `: ${detail}`}`);
    this.name = 'BridgeError';
    this.kind = kind;
    this.host = host;
    this.detail = detail;
    this.stack ??= '';
  }
}

/**
 * The message of whatever was thrown. Reading from it may itself throw.
 * @param {any} error
 */
function messageOf(error) {
  try {
    return error === undefined || error === null ? '' : String(error.message ?? error);
  } catch {
    return 'an error that cannot be read';
  }
}

/** @param {any} error whatever was thrown */
function codeOf(error) {
  try {
    // the `code` of a DOMException is a number from before it had names
    const code = error instanceof DOMException ? error.name : error.code;
    return String(code || error.name || 'failed');
  } catch {
    return 'failed';
  }
}

/** @param {string} url */
function hostOf(url) {
  try {
    return new URL(url, globalThis.document?.baseURI).host;
  } catch {
    return '';
  }
}

/**
 * The origin that an address redirects to; blank if the browser does not tell it. The request for it carries nothing:
 * no body, no header of ours and no query.
 * @param {string} url
 */
async function redirectTarget(url) {
  try {
    const { origin, pathname } = new URL(url);
    const options = { credentials: 'omit', referrerPolicy: 'no-referrer', signal: AbortSignal.timeout(3000) };
    const response = await fetch(origin + pathname, /** @type {RequestInit} */ (options));
    response.body?.cancel();
    return response.redirected ? new URL(response.url).origin : '';
  } catch {
    return '';
  }
}

/** One HTTP request: `await head()`, then `await read()` until it gives null. `abort()` ends it at any time. */
class BrowserRequest {
  #request;
  /** @type {ReadableStreamDefaultReader<Uint8Array> | null} */
  #reader = null;
  #controller = new AbortController();
  #host;

  /**
   * Throws "invalid" for an address, a header or a method that the browser would never send.
   * @param {string} url
   * @param {RequestInit} options
   */
  constructor(url, options) {
    this.#host = hostOf(url);
    try {
      this.#request = new Request(url, { ...options, signal: this.#controller.signal });
    } catch (error) {
      throw new BridgeError('invalid', this.#host, error);
    }
  }

  /** The status, and [name, value] of each header, names in lower case: a server chooses them, "constructor" too. */
  async head() {
    let response;
    try {
      response = await fetch(this.#request);
    } catch (error) {
      throw new BridgeError('network', this.#host, error);
    }
    if (response.type === 'opaqueredirect')
      throw new BridgeError('redirected', this.#host, (await redirectTarget(this.#request.url)) || undefined);
    this.#reader = response.body?.getReader() ?? null;
    return { status: response.status, headers: [...response.headers] };
  }

  /** The next bytes of the body, or null at its end. */
  async read() {
    if (!this.#reader) return null;
    try {
      for (;;) {
        const { done, value } = await this.#reader.read();
        if (done) return null;
        if (value.length) return value; // an empty piece is not the end
      }
    } catch (error) {
      throw new BridgeError('cut_off', this.#host, error);
    }
  }

  abort() {
    this.#controller.abort();
  }
}

/**
 * @param {string} url
 * @param {RequestInit} options
 */
export const request = (url, options) => new BrowserRequest(url, options);

/**
 * @param {string} url
 * @param {RequestInit} [options]
 */
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

/**
 * The text of a file as it is on the server now.
 * @param {string} url
 */
export async function readText(url) {
  const response = await file(url, { cache: 'no-cache' });
  try {
    return await response.text();
  } catch (error) {
    throw new BridgeError('network', hostOf(url), error);
  }
}

/**
 * A JavaScript module; `url` may be relative to the folder of this build. The error of `import` does not say what is wrong with the file, so it is requested again.
 * @param {string} url
 */
export async function importModule(url) {
  const address = new URL(url, import.meta.url).href;
  try {
    return await import(address);
  } catch (error) {
    await file(address);
    throw new BridgeError('broken', hostOf(address), error);
  }
}

/**
 * `await module[name](...given)`. What it throws becomes a BridgeError with the error's code as `kind`.
 * @param {Record<string, (...given: unknown[]) => unknown>} module
 * @param {string} name
 * @param {unknown[]} given
 */
export async function call(module, name, ...given) {
  try {
    return await module[name](...given);
  } catch (error) {
    throw error instanceof BridgeError ? error : new BridgeError(codeOf(error), '', error);
  }
}

// Storage: some browsers forbid it, in some `localStorage` is null, and it may be full.

/**
 * What is stored under the name; null if nothing is stored or nothing may be read.
 * @param {string} name
 */
export function recall(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/**
 * Store a text. Returns whether it is stored now.
 * @param {string} name
 * @param {string} text
 */
export function remember(name, text) {
  try {
    localStorage.setItem(name, text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Remove what is stored under the name. Returns whether nothing is stored there now.
 * @param {string} name
 */
export function forget(name) {
  try {
    localStorage.removeItem(name);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns whether the text is on the clipboard now. Over plain HTTP there is no clipboard, and the browser may refuse.
 * @param {string} text
 */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Copy a text in two flavours; the program into which it is pasted takes the one that it understands.
 * Returns whether at least the text is on the clipboard now.
 * @param {string} text
 * @param {string} html
 */
export async function copyRich(text, html) {
  try {
    const flavours = { 'text/plain': text, 'text/html': html };
    const blobs = Object.entries(flavours).map(([type, content]) => [type, new Blob([content], { type })]);
    await navigator.clipboard.write([new ClipboardItem(Object.fromEntries(blobs))]);
    return true;
  } catch {
    return copyText(text);
  }
}
