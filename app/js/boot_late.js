/**
 * The Python modules that the start does not need. They come when the page is ready and has nothing else to do.
 * Rule: a module that is imported earlier is loaded at once, even though the page stands still meanwhile.
 *
 * browser/late_modules.py asks for them.
 */
import { base, bundle } from './boot_files.js';
import { unpack } from './boot_python.js';

/** @import { Python } from './pyodide/pyodide.js' */

const FILE = 'late.bin';

/** @type {Promise<boolean> | undefined} */
let loading;

/**
 * Loads the modules. Resolves to whether they are there now; later calls try again what has failed.
 * @param {Python} python
 * @returns {Promise<boolean>}
 */
export function loadLate(python) {
  loading ??= bundle(FILE, { quiet: true }).then(
    (content) => {
      unpack(python.FS, content);
      return true;
    },
    () => {
      loading = undefined;
      return false;
    },
  );
  return loading;
}

/** The bytes of the file, now: the browser does nothing else until they are there. Null if they do not come. */
export function lateFile() {
  const asking = new XMLHttpRequest();
  asking.open('GET', base + FILE, false);
  asking.overrideMimeType('text/plain; charset=x-user-defined'); // one character for each byte
  try {
    asking.send();
  } catch {
    return null;
  }
  if (asking.status !== 200) return null;
  return Uint8Array.from(asking.responseText, (character) => character.charCodeAt(0));
}
