/** The interactive reference of the API. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { eventually, useScene } from './scene';

/** The page is several megabytes of script, which take a busy machine a while. */
const LOAD_MS_MAX = 40_000;
const scene = useScene();

/** Opens the operations of contacts. */
async function seeOperation(page: Page): Promise<void> {
  await page.getByText('Contacts', { exact: true }).first().click({ timeout: LOAD_MS_MAX });
  await page.getByText('List contacts').first().waitFor();
}

/** The samples of an operation, one after the other. */
async function seeEveryLanguage(page: Page): Promise<void> {
  const calls = {
    curl: 'curl --get "$FRONTDESK_BASE_URL/api/v1/contacts"',
    TypeScript: 'of client.contacts.list({',
    Python: 'in client.contacts.list(',
    Rust: 'client.contacts().list()',
  };
  const operation = page.getByRole('region', { name: 'List contacts' });
  for (const [language, call] of Object.entries(calls)) {
    await operation.getByTestId('client-picker').click();
    // The reference writes calls of its own as well, below these.
    const samples = page.getByRole('group', { name: 'Code Examples' });
    await samples.getByRole('option', { name: language, exact: true }).click();
    await eventually(
      () => operation.innerText(),
      (text) => text.includes(call),
    );
  }
}

it('is a click away from the light page, shows every language, tries an operation with a key, and loads nothing from another host', async () => {
  const page = await scene.open();
  const elsewhere: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(scene.server.url) && /^https?:/.test(request.url())) {
      elsewhere.push(request.url());
    }
  });
  await page.goto('/docs');
  // The light page runs no script.
  expect(await page.locator('script').count()).toBe(0);
  await page.getByRole('link', { name: 'Open the interactive reference' }).click();
  await seeOperation(page);
  await page.getByText('List contacts').first().click();
  await seeEveryLanguage(page);

  // An operation is found by its name, and tried against this server.
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
  expect(elsewhere).toEqual([]);
});

it('cannot use the session of a member', async () => {
  const owner = await scene.owner();
  const before = scene.problems.length;
  await owner.goto('/docs/interactive', { timeout: LOAD_MS_MAX });
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
