/** Forms that are sent again: after a correction, and after an answer that was lost. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { useScene } from './scene';

const scene = useScene();
let page: Page;

const named = async (name: string) =>
  (await scene.server.api<Array<{ name: string | null }>>('GET', '/contacts')).filter(
    (contact) => contact.name === name,
  ).length;

beforeAll(async () => {
  await scene.server.api('POST', '/contacts', { name: 'Ann', phone: '+4915112345601' });
  page = await scene.owner();
});

async function newContact(name: string, phone: string) {
  await page.goto('/app/contacts');
  await page.getByRole('button', { name: 'New contact' }).click();
  const dialog = page.getByRole('dialog', { name: 'New contact' });
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByLabel('Phone').fill(phone);
  await dialog.getByRole('button', { name: 'Save' }).click();
  return dialog;
}

it('saves a new contact whose number was taken, once it is corrected', async () => {
  const dialog = await newContact('Ben Bell', '+4915112345601');
  await dialog.getByRole('alert').waitFor();
  await dialog.getByLabel('Phone').fill('+4915112345602');
  await dialog.getByLabel('Phone').press('Enter');
  await dialog.waitFor({ state: 'detached' });
  expect(await named('Ben Bell')).toBe(1);
});

it('saves a new contact once when the answer was lost and it is saved again', async () => {
  await page.route(/\/v1\/contacts$/, async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    await route.fetch();
    await route.abort();
  });
  const dialog = await newContact('Cy Cole', '+4915112345603');
  await dialog.getByText('The server cannot be reached.').waitFor();
  await page.unroute(/\/v1\/contacts$/);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await named('Cy Cole')).toBe(1);
});
