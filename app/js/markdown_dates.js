/**
 * Recognises dates: "9. September" at the start of a line is a day, not the ninth item of a list.
 * Rule: it changes only marked's list tokens and never the text, so that code, raw HTML and links stay as they are.
 */

/** @import { Token, Tokens } from 'marked' */

const LONG =
  'Januar|Jänner|Februar|Feber|März|Maerz|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|' +
  'January|February|March|May|June|July|October|December';
const SHORT = 'Jan|Feb|Mär|Mrz|Mar|Apr|Jun|Jul|Aug|Sept?|Okt|Oct|Nov|Dez|Dec';
// "Jan" and "Mar" are also names of people; without a dot, a number, a sign or the end of the text must follow
const MONTH = `(?:(?:${LONG})(?!\\p{L})|(?:${SHORT})(?:\\.|(?=\\s*(?:\\d|[:,;)–-]|$))))`;
const JOINED = '(?:(?:und|bis|and|to|&|[–/-])\\s*(?:den\\s+)?\\d{1,2}\\.\\s*){0,4}';
const STARTS_WITH_MONTH = new RegExp(`^\\s*${MONTH}`, 'iu');
// what may follow "9.": "September", "bis 11. September", "9. 2026"; also "und 10. Sitzung", which is no list item either
const REST_OF_A_DATE = new RegExp(
  `^\\s*(?:${JOINED}${MONTH}|\\d{1,2}\\.\\s*\\d{2,4}(?!\\d)|(?:und|bis|and|to|&)\\s+\\d{1,3}\\.\\s)`,
  'iu',
);
const ORDER = ['jan', 'feb', 'mar', 'apr', 'mai', 'jun', 'jul', 'aug', 'sep', 'okt', 'nov', 'dez'];
/** @type {Record<string, string>} */
const SPELLINGS = { jän: 'jan', mär: 'mar', mae: 'mar', mrz: 'mar', may: 'mai', oct: 'okt', dec: 'dez' };
const LONGEST = 80; // characters; only the start of an item is read

/**
 * @param {Token} [token]
 * @returns {token is Tokens.List}
 */
const isList = (token) => token?.type === 'list';

/** @type {(token?: Token) => boolean} */
const isText = (token) => ['text', 'paragraph', 'heading'].includes(token?.type ?? '');

/** @type {(token: Token) => Token[]} */
const tokensOf = (token) => ('tokens' in token && token.tokens) || [];

/** @param {Tokens.ListItem} item */
const markerOf = (item) => /^\s*(\S+)/.exec(item.raw)?.[1] ?? '';

/**
 * The number of an ordered item as it was written.
 * @param {Tokens.ListItem} item
 */
const numberOf = (item) => Number.parseInt(markerOf(item), 10);

/**
 * The start of some inline tokens as plain text.
 * @param {Token[]} tokens
 */
function plain(tokens) {
  let text = '';
  for (const token of tokens) {
    if (text.length > LONGEST) break;
    if (token.type === 'html') continue;
    if ('tokens' in token && token.tokens) text += plain(token.tokens);
    else if ('text' in token) text += token.text ?? '';
  }
  return text;
}

/**
 * The start of an item's text. To marked, "9. 9. 2026" and "9. - 11. Mai" are lists inside lists.
 * @param {Tokens.ListItem} item
 * @returns {string}
 */
function startOf(item) {
  const first = item.tokens[0];
  if (isList(first)) return `${markerOf(first.items[0])} ${startOf(first.items[0])}`;
  return isText(first) ? plain(tokensOf(first)).slice(0, LONGEST).normalize('NFC') : '';
}

/**
 * The number of the month that the text starts with, or 0.
 * @param {string} text
 */
function month(text) {
  const name = STARTS_WITH_MONTH.exec(text)?.[0].trim().slice(0, 3).toLowerCase() ?? '';
  return ORDER.indexOf(SPELLINGS[name] ?? name) + 1;
}

