/** Ends a run with one line that people and scripts read: "12 passed, 0 failed". */
import type { Reporter, TestModule } from 'vitest/node';

export default class Summary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    let passed = 0;
    let failed = errors.length;
    for (const module of modules) {
      // A file that could not be loaded, or whose server did not start, is a failure of its own.
      failed += module.errors().length;
      for (const test of module.children.allTests()) {
        if (test.result().state === 'passed') passed += 1;
        else if (test.result().state === 'failed') failed += 1;
      }
    }
    process.stdout.write(`${passed} passed, ${failed} failed\n`);
  }
}
