/**
 * Makes a snapshot of Python after the imports of the start, in Node, and writes it as a gzip file.
 * Rule: the same files give the same bytes. So time, random numbers and environment are fixed here.
 *
 * node snapshot.js FACTS.json OUTPUT
 * FACTS: { npm, extensionFile, extension, abi, modules, bundles } with paths of files; see snapshot.py.
 */
import crypto from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { makePython } from '../js/boot_python.js';
import { take } from '../js/boot_snapshot.js';

const [factsFile, output] = process.argv.slice(2);
const facts = JSON.parse(readFileSync(factsFile, 'utf8'));
const { loadPyodide: load } = await import(pathToFileURL(`${facts.npm}/pyodide.mjs`));
const { default: create } = await import(pathToFileURL(`${facts.npm}/pyodide.asm.mjs`));

let seed = 1;
/** Fills a view with numbers that are the same in each build. */
function fixed(view) {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  for (let i = 0; i < bytes.length; i++) {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    bytes[i] = seed >>> 16;
  }
  return view;
}
crypto.randomFillSync = fixed;
createRequire(import.meta.url)('node:crypto').randomFillSync = fixed;
Object.defineProperty(globalThis, 'crypto', { value: { getRandomValues: fixed } });
let clock = 0;
Date.now = () => 1_767_225_600_000 + clock;
performance.now = () => 1000 + clock;

const parts = {
  load,
  create,
  abi: facts.abi,
  folder: `${facts.npm}/`,
  extension: facts.extension,
  extensionModule: WebAssembly.compile(readFileSync(facts.extensionFile)),
  fixed: true,
  bundles: facts.bundles.map((file) => ({ file, content: Promise.resolve(gunzipSync(readFileSync(file))) })),
  failed(file, cause) {
    throw new Error(file, { cause });
  },
};
/** @param {{ thisProgram?: string }} settings */
const asInPage = (settings) => {
  settings.thisProgram = './this.program';
};

/** The memory of a fresh interpreter; each with other random numbers and another time. */
function freshMemory(number) {
  seed = number;
  clock = number * 1000;
  return new Promise((resolve, reject) => {
    const stopped = (settings) => {
      asInPage(settings);
      settings.noInitialRun = true;
    };
    const taken = ({ HEAP8 }) => {
      resolve(new Uint8Array(HEAP8.slice().buffer));
      return new Promise(() => {});
    };
    makePython(parts, undefined, stopped, taken).catch(reject);
  });
}

const fresh = [await freshMemory(2), await freshMemory(3)];
seed = 1;
clock = 0;
const python = await makePython(parts, undefined, asInPage);
python.runPython(`
import gc, importlib, random, sys
listed = ${JSON.stringify(facts.modules)}
for name in listed:
    importlib.import_module(name)
del name
unlisted = sorted(
    name for name, module in sys.modules.items()
    if (getattr(module.__spec__, "origin", None) or "").endswith(".pyc") and name not in listed
)
`);
process.stdout.write(python.runPython('", ".join(unlisted)'));
python.runPython(`
del listed, unlisted
random.seed(0)
sys._clear_internal_caches()
gc.collect()
del gc, importlib, random, sys
`);
clearFreeMemory(python._module);
writeFileSync(output, take(python, fresh));
process.exit(0);

/** Fills what is free with zeros: what lies there from before would be half of the file. */
function clearFreeMemory(module) {
  const size = module.HEAP8.length;
  const taken = [];
  const end = size - (1 << 21); // a block beyond it would let the memory grow
  for (let block = 1 << 19; block >= 32; block >>= 1) {
    for (;;) {
      const address = module._malloc(block);
      if (address) module.HEAP8.fill(0, address, address + block);
      if (!address || address + block > end) {
        module._free(address);
        break;
      }
      taken.push(address);
    }
  }
  for (const address of taken) module._free(address);
  if (module.HEAP8.length !== size) throw new Error('the memory grew');
}
