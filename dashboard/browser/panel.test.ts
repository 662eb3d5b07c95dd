/** The contact beside a conversation: changed in place, seen by a colleague at once. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { seriousFindings } from './axe';
import { choose, eventually, useScene } from './scene';

interface Contact {
  email: string | null;
  company: string | null;
  custom_fields: Array<{ field_id: string; value: string }>;
}

const PHONE = { viewport: { width: 390, height: 800 }, isMobile: true, hasTouch: true };
const scene = useScene();
let page: Page;

const panel = (on = page) => on.getByRole('complementary', { name: 'Contact' });
const stored = (id: string) => scene.server.api<Contact>('GET', `/contacts/${id}`);

beforeAll(async () => {
  await scene.server.silenceAssistants();
  page = await scene.owner();
});

async function open(conversationId: string, on = page): Promise<void> {
  await on.goto(`/app/inbox/${conversationId}`);
  await panel(on).getByRole('button', { name: 'Add email' }).waitFor();
}

it('adds and changes values by the keyboard alone, and a colleague sees them without a reload', async () => {
  const { id, conversationId } = await scene.customer();
  const colleague = await scene.member('Bo Agent', 'bo@example.com');
  await open(conversationId);
  await open(conversationId, colleague);
  expect(await panel().getByText('–', { exact: true }).count()).toBe(0);
  await panel().getByRole('button', { name: 'Add email' }).focus();
  await page.keyboard.press('Enter');
  await panel().getByLabel('Email').waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await page.keyboard.type('ann@example.com');
  await page.keyboard.press('Enter');
  await panel(colleague).getByRole('link', { name: 'ann@example.com' }).waitFor();
  // The focus is on the same value, ready for another change.
  await eventually(
    () => page.evaluate(() => document.activeElement?.getAttribute('aria-label')),
    (label) => label === 'Edit Email',
  );
  await page.keyboard.press('Enter');
  await panel().getByLabel('Email').fill('');
  await page.keyboard.press('Enter');
  await panel(colleague).getByRole('button', { name: 'Add email' }).waitFor();
  expect((await stored(id)).email).toBeNull();
  await panel().getByRole('button', { name: 'Add company' }).click();
  await panel().getByLabel('Company').fill('Never stored');
  await page.keyboard.press('Escape');
  await panel().getByRole('button', { name: 'Add company' }).waitFor();
  expect((await stored(id)).company).toBeNull();
  await colleague.context().close();
});

it('chooses a value of a custom field, and keeps what was typed when the server cannot be reached', async () => {
  const field = await scene.server.api('POST', '/custom-fields', {
    name: 'Plan',
    type: 'select',
    options: ['silver', 'gold'],
  });
  const { id, conversationId } = await scene.customer();
  await open(conversationId);
  await panel().getByRole('button', { name: 'Add Plan' }).click();
  await choose(panel().getByLabel('Plan'), 'gold');
  await panel().getByRole('button', { name: 'Save' }).click();
  // The form, which shows the value too, is gone once it is stored.
  await panel().getByRole('button', { name: 'Edit Plan' }).waitFor();
  expect((await stored(id)).custom_fields).toMatchObject([{ field_id: field.id, value: 'gold' }]);
  await panel().getByRole('button', { name: 'Add company' }).click();
  await panel().getByLabel('Company').fill('Oak Ltd');
  await page.route(`**/api/v1/contacts/${id}`, (route) =>
    route.request().method() === 'PATCH' ? route.abort() : route.continue(),
  );
  await page.keyboard.press('Enter');
  await panel().getByText('The server cannot be reached.').waitFor();
  expect(await panel().getByLabel('Company').inputValue()).toBe('Oak Ltd');
  await page.unrouteAll({ behavior: 'wait' });
  await page.keyboard.press('Enter');
  await panel().getByText('Oak Ltd').waitFor();
  expect((await stored(id)).company).toBe('Oak Ltd');
});

it('works on a phone', async () => {
  const { id, conversationId } = await scene.customer();
  const phone = await scene.owner(PHONE);
  await phone.goto(`/app/inbox/${conversationId}`);
  await phone.getByRole('button', { name: 'Show or hide the contact' }).tap();
  const dialog = phone.getByRole('dialog', { name: 'Contact' });
  await dialog.getByRole('button', { name: 'Add company' }).tap();
  await dialog.getByLabel('Company').fill('Oak Ltd');
  expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  expect(await seriousFindings(phone)).toEqual([]);
  await dialog.getByRole('button', { name: 'Save' }).tap();
  await dialog.getByText('Oak Ltd').waitFor();
  expect((await stored(id)).company).toBe('Oak Ltd');
  await phone.context().close();
});
