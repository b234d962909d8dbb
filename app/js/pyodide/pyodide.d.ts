/**
 * What boot.js uses of Pyodide, whose own files are put beside boot.js in dist. What is marked as private may change
 * with any version, so the version is pinned.
 */

export interface FileSystem {
  mkdirTree(path: string): void;
  writeFile(path: string, data: Uint8Array, options?: { canOwn?: boolean }): void;
  readFile(path: string): Uint8Array;
  analyzePath(path: string): { exists: boolean };
}

/** Emscripten's module. */
export interface Module {
  FS: FileSystem;
  addRunDependency(name: string): void;
  removeRunDependency(name: string): void;
  loadDynamicLibrary(path: string, options: Record<string, boolean>): Promise<void>; // private
  /** The exports of a library, linked. Private. */
  loadWebAssemblyModule(
    module: WebAssembly.Module,
    options: Record<string, boolean>,
    path: string,
    scope: object,
  ): Promise<object>;
  preloadedWasm: Record<string, object>; // private: exports by path, for loadDynamicLibrary
  HEAP8: Int8Array;
  wasmTable: WebAssembly.Table; // private
  API: Api; // private
  _malloc(size: number): number;
  _free(address: number): void;
}

export type PreRun = (module: Module) => unknown;

/** Private. */
export interface Api {
  on_fatal(error: Error): void;
  /** The JavaScript objects that Python holds. Throws if one of them cannot be told apart. */
  serializeHiwireState(): unknown;
  /** Fills the memory, and returns what `serializeHiwireState` returned to the maker. */
  restoreSnapshot(snapshot: Uint8Array): unknown;
}

/** Private. */
export interface Settings {
  preRun: PreRun[];
  noInitialRun?: boolean; // fill the memory and do not start Python
  thisProgram?: string;
}

export interface Options {
  stdout?(line: string): void;
  stderr?(line: string): void;
  env?: Record<string, string>;
  indexURL: string;
  stdLibURL?: string;
  lockFileContents: object;
  packageBaseUrl: string;
  createPyodideModule(settings: Settings): Promise<Module>; // private
  _loadSnapshot?: Promise<Uint8Array>; // private
}

export interface Python {
  registerJsModule(name: string, module: object): void;
  runPython(code: string): any;
  runPythonAsync(code: string, options?: object): Promise<any>;
  FS: FileSystem;
  _module: Module; // private
  _api: Api; // private
}

export function loadPyodide(options: Options): Promise<Python>;
