/**
 * Lets PyScript's package for Python wait until somebody imports it.
 * Rule: code that is not as this version of PyScript sends it runs unchanged; then the start only takes longer.
 *
 * PyScript writes its package as source into Python's files and imports it, before any other code runs. To compile it
 * would be the longest task of the start, and the page itself uses none of it.
 */

/** @import { Python } from './pyodide/pyodide.js' */

const PACKAGE = /^(?<write>import os as _os\n.*?)^import pyscript as _pyscript\n.*?^del _pyscript$/ms;

/** Code that writes the package; empty if that has been done. */
let write = '';

/** @param {Python} python */
export function deferPyScript(python) {
  const run = python.runPythonAsync.bind(python);
  python.runPythonAsync = (code, options) => {
    const found = PACKAGE.exec(code);
    if (!found?.groups) return run(code, options);
    write = found.groups.write;
    return run(code.replace(found[0], ''), options);
  };
}

/**
 * Writes the package. Returns whether it was not there before.
 * @param {Python} python
 */
export function writePyScript(python) {
  if (!write) return false;
  python.runPython(write);
  write = '';
  return true;
}
