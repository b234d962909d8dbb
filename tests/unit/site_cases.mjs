// Reads each table of site_cases.json as the page does before Python has started, and makes the colours of many accents;
// test_site_settings.py reads what it prints.
import { readFileSync } from 'node:fs';
import { accents, contrast } from '../../app/js/shell_colour.js';
import { siteOf, tabloopOf } from '../../app/js/shell_site.js';

const [casesFile, grounds] = [process.argv[2], JSON.parse(process.argv[3])];
const cases = JSON.parse(readFileSync(casesFile, 'utf-8'));
const site = cases.map((toml) => siteOf(tabloopOf(toml).site));

const levels = ['00', '33', '66', '99', 'cc', 'ff'];
const colours = levels.flatMap((red) => levels.flatMap((green) => levels.map((blue) => `#${red}${green}${blue}`)));
const least = grounds.map((of, dark) => {
  const found = colours.map((colour) => {
    const made = accents(colour, of, dark === 1);
    const on = [...of, made['--said']].map((ground) => contrast(made['--accent'], ground));
    return Math.min(...on, ...['--accent', '--accent-2'].map((name) => contrast(made['--on-accent'], made[name])));
  });
  return Math.min(...found);
});
const unchanged = accents('#0b5d57', grounds[0], false)['--accent'];
console.log(JSON.stringify({ site, least, unchanged, known: contrast('#ffffff', '#767676') }));
