import { defineConfig } from 'vitest/config';

// Drives the built dashboard of a real server in Chromium. One file at a time: each has a server, a browser and
// several pages, which is enough for two cores. `BENCH=1` measures instead of testing, and `PICTURES=1` takes pictures.
const kind = process.env.BENCH ? 'bench' : process.env.PICTURES ? 'pictures' : 'test';
// `SEED=7` shuffles the tests of each file, so that one which relies on another fails.
const seed = process.env.SEED;

export default defineConfig({
  test: {
    dir: import.meta.dirname,
    include: [`**/*.${kind}.ts`],
    fileParallelism: false,
    ...(seed && { sequence: { shuffle: { tests: true }, seed: Number(seed) } }),
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['default', './browser/reporter.ts'],
  },
});
