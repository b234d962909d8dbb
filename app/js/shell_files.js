/**
 * Which file of the page did not come. Neither a script's element nor a failed import says why it failed, and it may be
 * a file that the script imports.
 * Rule: the file that is named is one that was asked for again and failed again.
 */
const folder = new URL('.', document.baseURI).href;

/** The page's own files that were asked for so far, as addresses; `first` come first. */
function asked(first) {
  const listed = Array.prototype.map.call(
    document.querySelectorAll('script[src], link[rel=modulepreload], link[as=fetch]'),
    (element) => element.src || element.href,
  );
  const loaded = performance.getEntriesByType('resource').map(({ name }) => name);
  const all = first.concat(listed, loaded).filter((address) => address.indexOf(folder) === 0);
  return all.filter((address, place) => all.indexOf(address) === place);
}

function lookAt(address, sentAs) {
  const file = address.slice(folder.length);
  return fetch(address).then(
    (response) => {
      const type = response.headers.get('content-type') || '';
      const { status } = response;
      if (!response.ok) return { file, status, message: '' };
      return /\.js$/.test(file) && !/javascript/.test(type) ? { file, status, message: sentAs(type || '?') } : null;
    },
    () => ({ file, status: 0, message: '' }),
  );
}

/**
 * Resolves to `{ file, status, message }` of the first broken file, or to null. `suspects` are addresses to try first,
 * `sentAs(type)` says that a script came with the wrong type.
 */
export function findBroken(suspects, sentAs) {
  return asked(suspects).reduce(
    (before, address) => before.then((found) => found || lookAt(address, sentAs)),
    Promise.resolve(null),
  );
}
