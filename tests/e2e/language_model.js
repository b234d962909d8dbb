/**
 * A stand-in for the browser's LanguageModel, injected before the page's own scripts.
 * Rule: it follows https://webmachinelearning.github.io/prompt-api/ option by option, also in what it refuses.
 *
 * `testModel` is what a test sets, `testModel.asked` what the page has done.
 */
(() => {
  const test = {
    state: 'available', // what availability() answers, unless a language or a policy forbids more
    languages: ['en', 'de', 'es', 'fr', 'ja'],
    context: 6144, // tokens; a token is four characters here
    steps: [], // a reply, or {text, error, wait, destroy}: what each prompt gets
    download: { error: null, hold: false, message: '' },
    monitors: [],
    schema: true, // whether it supports the schema
    asked: { availability: [], create: [], prompts: [], aborted: 0, clones: 0 },
    live: new Set(),
    stream: null, // makes what promptStreaming() returns instead of a stream of the steps
    session: null, // makes what create() returns instead of a session
    go: null, // lets a held reply go on
    reset(more) {
      Object.assign(test, { state: 'available', context: 6144, steps: [], schema: true, monitors: [] }, more);
      test.download = { error: null, hold: false, message: '', ...more?.download };
      test.asked = { availability: [], create: [], prompts: [], aborted: 0, clones: 0 };
    },
    progress(loaded) {
      for (const monitor of test.monitors) {
        monitor.dispatchEvent(new ProgressEvent('downloadprogress', { loaded, total: 1, lengthComputable: true }));
      }
    },
    finish() {
      test.progress(1);
      test.state = 'available';
      test.downloaded?.();
    },
    fail(name, message) {
      test.state = 'downloadable';
      test.undownloaded?.(new DOMException(message ?? 'the download failed', name));
    },
    destroyAll() {
      for (const session of test.live) session.destroy();
    },
  };

  const ROLES = ['system', 'user', 'assistant'];
  const MODES = ['default', 'most-predictable', 'predictable', 'balanced', 'creative', 'most-creative'];
  const allowed = () => document.featurePolicy?.allowsFeature('language-model') ?? true;

  function validated(options) {
    for (const list of [options.expectedInputs ?? [], options.expectedOutputs ?? []]) {
      for (const { type, languages } of list) {
        if (!['text', 'image', 'audio'].includes(type)) throw new TypeError(`no type: ${type}`);
        if (languages !== undefined) Intl.getCanonicalLocales(languages); // a RangeError for bad tags
      }
    }
    if (options.samplingMode && !MODES.includes(options.samplingMode)) throw new TypeError('no sampling mode');
    if (options.initialPrompts) canonical(options.initialPrompts, false);
  }

  function canonical(input, begun) {
    if (typeof input === 'string') return [{ role: 'user', content: input }];
    if (!Array.isArray(input)) throw new TypeError('neither a string nor a list');
    return input.map(({ role, content, prefix }, index) => {
      if (!ROLES.includes(role)) throw new TypeError(`no role: ${role}`);
      if (typeof content !== 'string') throw new TypeError('this stand-in takes text only');
      if (role === 'system' && (begun || index)) throw new TypeError('a system prompt must come first');
      if (prefix) throw new DOMException('not the last', 'SyntaxError');
      return { role, content };
    });
  }

  function availabilityOf(options) {
    if (test.state === 'broken') throw new DOMException('try again later', 'UnknownError');
    const texts = [...(options.expectedInputs ?? []), ...(options.expectedOutputs ?? [])];
    const known = texts.every(({ languages }) =>
      (languages ?? []).every((tag) => test.languages.includes(tag.split('-')[0])),
    );
    return known && texts.every(({ type }) => type === 'text') ? test.state : 'unavailable';
  }

  const size = (messages) => messages.reduce((sum, { content }) => sum + Math.ceil(content.length / 4) + 3, 0);

  class LanguageModel extends EventTarget {
    #messages;
    #gone = new AbortController();
    oncontextoverflow = null;

    constructor(messages) {
      super();
      this.#messages = messages;
      test.live.add(this);
    }

    static async availability(options = {}) {
      validated(options);
      test.asked.availability.push(structuredClone(options));
      return allowed() ? availabilityOf(options) : 'unavailable';
    }

    static async create({ monitor, signal, ...options } = {}) {
      validated(options);
      signal?.throwIfAborted();
      if (!allowed()) throw new DOMException('Access denied because of the policy.', 'NotAllowedError');
      test.asked.create.push(structuredClone(options));
      if (test.session) return test.session();
      const aborted = new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
      const target = new EventTarget();
      monitor?.(target);
      const state = availabilityOf(options);
      if (state === 'unavailable') throw new DOMException('not on this device', 'NotSupportedError');
      if (state !== 'available') await Promise.race([LanguageModel.#download(state, target), aborted]);
      const messages = canonical(options.initialPrompts ?? [], false);
      if (size(messages) > test.context) {
        throw new QuotaExceededError('too long', { requested: size(messages), quota: test.context });
      }
      const session = new LanguageModel(messages);
      signal?.addEventListener('abort', () => session.#gone.abort(signal.reason));
      return session;
    }

    static async #download(state, target) {
      if (state === 'downloadable' && !navigator.userActivation.isActive) {
        throw new DOMException('Requires a user gesture.', 'NotAllowedError');
      }
      if (test.download.error) throw new DOMException(test.download.message, test.download.error);
      test.state = 'downloading';
      test.monitors.push(target);
      await new Promise((resolve, reject) => {
        test.downloaded = resolve;
        test.undownloaded = reject;
        test.progress(0);
        if (!test.download.hold) test.finish();
      });
    }

    get contextWindow() {
      return test.context;
    }

    get contextUsage() {
      return size(this.#messages);
    }

    async measureContextUsage(input, options = {}) {
      if (options.omitResponseConstraintInput && !options.responseConstraint) throw new TypeError('no constraint');
      this.#gone.signal.throwIfAborted();
      return size(canonical(input, false));
    }

    promptStreaming(input, options = {}) {
      if (options.omitResponseConstraintInput && !options.responseConstraint) throw new TypeError('no constraint');
      if (test.stream) return test.stream();
      const signal = AbortSignal.any([this.#gone.signal, ...(options.signal ? [options.signal] : [])]);
      signal.throwIfAborted();
      const messages = canonical(input, this.contextUsage > 0);
      let done = false;
      return new ReadableStream({
        start: async (stream) => {
          signal.addEventListener('abort', () => {
            if (!done) {
              test.asked.aborted += 1;
              stream.error(signal.reason);
            }
            done = true;
          });
          try {
            await this.#generate(messages, options.responseConstraint, stream, signal);
            done = true;
          } catch (error) {
            if (!done) stream.error(error);
            done = true;
          }
        },
      });
    }

    async #generate(messages, schema, stream, signal) {
      if (schema && !test.schema) throw new DOMException('not this schema', 'NotSupportedError');
      const requested = this.contextUsage + size(messages);
      if (requested > test.context) {
        throw new QuotaExceededError('too long', { requested, quota: test.context });
      }
      test.asked.prompts.push({ messages, schema });
      const step = test.steps.shift();
      if (step === undefined) throw new DOMException('no reply is left in this test', 'UnknownError');
      const { text, error, hold, destroy } = typeof step === 'string' ? { text: step } : step;
      const piece = Math.max(7, Math.ceil(text.length / 20));
      for (let at = 0; at < text.length; at += piece) {
        if (signal.aborted) return;
        stream.enqueue(text.slice(at, at + piece));
        await new Promise((next) => setTimeout(next));
      }
      if (destroy) this.destroy();
      if (hold) await new Promise((next) => (test.go = next));
      if (signal.aborted) return;
      if (error) throw new DOMException('half a sentence is enough', error);
      this.#messages.push(...messages, { role: 'assistant', content: text });
      stream.close();
    }

    async clone({ signal } = {}) {
      this.#gone.signal.throwIfAborted();
      signal?.throwIfAborted();
      test.asked.clones += 1;
      return new LanguageModel([...this.#messages]);
    }

    destroy() {
      test.live.delete(this);
      this.#gone.abort(new DOMException('The session has been destroyed.', 'AbortError'));
    }
  }

  Object.defineProperty(window, 'LanguageModel', { value: LanguageModel, configurable: true, writable: true });
  window.testModel = test;
})();
