/**
 * `<tabloop-chat>`: a button for any page, which opens the assistant in a corner of the page, which can still be read,
 * scrolled and used; on a small window it covers the page.
 * Rule: nothing of the assistant is loaded before somebody points at the button or has the focus on it, and then it
 * stays: a closed dialog keeps its conversation.
 *
 *   <script src="/assistant/embed.js" defer></script>
 *   <tabloop-chat></tabloop-chat>
 *
 * docs/site.md lists the attributes, all optional.
 */
import { CLOSE } from './framed.js';

const script = document.currentScript instanceof HTMLScriptElement ? document.currentScript.src : location.href;
const folder = new URL('.', script).href;

const SMALL = '(max-width: 40rem)';
const LOOKS = `
:host { display: inline-block; }
button { font: 500 1rem/1.4 system-ui, sans-serif; cursor: pointer; border: 0; border-radius: 9px; padding: 9px 1rem; }
.open { background: var(--tabloop-accent, #0b5d57); color: var(--tabloop-on-accent, #fff); }
button:focus-visible { outline: 2px solid currentcolor; outline-offset: 2px; }
dialog {
position: fixed; z-index: 999999; inset: auto 1rem 1rem auto; width: 380px; height: 560px;
max-height: calc(100dvh - 2rem); margin: 0; padding: 0; overflow: hidden;
border: 1px solid GrayText; border-radius: 1rem; background: Canvas; color: CanvasText; color-scheme: light dark;
box-shadow: 0 8px 32px #0005;
}
dialog[open] { display: flex; flex-direction: column; }
.close { align-self: flex-end; padding: 5px 1rem; font-size: 90%; background: none; color: inherit; }
iframe { flex: 1; width: 100%; border: 0; }
@media ${SMALL} {
dialog { inset: 0; width: 100%; height: 100%; max-width: none; max-height: none; border: 0; border-radius: 0; }
}`;

class TabloopChat extends HTMLElement {
  #button = document.createElement('button');
  #close = document.createElement('button');
  #dialog = document.createElement('dialog');
  /** @type {HTMLIFrameElement | undefined} */
  #frame;

  connectedCallback() {
    addEventListener('message', this.#heard);
    if (this.shadowRoot) return; // it was moved
    const root = this.attachShadow({ mode: 'open' });
    const sheet = new CSSStyleSheet(); // allowed by policies that forbid a style element
    sheet.replaceSync(LOOKS);
    root.adoptedStyleSheets = [sheet];
    const german = /^de\b/i.test(this.closest('[lang]')?.getAttribute('lang') || '');
    const label = this.getAttribute('label') || (german ? 'Fragen' : 'Ask');
    this.#button.className = 'open';
    this.#button.part.add('button');
    this.#button.textContent = label;
    this.#button.ariaHasPopup = 'dialog';
    this.#close.className = 'close';
    this.#close.textContent = this.getAttribute('close') || (german ? 'Schließen' : 'Close');
    this.#dialog.ariaLabel = label;
    this.#dialog.part.add('dialog');
    this.#dialog.append(this.#close);
    root.append(this.#button, this.#dialog);
    this.#button.onpointerenter = this.#button.onfocus = () => void this.#load();
    this.#button.onclick = () => (this.#dialog.open ? this.close() : this.open());
    this.#close.onclick = () => this.close();
    this.#dialog.onkeydown = ({ key }) => {
      if (key === 'Escape') this.close();
    };
  }

  disconnectedCallback() {
    removeEventListener('message', this.#heard);
  }

  /** Opens the dialog, with the cursor in the message box. */
  open() {
    const frame = this.#load();
    if (!this.#dialog.open) this.#show();
    frame.focus();
  }

  /** Closes the dialog; the focus returns to the button. */
  close() {
    this.#dialog.popover = null;
    this.#dialog.close();
    this.#button.focus();
  }

  #show() {
    const dialog = this.#dialog;
    if (matchMedia(SMALL).matches) return dialog.showModal();
    dialog.show();
    dialog.popover = 'manual'; // above the page, even where the button is in a header with a filter or transform
    try {
      dialog.showPopover();
    } catch (_error) {
      // in older browsers it stays where its parents put it
    }
  }

  #load() {
    if (this.#frame) return this.#frame;
    const address = new URL('index.html', new URL(this.getAttribute('src') || folder, document.baseURI));
    const question = this.getAttribute('ask');
    if (question) address.searchParams.set('q', question);
    const frame = document.createElement('iframe');
    frame.src = address.href;
    // another name for each assistant of the page, so that each keeps its own conversation (shell_keep.js)
    frame.name = String([...document.querySelectorAll('tabloop-chat')].indexOf(this) || '');
    frame.title = this.#dialog.ariaLabel || '';
    frame.allow = 'clipboard-write';
    frame.onload = () => this.#dialog.open && frame.focus(); // loading has lost it
    this.#dialog.append(frame);
    this.#frame = frame;
    return frame;
  }

  /** @param {MessageEvent} event */
  #heard = ({ source, origin, data }) => {
    const frame = this.#frame;
    if (data !== CLOSE || source !== frame?.contentWindow) return;
    if (frame && origin === new URL(frame.src).origin) this.close();
  };
}

// a site that replaces its pages by script runs this file again
if (!customElements.get('tabloop-chat')) customElements.define('tabloop-chat', TabloopChat);
