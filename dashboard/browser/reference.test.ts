/** The interactive reference of the API. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { useScene } from './scene';

const scene = useScene();
let page: Page;
const elsewhere: string[] = [];

beforeAll(async () => {
  page = await scene.open();
  page.on('request', (request) => {
    if (!request.url().startsWith(scene.server.url) && /^https?:/.test(request.url())) {
      elsewhere.push(request.url());
    }
  });
});

/** Opens the operations of contacts. */
async function seeOperation(page: Page): Promise<void> {
  await page.getByText('Contacts', { exact: true }).first().click();
  await page.getByText('List contacts').first().waitFor();
}

it('is a click away from the light page, which runs no script', async () => {
  await page.goto('/docs');
  expect(await page.locator('script').count()).toBe(0);
  await page.getByRole('link', { name: 'Open the interactive reference' }).click();
  await seeOperation(page);
});

it('cannot use the session of a member', async () => {
  const owner = await scene.owner();
  const before = scene.problems.length;
  await owner.goto('/docs/interactive');
  await seeOperation(owner);
  const status = (path: string) =>
    owner.evaluate(
      (path) =>
        fetch(path)
          .then((response) => response.status)
          .catch(() => 'refused'),
      path,
    );
  expect(await status('/app/api/session')).toBe('refused');
  expect(await status('/api/v1/me')).toBe(401);
  expect(await owner.evaluate(() => window.open('/app') === null)).toBe(true);
  // Chromium reports what the policy refused.
  const refusals = scene.problems.splice(before);
  expect(refusals.join()).toContain('connect-src');
});

it('loads nothing from another host', () => {
  expect(elsewhere).toEqual([]);
});
