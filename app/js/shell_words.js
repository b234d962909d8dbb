/**
 * The words of the page before Python has started, in its language.
 * Rule: the page is never shown in two languages at once; what a third language lacks is said in German or English.
 */
import { shell as german, page as germanPage } from '../locales/de.json';
import { shell as english } from '../locales/en.json';

/**
 * @typedef {typeof english} Words
 * @typedef {{ [key: string]: unknown }} Own the strings of a section, as the site's owner wrote them
 */

const wished = new URLSearchParams(location.search).get('lang');
/** Languages that the person wants, the most wanted first. */
export const wishes = [wished]
  .concat(navigator.languages || [navigator.language])
  .map((tag) => (tag || '').slice(0, 3).replace(/-.*/, '').toLowerCase());

/**
 * Until the settings are there (which languages they offer is not known before), the language is a guess.
 * @type {Words}
 */
export let words = wishes.find((code) => code === 'de' || code === 'en') === 'de' ? german : english;

/**
 * The sentence with this key, with `values` in the place of its {names}.
 * @param {keyof Words} key
 * @param {Record<string, string>} values
 */
export function say(key, values) {
  return words[key].replace(/\{(\w+)\}/g, (whole, name) => (name in values ? values[name] : whole));
}

/**
 * The texts with those of the owner in their place, as far as there are any.
 * @template {{ [key: string]: string }} T
 * @param {T} texts
 * @param {unknown} own
 * @returns {T}
 */
function overlaid(texts, own) {
  /** @type {{ [key: string]: string }} */
  const all = Object.assign({}, texts);
  const given = /** @type {Own} */ (own || {});
  for (const key of Object.keys(given)) {
    const text = given[key];
    if (typeof text === 'string' && text.trim()) all[key] = text;
  }
  return /** @type {T} */ (all);
}

/** @param {ParentNode} scope @param {{ [key: string]: string }} texts */
function translate(scope, texts) {
  /** @type {(attribute: string, write: (part: Element, text: string) => void) => void} */
  const put = (attribute, write) => {
    for (const part of scope.querySelectorAll(`[${attribute}]`)) {
      const text = texts[part.getAttribute(attribute) || ''];
      if (text) write(part, text);
    }
  };
  put('data-i18n', (part, text) => {
    part.textContent = text;
  });
  put('data-i18n-label', (part, text) => part.setAttribute('aria-label', text));
  put('data-i18n-placeholder', (part, text) => part.setAttribute('placeholder', text));
  put('data-i18n-content', (part, text) => part.setAttribute('content', text));
}

/**
 * Put the page into its language; once.
 * @param {string} language
 * @param {'en' | 'de'} base where `language` has no strings of its own
 * @param {{ page?: unknown, shell?: unknown }} own the strings of another language
 */
export function speak(language, base, own) {
  document.documentElement.lang = language;
  words = overlaid(base === 'de' ? german : english, own.shell);
  const texts = overlaid(base === 'de' ? germanPage : /** @type {{ [key: string]: string }} */ ({}), own.page);
  const status = document.getElementById('status');
  // the start may have failed already: the status says so
  if (status && document.documentElement.dataset.app !== 'booting') status.removeAttribute('data-i18n');
  translate(document, texts);
  for (const template of document.querySelectorAll('template')) translate(template.content, texts);
}
