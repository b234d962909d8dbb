/**
 * Makes the page the site's own: language, name, welcome, questions, links, look.
 * Rule: until all of it is there, the person sees nothing but the box to write in, which is the same on every page. So
 * they can type at once, and nothing changes before their eyes. If pyscript.toml does not come, the page opens with its
 * defaults.
 */
import { focusField, translated } from './shell_composer.js';
import { element } from './shell_elements.js';
import { dress } from './shell_look.js';
import { note } from './shell_notes.js';
import { startPython } from './shell_python.js';
import { settingsText, siteOf, tabloopOf } from './shell_site.js';
import { setName } from './shell_title.js';
import { speak, wishes } from './shell_words.js';

/**
 * @typedef {import('./shell_site.js').Site} Site
 * @typedef {import('./shell_site.js').Table} Table
 */

const PATIENCE_MS = 800; // then the page is shown without the site's name and colour
const root = document.documentElement;

/**
 * What is meant for this language, else for the first offered one that has it, else for any.
 * @param {Table} byLanguage
 * @param {string} language
 * @param {Site} site
 * @returns {any}
 */
function chosen(byLanguage, language, site) {
  const key = [language, '', ...site.language, ...Object.keys(byLanguage)].find((code) => code in byLanguage);
  return key === undefined ? undefined : byLanguage[key];
}

/**
 * Not asked of the browser, which takes 10 ms and more for its first name of a language.
 * @type {{ [language: string]: string }}
 */
const OWN_NAMES = { en: 'English', de: 'Deutsch' };

/** @param {string} language */
function ownName(language) {
  if (OWN_NAMES[language]) return OWN_NAMES[language];
  try {
    /** @type {any} */
    const names = Reflect.get(Intl, 'DisplayNames'); // old browsers have none
    const name = new names([language], { type: 'language' }).of(language);
    return name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
  } catch (_error) {
    return language;
  }
}

/** @param {string} language @param {Site} site */
function offerLanguages(language, site) {
  const place = element('languages');
  place.textContent = '';
  for (const other of site.language) {
    if (other === language) continue;
    const link = document.createElement('a');
    link.href = `?lang=${other}`;
    link.lang = link.hreflang = other;
    link.textContent = ownName(other);
    place.append(link, ' ');
  }
}

/** @param {string} language @param {Site} site */
function fill(language, site) {
  setName(site.name);
  element('name').textContent = site.name;
  const welcome = chosen(site.welcome, language, site);
  if (welcome) element('welcome-title').textContent = welcome;
  const lead = chosen(site.lead, language, site);
  if (lead) {
    element('lead').textContent = lead;
    for (const meta of document.querySelectorAll('meta[name="description"]')) meta.setAttribute('content', lead);
  }
  const list = element('examples');
  list.textContent = '';
  for (const question of chosen(site.questions, language, site) || []) {
    const button = document.createElement('button');
    button.type = 'button';
    button.setAttribute('data-example', '');
    button.textContent = question;
    list.appendChild(document.createElement('li')).appendChild(button);
  }
  list.hidden = !list.firstChild;
  const links = element('links');
  links.textContent = '';
  for (const { text, url } of site.links) {
    const link = document.createElement('a');
    link.href = url;
    link.target = '_blank';
    link.rel = 'noopener';
    link.textContent = chosen(text, language, site) || url;
    links.append(link, ' ');
  }
  links.hidden = !site.links.length;
  offerLanguages(language, site);
}

/**
 * The texts in what the owner's file holds. Deeper ones are no strings of the page, and a file that is nested without
 * end would end the start.
 * @param {any} value
 * @param {number} depth
 * @returns {any}
 */
function textsIn(value, depth) {
  if (typeof value === 'string') return value;
  if (!value || typeof value !== 'object' || !depth) return undefined;
  /** @type {Record<string, unknown>} */
  const kept = {};
  for (const name of Object.keys(value)) kept[name] = textsIn(value[name], depth - 1);
  return kept;
}

/**
 * The strings of a third language, which the owner keeps beside the page.
 * @param {string} language
 * @returns {Promise<Table>}
 */
async function ownStrings(language) {
  const file = `owner/${language}.json`;
  try {
    const response = await fetch(`./${file}`);
    if (response.ok) return Object.assign({}, textsIn(await response.json(), 3));
  } catch (_error) {
    // not there, or not JSON
  }
  note('languageMissing', { file });
  return {};
}

function show() {
  if (!root.dataset.site) return;
  root.removeAttribute('data-site');
  startPython();
}

async function open() {
  const text = await settingsText(false);
  const table = tabloopOf(text);
  const site = siteOf(table.site);
  if (table.llm_url === '') root.dataset.only = 'search'; // nobody is asked for money or a model: page.css
  const language = wishes.find((code) => site.language.indexOf(code) >= 0) || site.language[0];
  const base = [language, site.language[0]].find((code) => code === 'de' || code === 'en') === 'de' ? 'de' : 'en';
  const own = language === base ? {} : await ownStrings(language);
  speak(language, base, own);
  translated();
  fill(language, site);
  await dress(site);
  show();
  return { text, language, spoken: JSON.stringify({ base, own }) };
}

root.dataset.site = 'opening'; // composer.css shows the box alone
// the attribute `autofocus` would scroll past the greeting on a low window
if (document.activeElement === document.body) focusField();
setTimeout(show, PATIENCE_MS);
const opened = open();

/** pyscript.toml as the server has it now. The browser's own copy was shown first, and is replaced if it is older. */
const current = opened.then(async ({ text, language }) => {
  const now = (await settingsText(true)) || text;
  const table = tabloopOf(now);
  if (now !== text) {
    fill(language, siteOf(table.site));
    dress(siteOf(table.site));
  }
  return { text: now, table };
});

/** The table `[tabloop]`. */
export const settings = () => current.then(({ table }) => table);

/** The whole file for Python, which names what is wrong in it; blank if it did not come. */
export const settingsFile = () => current.then(({ text }) => text);

/** The page's language for Python, as JSON: which strings it has, and those of the owner. */
export const spoken = () => opened.then((page) => page.spoken);
