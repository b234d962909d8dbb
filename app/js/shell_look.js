/**
 * The look that the site's owner chose: theme, accent colour, logo, style sheet.
 * Rule: it comes over the page's own style sheet and below the owner's; what could not be used is noted.
 */
import { accents, signColours } from './shell_colour.js';
import { element } from './shell_elements.js';
import { note } from './shell_notes.js';

/** @typedef {import('./shell_site.js').Site} Site */
/** @typedef {import('./shell_colour.js').SignColours} SignColours */

const GROUNDS = ['--paper', '--side', '--surface', '--soft'];
const SIGN = { ground: '#0b5d57', line: '#9fd8cf' }; // colours in icon.svg
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
let usualLogo = '';

/**
 * @param {Site} site
 * @param {CSSStyleSheet} sheet
 * @returns {SignColours | null} null if the accent is the page's own
 */
function colour({ accent, theme }, sheet) {
  const [light] = roots(sheet.cssRules);
  const [dark] = roots(darkRules[0].cssRules);
  const grounds = [light, dark].map(({ style }) => GROUNDS.map((name) => style.getPropertyValue(name).trim()));
  const standard = light.style.getPropertyValue('--accent').trim();
  if (accent.toLowerCase() === standard) return null;
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
  return signColours(sets[0]['--accent']);
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

/**
 * Show the owner's logo, or the page's own one in the colours of the accent.
 * @param {Site} site
 * @param {SignColours | null} colours of the page's own one; null: as they are in its file
 */
async function showLogo({ logo }, colours) {
  const image = element('logo', HTMLImageElement);
  const icon = document.querySelector('link[rel="icon"]');
  if (!icon) return;
  usualLogo = usualLogo || image.src;
  const own = colours ? await signIn(colours) : usualLogo;
  /** @param {string} address */
  const show = (address) => {
    image.src = address;
    icon.setAttribute('href', address);
  };
  image.onerror = () => {
    image.onerror = null;
    show(own);
    note('fileMissing', { key: 'site.logo', file: logo });
  };
  if (logo) icon.removeAttribute('type');
  show(logo || own);
}

/**
 * The page's own logo in other colours, as an address; as it is if its file does not come.
 * @param {SignColours} colours
 */
async function signIn({ ground, line }) {
  try {
    const response = await fetch(usualLogo);
    if (!response.ok) return usualLogo;
    const text = (await response.text()).replace(SIGN.ground, ground).replace(SIGN.line, line);
    return `data:image/svg+xml,${encodeURIComponent(text)}`;
  } catch (_error) {
    return usualLogo;
  }
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
  let sign = null;
  if (sheet) {
    if (!ownRules) {
      ownRules = sheet.cssRules.length;
      const media = Array.from(sheet.cssRules).filter((rule) => rule instanceof CSSMediaRule);
      darkRules = /** @type {CSSMediaRule[]} */ (media).filter((rule) => rule.media.mediaText.indexOf(DARK) >= 0);
    }
    while (sheet.cssRules.length > ownRules) sheet.deleteRule(ownRules);
    darkRules = darkRules.filter((rule) => rule.parentStyleSheet);
    sign = colour(site, sheet);
    choose(site);
  }
  return Promise.all([showLogo(site, sign), addStyles(site)]);
}
