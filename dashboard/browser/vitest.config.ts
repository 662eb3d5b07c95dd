import { defineConfig } from 'vitest/config';

// Drives the built dashboard of a real server in Chromium. One file at a time: each has a server, a browser and
// several pages, which is enough for two cores. `BENCH=1` measures instead of testing, and `PICTURES=1` takes pictures.
const kind = process.env.BENCH ? 'bench' : process.env.PICTURES ? 'pictures' : 'test';
// Tests run in a shuffled order, so that one which relies on another fails. `SEED=7` chooses another order.
const seed = Number(process.env.SEED ?? 1);

export default defineConfig({
  test: {
    dir: import.meta.dirname,
    include: [`**/*.${kind}.ts`],
    fileParallelism: false,
    sequence: { shuffle: { tests: kind === 'test' }, seed },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['default', './browser/reporter.ts'],
  },
});
