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

it('finds an operation by its name, and tries it with a key against this server', async () => {
  await scene.server.api('POST', '/contacts', { name: 'Ann of the reference' });
  await page.getByPlaceholder('Token').first().fill(scene.server.key);
  await page.getByRole('button', { name: 'Search' }).first().click();
  const search = page.getByRole('dialog');
  await search.locator('input').fill('list contacts');
  await search.getByText('List contacts').first().click();
  await page.getByRole('button', { name: /Test Request.*get \/api\/v1\/contacts\)/i }).click();
  const asked = page.waitForResponse((response) => response.url().includes('/api/v1/contacts'));
  await page.getByRole('button', { name: /^Send/ }).first().click();
  const answer = await asked;
  expect(answer.status()).toBe(200);
  expect(new URL(answer.url()).pathname).toBe('/api/v1/contacts');
  expect(new URL(answer.url()).origin).toBe(scene.server.url);
  expect(answer.request().headers().authorization).toBe(`Bearer ${scene.server.key}`);
  // The response is on the page, with its status.
  await page.getByText('200 OK').first().waitFor();
  await page.getByText('Ann of the reference').first().waitFor();
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
