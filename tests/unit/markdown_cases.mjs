// Formats a short text while the clock runs as on a computer that is busy; test_scripts.py reads what it prints.
import { htmlParts } from '../../app/js/markdown_html.js';

let now = 0;
performance.now = () => {
  now += 1000;
  return now;
};
console.log(htmlParts('**Yes**, on Monday.').join(''));
