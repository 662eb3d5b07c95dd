/** Waits until a page shows what it has to show. */
import type { Page } from 'playwright-core';

const SETTLE_MS = 500;
/** What stands where something is about to appear. */
const LOADING = '.skeleton, .animate-spin';

/** A page may begin to read more once it has read something: so nothing may be loading for a while. */
export async function settled(page: Page): Promise<void> {
  await page.locator('main').waitFor();
  for (let loading = true; loading; ) {
    await page.waitForFunction((selector) => !document.querySelector(selector), LOADING);
    await page.waitForTimeout(SETTLE_MS);
    loading = (await page.locator(LOADING).count()) > 0;
  }
}
