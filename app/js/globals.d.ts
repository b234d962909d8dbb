/** What the scripts find as globals and no library declares. */

/** Set by shell.js. Other pages that load boot.js have none. */
declare var tabloop: import('./shell.js').Shell | undefined;

// app/build/scripts.py puts these in
declare const BUILD: string; // a hash of everything that a snapshot depends on
declare const FILE_SIZES: Record<string, [sent: number, read: number]>; // bytes of a file, compressed and not
declare const SNAPSHOT_SIZE: number; // of the memory of the build's snapshot, in bytes
declare const START_MODULES: string[]; // what Python imports before the page's own modules
declare const PYODIDE_VERSION: string;
declare const PYODIDE_ABI: { python: string };
declare const EXTENSION: string; // path of pydantic's compiled core in site-packages

declare namespace WebAssembly {
  let Suspending: unknown; // stack switching; not in every browser
}
