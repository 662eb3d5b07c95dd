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

it('is a click away from the light page, which runs no script', async () => {
  await page.goto('/docs');
  expect(await page.locator('script').count()).toBe(0);
  await page.getByRole('link', { name: 'Open the interactive reference' }).click();
  await page.getByRole('heading', { name: 'List contacts' }).first().waitFor();
});

it('finds an operation by its words', async () => {
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('combobox', { name: /search/i }).fill('snooze');
  await page
    .getByRole('option', { name: /snooze/i })
    .first()
    .click();
  await page
    .getByRole('heading', { name: /snooze/i })
    .first()
    .waitFor();
});

it('sends a request with a key and shows the response', async () => {
  await scene.server.api('POST', '/contacts', { name: 'Reader of the reference' });
  await page.goto('/docs/interactive#tag/Contacts/operation/listContacts');
  const answered = page.waitForResponse((response) => response.url().includes('/api/v1/contacts'));
  await page
    .getByRole('button', { name: /test request/i })
    .first()
    .click();
  await page.getByPlaceholder(/token/i).first().fill(scene.server.key);
  await page.getByRole('button', { name: /^send/i }).first().click();
  const response = await answered;
  expect(response.status()).toBe(200);
  expect(new URL(response.url()).search).not.toContain('phone');
});

it('cannot use the session of a member', async () => {
  const owner = await scene.owner();
  const before = scene.problems.length;
  await owner.goto('/docs/interactive');
  await owner.getByRole('heading', { name: 'List contacts' }).first().waitFor();
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
