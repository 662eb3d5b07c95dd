/** What axe finds serious on a page, by all of its rules or by some. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export function seriousFindings(page: Page, rules?: string[]): Promise<string[]> {
  return found(page, rules ? { runOnly: { type: 'rule', values: rules } } : {});
}

/** What does not follow from colours, which take the most time: for pages whose colours have been looked at. */
export function findingsBeyondColors(page: Page): Promise<string[]> {
  return found(page, { rules: { 'color-contrast': { enabled: false } } });
}

async function found(page: Page, options: RunOptions): Promise<string[]> {
  // Evaluated, not added as a script: the page's policy allows no other script.
  await page.evaluate(AXE);
  return page.evaluate(async (options) => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') };
    const { violations } = await axe.run({ exclude: [['[data-base-ui-focus-guard]']] }, options);
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`);
  }, options);
}
