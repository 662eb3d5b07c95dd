/** Takes the pictures of README.md and docs/dashboard.md: `make pictures`. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, it } from 'vitest';
import { codeOf, DOCUMENTED, PICTURES, TAKEN } from '../src/testing/pictures';
import { useScene } from './scene';
import { settled } from './settled';
import { allowLocalWebhooks, openShop, type ShopPaths } from './shop';

const VIEWPORT = { width: 1200, height: 750 };
const QUALITY = 40;

allowLocalWebhooks();
const scene = useScene();
let paths: ShopPaths;
let now: Date;

beforeAll(async () => {
  ({ paths, now } = await openShop(scene));
  rmSync(PICTURES, { recursive: true, force: true });
  mkdirSync(PICTURES, { recursive: true });
}, 120_000);

async function take(page: Page, name: string, path: string): Promise<void> {
  await page.goto(`/app${path}`);
  await settled(page);
  const chromium = await page.context().newCDPSession(page);
  const { data } = await chromium.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
  writeFileSync(join(PICTURES, `${name}.webp`), Buffer.from(data, 'base64'));
}

for (const colorScheme of ['light', 'dark'] as const) {
  it(`takes pictures, ${colorScheme}`, async () => {
    const page = await scene.owner({ colorScheme, viewport: VIEWPORT });
    await page.clock.setFixedTime(now);
    for (const [name, { path, dark }] of Object.entries(DOCUMENTED)) {
      if (colorScheme === 'dark' && !dark) continue;
      const to = path.startsWith('/') ? path : paths[path as keyof ShopPaths];
      await take(page, colorScheme === 'dark' ? `${name}-dark` : name, to);
    }
  }, 240_000);
}

it('notes the code of each page', () => {
  const taken = Object.fromEntries(
    Object.entries(DOCUMENTED).map(([name, { page }]) => [name, codeOf(page)]),
  );
  writeFileSync(TAKEN, `${JSON.stringify(taken, null, 2)}\n`);
});