/** @param {Tokens.ListItem} item */
function isDate(item) {
  const day = numberOf(item);
  return /^\d{1,2}\.$/.test(markerOf(item)) && day >= 1 && day <= 31 && REST_OF_A_DATE.test(startOf(item));
}

/**
 * Whether it is a list of months: "1. Januar", "2. Februar", and so on, too many to be so by chance.
 * @param {Tokens.ListItem[]} items
 */
function isListOfMonths(items) {
  const months = items.map((item) => month(startOf(item)));
  const follow = items.every(
    (item, i) => i === 0 || (numberOf(item) === numberOf(items[i - 1]) + 1 && months[i] === (months[i - 1] % 12) + 1),
  );
  return follow && months[0] > 0 && (items.length > 2 || (items.length > 1 && numberOf(items[0]) === months[0]));
}

/** @type {(before?: Tokens.ListItem, after?: Tokens.ListItem) => boolean} */
const goesOn = (before, after) => Boolean(before && after && [0, 1].includes(numberOf(after) - numberOf(before)));

/** @typedef {{ date: boolean, items: Tokens.ListItem[] }} Run neighbours that are all dates, or all items */

/**
 * The items in runs. An item that continues the numbers of a real list belongs to that list, even if it reads as a date.
 * @param {Tokens.ListItem[]} items
 */
function runsOf(items) {
  /** @type {Run[]} */
  const runs = [];
  for (const item of items) {
    const date = isDate(item);
    const last = runs.at(-1);
    if (last?.date === date) last.items.push(item);
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

/**
 * The content of an item, with its marker as text.
 * @param {Tokens.ListItem} item
 * @returns {Token[]}
 */
function unlisted(item) {
  const text = { type: 'text', raw: `${markerOf(item)} `, text: `${markerOf(item)} `, escaped: false };
  const [first, ...rest] = item.tokens;
  const inner = isList(first) ? unlisted(first.items[0]) : [first];
  const others = isList(first) ? first.items.slice(1) : [];
  const [head, ...tail] = inner;
  const block = { ...head, type: head.type === 'text' ? 'paragraph' : head.type, tokens: [text, ...tokensOf(head)] };
  return [block, ...tail, ...(others.length ? [{ ...first, items: others }] : []), ...rest];
}

/**
 * The list as tokens, in which dates have become paragraphs.
 * @param {Tokens.List} list
 * @param {Token} [before] the token before the list, which may get the date as its end
 */
function withoutList(list, before) {
  /** @type {Token[]} */
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
  // "Sie tagte am" and in the next line "1. Mai" are one sentence
  const isOpen = before?.type === 'paragraph' || before?.type === 'text';
  if (list.items.length === 1 && isOpen && before.tokens) {
    before.tokens.push({ type: 'text', raw: '\n', text: '\n', escaped: false }, ...tokensOf(made[0]));
    before.raw += made[0].raw;
    made.shift();
  }
  return made;
}

/**
 * The tokens, in which lists whose items begin with a date have become paragraphs.
 * @param {Token[]} tokens
 */
export function datesKept(tokens) {
  /** @type {Token[]} */
  const made = [];
  for (const token of tokens) {
    if (isList(token) && token.ordered) made.push(...withoutList(token, made.at(-1)));
    else made.push(token);
  }
  for (const token of made) {
    if (token.type === 'blockquote') token.tokens = datesKept(tokensOf(token));
    if (!isList(token)) continue;
    for (const item of token.items) {
      item.tokens = datesKept(item.tokens);
      const [only, second] = item.tokens;
      if (!item.loose && only?.type === 'paragraph' && !second) only.type = 'text'; // the item stays tight
    }
  }
  return made;
}

/**
 * The numbers of a list as they were written, because they may have a meaning (92, 95; 3, 2, 1). If all are the same,
 * they are counted.
 * @param {Tokens.ListItem[]} items
 */
export function numbersOf(items) {
  const numbers = items.map(numberOf);
  return new Set(numbers).size > 1 ? numbers : numbers.map((first, i) => first + i);
}
