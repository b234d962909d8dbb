/**
 * The elements of the page that the scripts need.
 * Rule: an element that is missing, or is of another kind, is named in an error.
 */

/**
 * The element with this id. `kind` is its class, such as `HTMLButtonElement`.
 * @template {HTMLElement} [E=HTMLElement]
 * @param {string} id
 * @param {new () => E} [kind]
 * @returns {E}
 */
export function element(id, kind) {
  const found = document.getElementById(id);
  if (found instanceof (kind || HTMLElement)) return /** @type {E} */ (found);
  throw new Error(`The page has no suitable element #${id}`);
}

/**
 * A copy of the first element in the template with this id.
 * @param {string} id
 */
export function copyOf(id) {
  const copy = document.importNode(element(id, HTMLTemplateElement).content, true).firstElementChild;
  if (copy instanceof HTMLElement) return copy;
  throw new Error(`The template #${id} is empty`);
}
