/**
 * Where links lead, and that they say so.
 * Rule: only to http, https and mailto, always to a whole address, and never elsewhere than the link's text claims.
 */

const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g; // they change the order in which signs are read
const OVERRIDES = /[\u202d\u202e]/g; // no language needs these; they write any text backwards
const INVISIBLE = /[\u00ad\u200b-\u200d\u2060\ufeff]/g;
const ADDRESS =
  /^[^\p{L}\p{N}]*(?:https?:[/\\]*)?((?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}[\p{L}\p{N}-]{1,62})(?![\p{L}\p{N}])/iu;

/** The whole address when it leads somewhere harmless, else nothing. Relative addresses would lead into this page. */
export function harmless(href) {
  try {
    const url = new URL(href.replace(BIDI, ''));
    if (url.protocol === 'mailto:') return url.href;
    if (!['http:', 'https:'].includes(url.protocol) || !url.hostname) return '';
    url.username = ''; // "https://bundestag.de@evil.example" is a way to look like another
    url.password = '';
    return url.href;
  } catch {
    return '';
  }
}

function hostOf(address) {
  try {
    const url = new URL(/^https?:/i.test(address) ? address : `https://${address}`);
    return url.username ? '' : url.hostname;
  } catch {
    return '';
  }
}

const isWithin = (host, parent) => host === parent || host.endsWith(`.${parent}`);

/** What a link must say besides its text: the place that it leads to, when the text names another. */
export function unsaidTarget(text, href) {
  const url = new URL(href);
  const read = text.replace(INVISIBLE, '').normalize('NFKC').replace(/[。｡]/g, '.').slice(0, 1_000);
  const words = read.split(/[\s@<>()[\]"'„“”]+/);
  const named = words.map((word) => ADDRESS.exec(word)?.[1]).filter(Boolean);
  if (url.protocol === 'mailto:') {
    const address = decodeURIComponent(url.pathname);
    return named.length && !read.includes(address) ? address : '';
  }
  const host = url.hostname;
  if (hostOf(read.trim()) === host) return ''; // the address itself, whose path may hold what looks like one
  const honest = named.every((name) => {
    const shown = hostOf(name);
    return isWithin(host, shown) || shown === `www.${host}`;
  });
  return honest ? '' : host;
}

/** Make the links of a sanitised fragment say where they lead, in the order in which it is written. */
export function madeHonest(fragment) {
  if (fragment.textContent.search(BIDI) >= 0) {
    const walker = document.createTreeWalker(fragment, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      node.data = node.data.replace(node.parentElement?.closest('a') ? BIDI : OVERRIDES, '');
    }
  }
  for (const link of fragment.querySelectorAll('a[href]')) {
    const target = unsaidTarget(link.textContent, link.href);
    if (target) link.after(` (${target})`);
  }
}
