/** What the scripts find as globals and no library declares. */

/** Set by shell.js. Other pages that load boot.js have none. */
declare var tabloop: import('./shell.js').Shell | undefined;

// app/build/bundles.py puts these in from the pinned packages
declare const PYODIDE_VERSION: string;
declare const PYODIDE_ABI: { python: string };
declare const EXTENSION: string; // path of pydantic's compiled core in site-packages

declare namespace WebAssembly {
  let Suspending: unknown; // stack switching; not in every browser
}
