/**
 * Bold labels without a space after them, which models write and CommonMark does not know: "**Fazit:**Text".
 * Rule: only what ends with punctuation is a label, and only where no letter or digit is before it ("2**(n)**x").
 */
const LABEL = /^\*\*((?!\s)[^*\n]{0,200}?\p{P})\*\*(?=[\p{L}\p{N}])/u;
const IN_A_WORD = /[\p{L}\p{N}]$/u;

/**
 * The label with its marks, and what is between them, if the text begins with one.
 * @param {string} text
 * @param {string | undefined} before the character before the text
 */
export const boldLabel = (text, before) => (IN_A_WORD.test(before ?? '') ? null : LABEL.exec(text));
