/**
 * The value as JSON; big integers become text.
 * @param {unknown} value
 */
export const toJson = (value) => JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? String(part) : part));
