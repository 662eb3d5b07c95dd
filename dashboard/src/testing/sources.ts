/** The source files of the app, and which of them import which. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const SOURCE = resolve(import.meta.dirname, '..');
const IMPORT = /(?:\bfrom|\bimport\(|\bimport)\s*'(@\/|\.\.?\/)([^']+)'/g;

/** By their path below `src`, without tests. */
export const FILES: readonly string[] = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name) && !name.startsWith('testing/'));

const texts = new Map<string, string>();
export function textOf(file: string): string {
  const text = texts.get(file) ?? readFileSync(join(SOURCE, file), 'utf8');
  texts.set(file, text);
  return text;
}

/** The file of a module as an importer names it, or undefined where it is not one of ours. */
export function importedFile(importer: string, named: string): string | undefined {
  const module = named.startsWith('@/') ? named.slice(2) : join(importer, '..', named).replaceAll('\\', '/');
  return FILES.find((file) => [`${module}.ts`, `${module}.tsx`, `${module}/index.ts`, module].includes(file));
}

/** The files that a file imports in any way. */
export function importsOf(file: string): string[] {
  return found(file, textOf(file).matchAll(IMPORT));
}

/** The files that are loaded before a file runs. */
export function staticImportsOf(file: string): string[] {
  const code = textOf(file).replaceAll(/(?:import|export) type [^;]+;/g, '');
  return found(
    file,
    [...code.matchAll(IMPORT)].filter(([match]) => !match.startsWith('import(')),
  );
}

function found(file: string, matches: Iterable<RegExpMatchArray>): string[] {
  return [...matches].flatMap(([, prefix, rest]) => importedFile(file, `${prefix}${rest}`) ?? []);
}
