import { defineConfig } from 'vitest/config';

// Drives the built dashboard of a real server in Chromium. One file at a time: each has a server, a browser and
// several pages, which is enough for two cores. `BENCH=1` measures instead of testing, and `PICTURES=1` takes pictures.
const kind = process.env.BENCH ? 'bench' : process.env.PICTURES ? 'pictures' : 'test';
// The tests of each file are shuffled, so that one which relies on another fails. The order is the same each time, so that no
// change fails by luck; `SEED=7` tries another.
const seed = Number(process.env.SEED ?? 1);

export default defineConfig({
  test: {
    dir: import.meta.dirname,
    include: [`**/*.${kind}.ts`],
    fileParallelism: false,
    ...(kind === 'test' && { sequence: { shuffle: { tests: true }, seed } }),
    testTimeout: 180_000,
    hookTimeout: 120_000,
    reporters: ['default', './browser/reporter.ts'],
  },
});
