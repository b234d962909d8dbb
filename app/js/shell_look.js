/**
 * The look that the site's owner chose: theme, accent colour, logo, style sheet.
 * Rule: it comes over the page's own style sheet and below the owner's; what could not be used is noted.
 */
import { accents } from './shell_colour.js';
import { element } from './shell_elements.js';
import { note } from './shell_notes.js';

/** @typedef {import('./shell_site.js').Site} Site */

const GROUNDS = ['--paper', '--side', '--surface', '--soft'];
const DARK = 'prefers-color-scheme: dark';

/** @param {CSSRuleList | CSSRule[]} rules @returns {CSSStyleRule[]} */
const roots = (rules) =>
  /** @type {CSSStyleRule[]} */ (
    Array.from(rules).filter((rule) => 'selectorText' in rule && rule.selectorText === ':root')
  );

/** @type {CSSMediaRule[]} */
let darkRules = [];
/** How many rules the file has. */
let ownRules = 0;

/** @param {Site} site @param {CSSStyleSheet} sheet */
function colour({ accent, theme }, sheet) {
  const [light] = roots(sheet.cssRules);
  const [dark] = roots(darkRules[0].cssRules);
  const grounds = [light, dark].map(({ style }) => GROUNDS.map((name) => style.getPropertyValue(name).trim()));
  const standard = light.style.getPropertyValue('--accent').trim();
  if (accent.toLowerCase() === standard) return;
  const sets = grounds.map((of, at) => accents(accent, of, at === 1));
  const written = sets.map((set) =>
    Object.entries(set)
      .map(([name, value]) => `${name}:${value}`)
      .join(';'),
  );
  sheet.insertRule(`:root{${written[0]}}`, sheet.cssRules.length);
  sheet.insertRule(`@media screen and (${DARK}){:root{${written[1]}}}`, sheet.cssRules.length);
  darkRules.push(/** @type {CSSMediaRule} */ (sheet.cssRules[sheet.cssRules.length - 1]));
  const used = sets[theme === 'dark' ? 1 : 0]['--accent'];
  // "auto" has a lighter form of most colours in the dark, as it must
  if (used !== accent.toLowerCase()) note('accentChanged', { found: accent, used });
}

/** @param {Site} site */
function choose({ theme }) {
  const auto = theme === 'auto';
  for (const rule of darkRules) {
    rule.media.mediaText = auto ? `screen and (${DARK})` : theme === 'dark' ? 'screen' : 'not all';
  }
  document.documentElement.style.setProperty('color-scheme', auto ? '' : theme);
  for (const meta of document.querySelectorAll('meta[name="theme-color"]')) {
    const scheme = meta.getAttribute('data-scheme') || '';
    meta.setAttribute('media', auto ? `(prefers-color-scheme: ${scheme})` : scheme === theme ? 'all' : 'not all');
  }
}

/** @param {Site} site */
function showLogo({ logo }) {
  const image = element('logo', HTMLImageElement);
  const icon = document.querySelector('link[rel="icon"]');
  if (!logo || !icon) return;
  const usual = image.src;
  image.onerror = () => {
    image.onerror = null;
    image.src = usual;
    icon.setAttribute('href', usual);
    note('fileMissing', { key: 'site.logo', file: logo });
  };
  image.src = logo;
  icon.removeAttribute('type');
  icon.setAttribute('href', logo);
}

/**
 * Load the owner's style sheet after the page's own. Resolves when it is there, or failed.
 * @param {Site} site
 * @returns {Promise<void>}
 */
function addStyles({ css }) {
  const before = document.getElementById('owner-css');
  if (before) before.remove();
  if (!css) return Promise.resolve();
  const link = document.createElement('link');
  link.id = 'owner-css';
  link.rel = 'stylesheet';
  link.href = css;
  return new Promise((resolve) => {
    link.onload = () => resolve();
    link.onerror = () => {
      note('fileMissing', { key: 'site.css', file: css });
      resolve();
    };
    document.head.appendChild(link);
  });
}

/**
 * Give the page its look.
 * @param {Site} site
 */
export function dress(site) {
  const link = document.querySelector('link[rel="stylesheet"]');
  const sheet = link instanceof HTMLLinkElement && link.sheet;
  if (sheet) {
    if (!ownRules) {
      ownRules = sheet.cssRules.length;
      const media = Array.from(sheet.cssRules).filter((rule) => rule instanceof CSSMediaRule);
      darkRules = /** @type {CSSMediaRule[]} */ (media).filter((rule) => rule.media.mediaText.indexOf(DARK) >= 0);
    }
    while (sheet.cssRules.length > ownRules) sheet.deleteRule(ownRules);
    darkRules = darkRules.filter((rule) => rule.parentStyleSheet);
    colour(site, sheet);
    choose(site);
  }
  showLogo(site);
  return addStyles(site);
}
