/**
 * Pages of this site for the tools in app/tabloop/tools/site: addresses, HTML as Markdown, and Pagefind.
 * Rule: only the page's own origin; nothing of a page that is read runs, loads or leads to another origin.
 *
 * browser/site_pages.py declares these functions.
 */
import { sectionsOf } from './site_markdown.js';

/**
 * An engine of Pagefind, which is the site's own script.
 * @typedef {{ title?: string, element: string, text?: string, location: number }} Anchor
 * @typedef {{ title: string, url: string, anchor?: Anchor, weighted_locations?: { balanced_score: number }[] }} SubResult
 * @typedef {{ url: string, content: string, raw_content?: string, anchors?: Anchor[], meta: { title?: string },
 *   sub_results?: SubResult[] }} Found
 * @typedef {{ search: (query: string) => Promise<{ results: { data: () => Promise<Found> }[] }>,
 *   mergeIndex: (bundle: string, options: { language: string }) => Promise<void>, destroy?: () => void }} Engine
 */

const MAX_RESULTS = 8;
const PER_PAGE = 6; // sections of one page; those with most words of the query are chosen later
const PIECE = 16_384; // characters of a page that are parsed at once
const DEEPEST = 500; // elements in one another; browsers flatten what is deeper

/**
 * The absolute address, if it is one of this origin without a user name; else ''.
 * @param {string} address
 * @param {string} base
 */
function own(address, base) {
  try {
    const url = new URL(address, base || location.href);
    // the origin of a blob: address is the page's, too
    if (url.protocol !== location.protocol || url.origin !== location.origin) return '';
    return url.username || url.password ? '' : url.href;
  } catch {
    return '';
  }
}

/**
 * Each of these addresses as `own` gives it. Takes and gives JSON, because one text is quicker than many proxies.
 * @param {string} addresses
 * @param {string} base
 */
export function resolveAll(addresses, base) {
  return JSON.stringify(JSON.parse(addresses).map((/** @type {string} */ address) => own(address, base)));
}

/**
 * The text in a charset of the web, by any of its names; an unknown one is UTF-8.
 * @param {Uint8Array} body
 * @param {string} charset
 */
export function decoded(body, charset) {
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}

/** @param {Document} page how deep the element is that is open at its end */
function depthOf(page) {
  let depth = 0;
  for (let last = page.body?.lastElementChild; last; last = last.lastElementChild) depth += 1;
  return depth;
}

/**
 * The page as a document without a window: nothing in it runs or loads. It ends where it is nested too deeply, since a
 * parser looks through all open elements at each further tag, which takes minutes for a hundred thousand of them.
 * @param {string} html
 */
function parsed(html) {
  const page = document.implementation.createHTMLDocument();
  page.open();
  for (let at = 0; at < html.length && depthOf(page) < DEEPEST; at += PIECE) page.write(html.slice(at, at + PIECE));
  page.close();
  return page;
}

/**
 * The text of a page as JSON: `{title, sections: [{level, title, anchor, text}]}`.
 * @param {string} html
 * @param {string} url
 */
export function readPage(html, url) {
  const page = parsed(html);
  const base = own(page.querySelector('base[href]')?.getAttribute('href') ?? '', url) || url;
  return JSON.stringify(sectionsOf(page, (href) => own(href, base)));
}

/** @type {{ entry: string, engine: Promise<Engine> } | undefined} */
let used;
let begun = 0;
let ended = true; // the last search

/**
 * What the index on the server is now, as JSON; blank if that does not come.
 * @param {string} bundle the folder, with a slash at its end
 */
async function entryOf(bundle) {
  try {
    const response = await fetch(`${bundle}pagefind-entry.json`, {
      cache: 'no-cache',
      mode: 'same-origin',
      redirect: 'error',
      credentials: 'omit',
    });
    return response.ok ? await response.text() : '';
  } catch {
    return '';
  }
}

/**
 * @param {string} bundle
 * @param {string} entry
 * @returns {Promise<Engine>}
 */
async function started(bundle, entry) {
  const instance = begun ? `#${begun}` : ''; // each fragment is an instance of its own; Python has loaded the first
  begun += 1;
  /** @type {Engine} */
  const engine = await import(`${bundle}pagefind.js${instance}`);
  // Pagefind searches the language of <html>, and this page may be in another one than the site
  const languages = Object.keys(JSON.parse(entry || '{}').languages ?? {});
  const first = languages.includes(document.documentElement.lang) ? document.documentElement.lang : '';
  for (const language of first ? languages.filter((other) => other !== first) : languages)
    await engine.mergeIndex(bundle, { language });
  return engine;
}

/**
 * The engine for the index that is on the server now: the files of an older one are gone, and Pagefind takes what it
 * cannot load for what is not there.
 * @param {string} bundle
 */
async function engineOf(bundle) {
  const entry = await entryOf(bundle);
  if (!used || (entry && entry !== used.entry)) {
    used?.engine.then((older) => older.destroy?.()).catch(() => {});
    used = { entry, engine: started(bundle, entry) };
  }
  try {
    return await used.engine;
  } catch (error) {
    used = undefined;
    throw error;
  }
}

/** @param {SubResult} part how well it fits */
const score = (part) => (part.weighted_locations ?? []).reduce((sum, place) => sum + place.balanced_score, 0);

/** @param {Anchor} anchor whether a section of Pagefind begins there */
const begins = ({ title, element, text }) => Boolean(title?.trim() || (/^h\d$/i.test(element) && text?.trim()));

/**
 * The whole text of a section. Pagefind's own excerpts have thirty words, and no mark where they are cut.
 * @param {Found} page
 * @param {SubResult} part
 */
function textOf({ content, raw_content: raw = content, anchors = [] }, part) {
  const unspaced = raw.includes('\u200b'); // Chinese and its like: an invisible character between words
  const words = unspaced ? raw.split('\u200b') : content.split(/[^\S\ufeff]+/);
  const start = part.anchor?.location ?? 0;
  const next = anchors.filter((other) => begins(other) && other.location > start).map((other) => other.location);
  return words.slice(start, Math.min(...next, words.length)).join(unspaced ? '' : ' ');
}

/** @param {Found} page */
function passages(page) {
  const title = page.meta.title ?? '';
  if (!page.sub_results?.length) return [{ title, section: '', url: page.url, text: page.content }];
  const best = [...page.sub_results].sort((one, other) => score(other) - score(one));
  return best.slice(0, PER_PAGE).map((part) => ({
    title,
    section: part.title === title ? '' : part.title,
    url: part.url,
    text: textOf(page, part),
  }));
}

/**
 * What Pagefind finds, as JSON: `[{title, section, url, text}]`, the best first. Pages that are damaged are left out.
 * One search after the other: Pagefind keeps one object for a page, and a search changes what an earlier one has found.
 * @param {string} bundle
 * @param {string} query
 */
export async function pagefind(bundle, query) {
  if (!ended) used = undefined; // nobody waits for that search any more, and its engine may never answer again
  ended = false;
  try {
    const engine = await engineOf(bundle);
    const { results } = await engine.search(query);
    const read = results.slice(0, MAX_RESULTS).map(async (result) => passages(await result.data()));
    const pages = await Promise.allSettled(read);
    const whole = pages.flatMap((page) => (page.status === 'fulfilled' ? page.value : []));
    if (!whole.length) await Promise.all(read); // if they are all damaged, the first one says why
    return JSON.stringify(whole);
  } finally {
    ended = true;
  }
}
