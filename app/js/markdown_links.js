/**
 * Makes links safe, and makes them say where they lead.
 * Rule: links lead only to http, https and one address of mail, and always to an absolute address. Where a link leads is
 * shown after it, unless its text says so, or a tool's result had this address and the text names no other place.
 */

const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g; // these change the order in which characters are shown
const OVERRIDES = /[\u202d\u202e]/g; // no language needs these; they can reverse any text
const UNSEEN_IN_CODE = /\u034f|[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e0fff}]/gu;
const INVISIBLE = /[\u00ad\u200b-\u200d\u2060\ufeff]/g;
const OTHER_LETTERS = /[^ -~\u00a0-\u00ff]/; // than those of ASCII and of Western European languages
const ADDRESS =
  /^[^\p{L}\p{N}]*(?:https?:[/\\]*)?((?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}[\p{L}\p{N}-]{1,62})(?![\p{L}\p{N}])/iu;
const MAIL = /^[\p{L}\p{N}.!#$'*+/=^_`{|}~-]+@[\p{L}\p{N}.-]+$/u;

/**
 * The absolute address if it is harmless, else ''. A relative address would lead into this page.
 * @param {string} href
 */
export function harmless(href) {
  try {
    const url = new URL(href.replace(BIDI, ''));
    if (url.protocol === 'mailto:') return MAIL.test(decoded(url.pathname)) ? `mailto:${url.pathname}` : ''; // no bcc
    if (!['http:', 'https:'].includes(url.protocol) || !url.hostname) return '';
    url.username = ''; // "https://bundestag.de@evil.example" looks like another place
    url.password = '';
    return url.href;
  } catch {
    return '';
  }
}

/** @param {string} address with or without its scheme */
function hostOf(address) {
  try {
    const url = new URL(/^https?:/i.test(address) ? address : `https://${address}`);
    return url.username ? '' : url.hostname;
  } catch {
    return '';
  }
}

/**
 * The text of an escaped address, or the address as it is if its escapes are malformed.
 * @param {string} escaped
 */
function decoded(escaped) {
  try {
    return decodeURIComponent(escaped);
  } catch {
    return escaped;
  }
}

/** @type {(host: string) => string} */
const withoutWww = (host) => host.replace(/^www\./, '');

/** @type {(host: string, parent: string) => boolean} */
const isWithin = (host, parent) => host === parent || host.endsWith(`.${parent}`);

/**
 * The place that a link leads to, if it has to be shown; else ''.
 * @param {string} text
 * @param {string} href
 * @param {Set<string>} known the addresses in results of tools
 */
export function unsaidTarget(text, href, known) {
  const url = new URL(href);
  const read = text.replace(INVISIBLE, '').normalize('NFKC').replace(/[。｡]/g, '.').slice(0, 1_000);
  if (url.protocol === 'mailto:') {
    const address = decoded(url.pathname);
    return read.trim() === address ? '' : address;
  }
  const host = url.hostname;
  // letters of other alphabets look like those of another host, which the text then seems to be
  if (host.includes('xn--') && OTHER_LETTERS.test(read)) return host;
  // the text is the address; its path may contain what looks like another one
  if (withoutWww(hostOf(read.trim())) === withoutWww(host)) return '';
  if (!known.has(url.href)) return host;
  const words = read.split(/[\s@<>()[\]"'„“”]+/);
  const named = words.flatMap((word) => ADDRESS.exec(word)?.[1] ?? []);
  const honest = named.every((name) => {
    const shown = hostOf(name);
    return isWithin(host, shown) || withoutWww(shown) === host;
  });
  return honest ? '' : host;
}

/**
 * Make the links in a sanitised fragment say where they lead, and remove what changes the order of its characters.
 * In code, which is copied and run, remove all signs that cannot be seen.
 * @param {DocumentFragment} fragment
 * @param {Set<string>} known the addresses in results of tools
 */
export function madeHonest(fragment, known) {
  if (fragment.textContent.search(UNSEEN_IN_CODE) >= 0) {
    const walker = document.createTreeWalker(fragment, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const inCode = node.parentElement?.closest('pre, code, kbd');
      const removed = inCode ? UNSEEN_IN_CODE : node.parentElement?.closest('a') ? BIDI : OVERRIDES;
      node.nodeValue = (node.nodeValue ?? '').replace(removed, '');
    }
  }
  for (const link of fragment.querySelectorAll('a')) {
    const target = link.href && unsaidTarget(link.textContent, link.href, known);
    if (target) link.after(` (${target})`);
  }
}
