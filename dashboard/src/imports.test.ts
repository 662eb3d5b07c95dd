/** Folders import in one direction, and so do files: what two need is in a third, below both. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

type Graph = Map<string, Set<string>>;

const SOURCE = import.meta.dirname;
const FILES = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name) && !name.startsWith('testing/'));
const IMPORT = /(?:\bfrom|\bimport\(|\bimport)\s*'(@\/|\.\.?\/)([^']+)'/g;

/** The module that is imported, by its path below `src`. */
function target(importer: string, prefix: string, rest: string): string {
  return prefix === '@/' ? rest : join(importer, '..', prefix, rest);
}

/** The file of a module, or undefined where it is not one of ours. */
function fileOf(module: string): string | undefined {
  return FILES.find((file) => [`${module}.ts`, `${module}.tsx`, `${module}/index.ts`, module].includes(file));
}

function imports(nameOf: (file: string) => string | undefined): Graph {
  const graph: Graph = new Map();
  for (const file of FILES) {
    const from = nameOf(file);
    if (from === undefined) continue;
    const targets = graph.get(from) ?? new Set();
    graph.set(from, targets);
    for (const [, prefix = '', rest = ''] of readFileSync(join(SOURCE, file), 'utf8').matchAll(IMPORT)) {
      const found = fileOf(target(file, prefix, rest));
      const to = found && nameOf(found);
      if (to !== undefined && to !== from) targets.add(to);
    }
  }
  return graph;
}

/** What is left when everything that imports nothing, or only such, is taken away. */
function circle(graph: Graph): string[] {
  const left = new Map(graph);
  for (let before = -1; before !== left.size; ) {
    before = left.size;
    for (const [name, targets] of left) {
      if (![...targets].some((each) => left.has(each))) left.delete(name);
    }
  }
  return [...left.keys()];
}

it('no circle of folders', () => {
  const folders = imports((file) => (file.includes('/') ? file.split('/')[0] : undefined));
  expect(folders.size).toBeGreaterThan(10);
  expect(circle(folders)).toEqual([]);
});

it('no circle of files', () => {
  expect(circle(imports((file) => file))).toEqual([]);
});

it('finds a circle', () => {
  const graph: Graph = new Map([
    ['inbox', new Set(['live'])],
    ['live', new Set(['inbox', 'api'])],
    ['api', new Set()],
  ]);
  expect(circle(graph)).toEqual(['inbox', 'live']);
});
