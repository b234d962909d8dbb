/**
 * The language of the page, and its words before Python has started.
 * Rule: `?lang=` decides, else the browser's language, else English. The page is never shown in two languages at once.
 */
import { shell as german, page as germanPage } from '../locales/de.json';
import { shell as english } from '../locales/en.json';
import { element } from './shell_elements.js';

/** @typedef {typeof english} Words */

const wished = new URLSearchParams(location.search).get('lang');
const languages = [wished].concat(navigator.languages || [navigator.language]);
const codes = languages.map((tag) => (tag || '').slice(0, 2).toLowerCase());
const language = codes.find((code) => code === 'de' || code === 'en') || 'en';

/** @type {Words} */
export const words = language === 'de' ? german : english;

/**
 * The sentence with this key, with `values` in the place of its {names}.
 * @param {keyof Words} key
 * @param {Record<string, string>} values
 */
export function say(key, values) {
  return words[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

/** @type {Record<string, string>} */
const texts = germanPage;

/** @param {ParentNode} scope */
function translate(scope) {
  /** @type {(attribute: string, write: (part: Element, text: string) => void) => void} */
  const put = (attribute, write) => {
    for (const part of scope.querySelectorAll(`[${attribute}]`)) write(part, texts[part.getAttribute(attribute) || '']);
  };
  put('data-i18n', (part, text) => {
    part.textContent = text;
  });
  put('data-i18n-label', (part, text) => part.setAttribute('aria-label', text));
  put('data-i18n-placeholder', (part, text) => part.setAttribute('placeholder', text));
  put('data-i18n-content', (part, text) => part.setAttribute('content', text));
}

/** Put the page into its language; once, before anything reads a text from it. */
export function speak() {
  document.documentElement.lang = language;
  const other = element('language', HTMLAnchorElement);
  other.search = language === 'de' ? '?lang=en' : '?lang=de';
  if (language !== 'de') return;
  translate(document);
  for (const template of document.querySelectorAll('template')) translate(template.content);
  other.lang = 'en';
  other.hreflang = 'en';
}
