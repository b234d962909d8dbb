/**
 * Byte-compiles a zip of sources by Pyodide itself, so that the bytecode is the very one that the page will run.
 * Rule: one output per process. What marshal writes depends on what the interpreter has interned before.
 *
 * node bytecompile.js PYODIDE.mjs SOURCES.zip OUTPUT.zip ROOT OPTIMIZE
 * PYODIDE.mjs: the pinned Pyodide. ROOT: where Python will see the files. OPTIMIZE: as in Python's `compile`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [pyodide, sources, output, root, optimize] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(pyodide));
// a fixed hash seed: the order of a set must not reach the bytes
const python = await loadPyodide({ env: { PYTHONHASHSEED: '0' } });
python.FS.writeFile('/sources.zip', readFileSync(sources));
python.runPython(readFileSync(new URL('bytecompile.py', import.meta.url), 'utf8'));
const target = '/output.zip';
try {
  python.globals.get('build')('/sources.zip', target, root, Number(optimize));
} catch (error) {
  // a traceback of this machinery says nothing; its end names the module and the line
  console.error(error.message.trim().split('\n').slice(-4).join('\n'));
  process.exit(1);
}
writeFileSync(output, python.FS.readFile(target));
