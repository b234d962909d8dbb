/**
 * The language of the page, and its words before Python has started.
 * Rule: `?lang=` decides, else the browser, else English; the page is never shown half in one and half in the other.
 */
import { page as germanPage, shell as german } from '../locales/de.json';
import { shell as english } from '../locales/en.json';

const wished = new URLSearchParams(location.search).get('lang');
const languages = [wished].concat(navigator.languages || [navigator.language]);
const codes = languages.map((tag) =>
  String(tag || '')
    .slice(0, 2)
    .toLowerCase(),
);
const language = codes.find((code) => code === 'de' || code === 'en') || 'en';
export const words = language === 'de' ? german : english;

export function say(key, values) {
  return words[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

function translate(scope) {
  const put = (attribute, write) => {
    for (const element of scope.querySelectorAll('[' + attribute + ']')) {
      write(element, germanPage[element.getAttribute(attribute)]);
    }
  };
  put('data-i18n', (element, text) => {
    element.textContent = text;
  });
  put('data-i18n-label', (element, text) => element.setAttribute('aria-label', text));
  put('data-i18n-placeholder', (element, text) => element.setAttribute('placeholder', text));
  put('data-i18n-content', (element, text) => element.setAttribute('content', text));
}

/** Put the page into its language; once, before anything reads a text from it. */
export function speak() {
  document.documentElement.lang = language;
  const other = document.getElementById('language');
  other.search = language === 'de' ? '?lang=en' : '?lang=de';
  if (language !== 'de') return;
  translate(document);
  for (const template of document.querySelectorAll('template')) translate(template.content);
  other.lang = other.hreflang = 'en';
}
