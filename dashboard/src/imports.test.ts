/** Folders import in one direction, and so do files: what two need is in a third, below both. */
import { expect, it } from 'vitest';
import { FILES, importsOf } from './testing/sources';

type Graph = Map<string, Set<string>>;

function imports(nameOf: (file: string) => string | undefined): Graph {
  const graph: Graph = new Map();
  for (const file of FILES) {
    const from = nameOf(file);
    if (from === undefined) continue;
    const targets = graph.get(from) ?? new Set();
    graph.set(from, targets);
    for (const found of importsOf(file)) {
      const to = nameOf(found);
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
