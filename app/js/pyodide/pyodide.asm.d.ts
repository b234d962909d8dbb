import type { Module, Settings } from './pyodide.js';

export default function createModule(settings: Settings): Promise<Module>;
