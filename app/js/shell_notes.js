/**
 * What the site's owner should know and only the page can see, such as a file that is not there.
 * Rule: a visitor is not bothered; the console has the sentence, and `notes` keeps it.
 */
import { say } from './shell_words.js';

/** @type {string[]} */
export const notes = [];

/**
 * @param {'accentChanged' | 'fileMissing' | 'languageMissing'} key
 * @param {Record<string, string>} values
 */
export function note(key, values) {
  const sentence = say(key, values);
  if (notes.indexOf(sentence) >= 0) return;
  notes.push(sentence);
  console.warn(sentence);
}
