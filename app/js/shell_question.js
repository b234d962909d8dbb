/** Shows a question. Rule: no text blocks the page for long. */
import { pieces } from './markdown_plain.js';
import { copyOf } from './shell_elements.js';

/**
 * The article of a question. A long one is laid out in pieces, because a single paragraph may take seconds.
 * @param {string} text
 */
export function question(text) {
  const article = copyOf('user-article');
  const parts = pieces(text);
  for (const paragraph of article.querySelectorAll('p')) {
    if (parts.length < 2) paragraph.textContent = text;
    else {
      for (const part of parts) {
        const piece = document.createElement('span');
        piece.dir = 'auto';
        piece.textContent = part;
        paragraph.append(piece);
      }
    }
  }
  return article;
}
