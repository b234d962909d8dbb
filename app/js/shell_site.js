/**
 * The table `[tabloop.site]` of pyscript.toml, before Python has started.
 * Rule: the checks are those of app/tabloop/settings/site.py, which names what is wrong; here a wrong setting has its
 * default and no sentence. tests/unit/site_cases.json holds both to the same values.
 */
import { parse } from 'smol-toml';

/**
 * @typedef {{ [name: string]: unknown }} Table
 * @typedef {object} Site
 * @property {string} name
 * @property {string[]} language
 * @property {Table} welcome
 * @property {Table} lead
 * @property {Table} questions
 * @property {{ text: Table, url: string }[]} links
 * @property {string} theme
 * @property {string} accent
 * @property {string} logo
 * @property {string} css
 */

// no scheme, no host, and none of the signs (blanks, backslash) that browsers drop or read as another one
const ADDRESS = /^(?!\/\/)(?![A-Za-z][A-Za-z0-9+.-]*:)[!-[\]-\uffff]+$/;
const LINK = /^(?:https?:\/\/|mailto:)[!-[\]-\uffff]+$/;
const LANGUAGE = /^[a-z]{2,3}$/;
const COLOUR = /^#[0-9a-fA-F]{6}$/;
const NAME_LENGTH = 60;
const TEXT_LENGTH = 400;
const MOST_ITEMS = 8;

/**
 * @param {unknown} value
 * @returns {value is Table}
 */
function isTable(value) {
  return Object.prototype.toString.call(value) === '[object Object]';
}

/** @param {unknown} value @param {number} [most] */
function isText(value, most = TEXT_LENGTH) {
  return typeof value === 'string' && value.trim() !== '' && Array.from(value.trim()).length <= most;
}

/** @param {unknown} value */
const isLanguage = (value) => typeof value === 'string' && LANGUAGE.test(value);

/** @param {unknown} value @param {(item: unknown) => boolean} accepts */
const are = (value, accepts) => Array.isArray(value) && value.length <= MOST_ITEMS && value.every((it) => accepts(it));

/** @param {unknown} value @param {(item: unknown) => boolean} accepts */
function byLanguage(value, accepts) {
  if (!isTable(value)) return accepts(value);
  return Object.keys(value).every((key) => isLanguage(key) && accepts(value[key]));
}

/** @param {unknown} value */
const isTextByLanguage = (value) => byLanguage(value, (item) => isText(item));

/** @param {unknown} value */
function isLink(value) {
  if (!isTable(value) || Object.keys(value).sort().join() !== 'text,url') return false;
  const { text, url } = value;
  return isTextByLanguage(text) && typeof url === 'string' && (LINK.test(url) || ADDRESS.test(url));
}

/** @param {unknown} value */
const isAddress = (value) => value === '' || (typeof value === 'string' && ADDRESS.test(value));

/** @type {{ [key: string]: (value: unknown) => boolean }} */
const CHECKS = {
  name: (value) => isText(value, NAME_LENGTH),
  language: (value) => are(value, isLanguage) && String(value) !== '',
  welcome: isTextByLanguage,
  lead: isTextByLanguage,
  questions: (value) => byLanguage(value, (items) => are(items, (item) => isText(item))),
  links: (value) => are(value, isLink),
  theme: (value) => value === 'auto' || value === 'light' || value === 'dark',
  accent: (value) => typeof value === 'string' && COLOUR.test(value),
  logo: isAddress,
  css: isAddress,
};

/** @returns {Site} */
const defaults = () => ({
  name: 'Tabloop',
  language: ['en', 'de'],
  welcome: {},
  lead: {},
  questions: {},
  links: [],
  theme: 'auto',
  accent: '#0b5d57',
  logo: '',
  css: '',
});

/** @param {unknown} value @returns {Table} */
const table = (value) => (isTable(value) ? value : { '': value });

/** @type {{ [key: string]: (value: any) => unknown }} */
const READERS = {
  name: (value) => value.trim(),
  language: (value) => Array.from(new Set(value)),
  welcome: table,
  lead: table,
  questions: table,
  links: (links) => links.map((/** @type {Table} */ { text, url }) => ({ text: table(text), url })),
};

/**
 * The settings in a value; each wrong or missing one has its default.
 * @param {unknown} value
 */
export function siteOf(value) {
  const site = defaults();
  const given = isTable(value) ? value : {};
  for (const key of Object.keys(CHECKS)) {
    if (key in given && CHECKS[key](given[key])) {
      Object.assign(site, { [key]: READERS[key] ? READERS[key](given[key]) : given[key] });
    }
  }
  return site;
}

/**
 * The table `[tabloop]` in the text of pyscript.toml; empty if it cannot be read, which Python reports.
 * @param {string} text
 * @returns {Table}
 */
export function tabloopOf(text) {
  try {
    const { tabloop } = /** @type {Table} */ (parse(text));
    return isTable(tabloop) ? tabloop : {};
  } catch (_error) {
    return {};
  }
}

/**
 * The text of pyscript.toml, blank if it does not come. `current`: ask the server, also if the browser has a copy.
 * @param {boolean} current
 */
export async function settingsText(current) {
  try {
    const response = await fetch('./pyscript.toml', current ? { cache: 'no-cache' } : {});
    return response.ok ? await response.text() : '';
  } catch (_error) {
    return '';
  }
}
