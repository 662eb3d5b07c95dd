import { defineConfig } from 'vitest/config';

// Drives the built dashboard of a real server in Chromium. One file at a time: each has a server, a browser and
// several pages, which is enough for two cores. `BENCH=1` measures instead of testing, and `PICTURES=1` takes pictures.
const kind = process.env.BENCH ? 'bench' : process.env.PICTURES ? 'pictures' : 'test';
// The tests of each file are shuffled, so that one which relies on another fails. `SEED=7` repeats an order.
const SEEDS = 1_000_000;
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * SEEDS));

export default defineConfig({
  test: {
    dir: import.meta.dirname,
    include: [`**/*.${kind}.ts`],
    fileParallelism: false,
    ...(kind === 'test' && { sequence: { shuffle: { tests: true }, seed } }),
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['default', './browser/reporter.ts'],
  },
});
