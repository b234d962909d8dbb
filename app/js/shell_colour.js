/**
 * Colours made from the accent that the site's owner chose.
 * Rule: text stays readable. A colour that has less than 4.5 to 1 to what it stands on is made darker or lighter.
 */

const READABLE = 4.5; // WCAG 2, level AA
const STEPS = 40;

/** @param {string} colour #rrggbb */
const channels = (colour) => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));

/** @param {string} colour @param {string} other @param {number} part of `other`, from 0 to 1 */
function mixed(colour, other, part) {
  const others = channels(other);
  const sums = channels(colour).map((value, at) => Math.round(value * (1 - part) + others[at] * part));
  return `#${sums.map((value) => `0${value.toString(16)}`.slice(-2)).join('')}`;
}

/** The relative luminance of WCAG 2. @param {string} colour */
function luminance(colour) {
  const [red, green, blue] = channels(colour)
    .map((value) => value / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** @param {string} one @param {string} other */
export function contrast(one, other) {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

/**
 * The accent and the colours made from it, for one theme.
 * @param {string} accent
 * @param {string[]} grounds what it stands on; the first one is the page's
 * @param {boolean} dark
 */
export function accents(accent, grounds, dark) {
  const towards = dark ? '#ffffff' : '#000000';
  const said = mixed(grounds[0], accent, dark ? 0.16 : 0.1);
  let step = 0;
  let used = accent;
  while (step < STEPS && [said, ...grounds].some((ground) => contrast(used, ground) < READABLE)) {
    step += 1;
    used = mixed(accent, towards, step / STEPS);
  }
  const text = contrast('#ffffff', used) < READABLE ? '#101413' : '#ffffff';
  return { '--accent': used, '--accent-2': mixed(used, towards, 0.3), '--on-accent': text, '--said': said };
}

/**
 * The colours of the page's own logo, which is the same in both themes.
 * @typedef {{ ground: string, line: string }} SignColours
 * @param {string} accent one that is readable on white, as the logo's other lines are white
 * @returns {SignColours}
 */
export const signColours = (accent) => ({ ground: accent, line: mixed(accent, '#ffffff', 0.6) });
