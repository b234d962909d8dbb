/**
 * "9. September" at a line's start is a day, not the ninth item of a list.
 * Rule: works on marked's list tokens and never on the text: code, raw HTML and links cannot be hurt by it.
 */

const LONG =
  'Januar|Jänner|Februar|Feber|März|Maerz|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|' +
  'January|February|March|May|June|July|October|December';
const SHORT = 'Jan|Feb|Mär|Mrz|Mar|Apr|Jun|Jul|Aug|Sept?|Okt|Oct|Nov|Dez|Dec';
// "Jan" and "Mar" are also names of people: without their dot they need a number or an end after them
const MONTH = `(?:(?:${LONG})(?!\\p{L})|(?:${SHORT})(?:\\.|(?=\\s*(?:\\d|[:,;)–-]|$))))`;
const JOINED = '(?:(?:und|bis|and|to|&|[–/-])\\s*(?:den\\s+)?\\d{1,2}\\.\\s*){0,4}';
const STARTS_WITH_MONTH = new RegExp(`^\\s*${MONTH}`, 'iu');
// after "9.": "September", "bis 11. September", "9. 2026"; and "und 10. Sitzung" is no item of a list either
const REST_OF_A_DATE = new RegExp(
  `^\\s*(?:${JOINED}${MONTH}|\\d{1,2}\\.\\s*\\d{2,4}(?!\\d)|(?:und|bis|and|to|&)\\s+\\d{1,3}\\.\\s)`,
  'iu',
);
const ORDER = ['jan', 'feb', 'mar', 'apr', 'mai', 'jun', 'jul', 'aug', 'sep', 'okt', 'nov', 'dez'];
const SPELLINGS = { jän: 'jan', mär: 'mar', mae: 'mar', mrz: 'mar', may: 'mai', oct: 'okt', dec: 'dez' };
const LONGEST = 80; // characters of an item's start that are looked at

const markerOf = (item) => /^\s*(\S+)/.exec(item.raw)?.[1] ?? '';

/** The number of an ordered item as it was written. */
export const numberOf = (item) => Number.parseInt(markerOf(item), 10);

/** The start of some inline tokens as a reader sees it. */
function plain(tokens = []) {
  let text = '';
  for (const token of tokens) {
    if (text.length > LONGEST) break;
    if (token.type !== 'html') text += token.tokens ? plain(token.tokens) : (token.text ?? '');
  }
  return text;
}

/** The start of an item's text; "9. 9. 2026" and "9. - 11. Mai" are lists inside lists to marked. */
function startOf(item) {
  const first = item.tokens[0];
  if (first?.type === 'list') return `${markerOf(first.items[0])} ${startOf(first.items[0])}`;
  if (!['text', 'paragraph', 'heading'].includes(first?.type)) return '';
  return plain(first.tokens).slice(0, LONGEST).normalize('NFC');
}

function month(text) {
  const name = STARTS_WITH_MONTH.exec(text)?.[0].trim().slice(0, 3).toLowerCase();
  return ORDER.indexOf(SPELLINGS[name] ?? name) + 1;
}

function isDate(item) {
  const day = numberOf(item);
  return /^\d{1,2}\.$/.test(markerOf(item)) && day >= 1 && day <= 31 && REST_OF_A_DATE.test(startOf(item));
}

/** "1. Januar", "2. Februar", ...: numbers and months follow one another, and not by chance. */
function isListOfMonths(items) {
  const months = items.map((item) => month(startOf(item)));
  const follow = items.every(
    (item, i) => i === 0 || (numberOf(item) === numberOf(items[i - 1]) + 1 && months[i] === (months[i - 1] % 12) + 1),
  );
  return follow && months[0] > 0 && (items.length > 2 || (items.length > 1 && numberOf(items[0]) === months[0]));
}

const goesOn = (before, after) => before && after && [0, 1].includes(numberOf(after) - numberOf(before));

/** Neighbours of one kind together: [{date, items}]. What a real list counts on to is its item, whatever it says. */
function runsOf(items) {
  const runs = [];
  for (const item of items) {
    const date = isDate(item);
    if (runs.at(-1)?.date === date) runs.at(-1).items.push(item);
    else runs.push({ date, items: [item] });
  }
  return runs.map((run, i) => ({
    items: run.items,
    date:
      run.date &&
      !isListOfMonths(run.items) &&
      !goesOn(runs[i - 1]?.items.at(-1), run.items[0]) &&
      !goesOn(run.items.at(-1), runs[i + 1]?.items[0]),
  }));
}

/** What stands in an item, with its marker as text. */
function unlisted(item) {
  const text = { type: 'text', raw: `${markerOf(item)} `, text: `${markerOf(item)} `, escaped: false };
  const [first, ...rest] = item.tokens;
  const inner = first.type === 'list' ? unlisted(first.items[0]) : [first];
  const others = first.type === 'list' ? first.items.slice(1) : [];
  const [head, ...tail] = inner;
  const block = { ...head, type: head.type === 'text' ? 'paragraph' : head.type, tokens: [text, ...head.tokens] };
  return [block, ...tail, ...(others.length ? [{ ...first, items: others }] : []), ...rest];
}

function withoutList(list, before) {
  const made = [];
  const runs = runsOf(list.items);
  if (!runs.some((run) => run.date)) return [list];
  for (const { date, items } of runs) {
    const raw = items.map((item) => item.raw).join('');
    if (!date) {
      made.push({ ...list, items, raw, start: numberOf(items[0]) });
      continue;
    }
    const blocks = items.flatMap(unlisted);
    blocks[0].raw = raw;
    made.push(...blocks);
  }
  // "Sie tagte am", next line "1. Mai": one sentence
  if (list.items.length === 1 && ['paragraph', 'text'].includes(before?.type) && before.tokens) {
    before.tokens.push({ type: 'text', raw: '\n', text: '\n', escaped: false }, ...made[0].tokens);
    before.raw += made[0].raw;
    made.shift();
  }
  return made;
}

/** The tokens, in which lists whose items begin with a date have become paragraphs. */
export function datesKept(tokens) {
  const made = [];
  for (const token of tokens) {
    if (token.type === 'list' && token.ordered) made.push(...withoutList(token, made.at(-1)));
    else made.push(token);
  }
  for (const token of made) {
    if (token.type === 'blockquote') token.tokens = datesKept(token.tokens);
    if (token.type !== 'list') continue;
    for (const item of token.items) {
      item.tokens = datesKept(item.tokens);
      const [only, second] = item.tokens;
      if (!item.loose && only?.type === 'paragraph' && !second) only.type = 'text'; // the item stays tight
    }
  }
  return made;
}
