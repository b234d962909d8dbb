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
}

export type PreRun = (module: Module) => unknown;

/** Private. */
export interface Settings {
  preRun: PreRun[];
  locateFile(name: string): string;
}

export interface Options {
  stdout(line: string): void;
  stderr(line: string): void;
  indexURL: string;
  stdLibURL: string;
  lockFileContents: object;
  packageBaseUrl: string;
  createPyodideModule(settings: Settings): Promise<Module>; // private
}

export interface Python {
  registerJsModule(name: string, module: object): void;
  _api: { on_fatal(error: Error): void }; // private
}

export function loadPyodide(options: Options): Promise<Python>;
