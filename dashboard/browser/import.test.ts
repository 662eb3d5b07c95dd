/** The import of contacts: messy files, corrections, new fields, spreadsheets, lost connections. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { MESSY, messyFile } from './messy';
import { choose, eventually, useScene } from './scene';

interface Contact {
  name: string | null;
  phone: string | null;
  email: string | null;
  custom_fields: Array<{ name: string; value: string | null }>;
}

const PEOPLE = readFileSync(new URL('../../e2e/tests/e2e/people.xlsx', import.meta.url));
const scene = useScene();
let page: Page;

const find = async (phone: string) =>
  (await scene.server.api<Contact[]>('GET', `/contacts?phone=${encodeURIComponent(phone)}`))[0];

async function pick(on: Page, name: string, content: string | Buffer): Promise<void> {
  await on.goto('/app/contacts/import');
  const buffer = Buffer.from(content);
  await on.locator('input[type=file]').setInputFiles({ name, mimeType: 'application/octet-stream', buffer });
}

const counted = (on: Page, outcome: string, count: number) =>
  on.getByText(outcome, { exact: true }).locator('..').getByText(String(count), { exact: true }).waitFor();
const check = (on: Page) => on.getByRole('button', { name: 'Check without importing' }).click();

async function setCountry(country: string | null): Promise<void> {
  const headers = { origin: scene.server.url };
  const response = await page.request.patch('/app/api/admin/account', { data: { country }, headers });
  expect(response.status()).toBe(200);
}

beforeAll(async () => {
  page = await scene.owner();
  await setCountry('DE');
});

it('sets the country of phone numbers, and reads a number of it in a new contact', async () => {
  await setCountry(null);
  onTestFinished(() => setCountry('DE'));
  await page.goto('/app/settings/account');
  const country = page.getByLabel('Country of phone numbers');
  await choose(country, 'Germany');
  await page.locator('form').filter({ has: country }).getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  await page.reload();
  await expect.poll(() => page.getByLabel('Country of phone numbers').textContent()).toBe('Germany');
  await page.goto('/app/contacts');
  await page.getByRole('button', { name: 'New contact' }).click();
  const dialog = page.getByRole('dialog', { name: 'New contact' });
  await dialog.getByLabel('Name').fill('Nora National');
  await dialog.getByLabel('Phone').fill('12');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('too short for a phone number of DE').waitFor();
  await dialog.getByLabel('Phone').fill('(0151) 9999482');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Nora National' }).waitFor();
  expect((await find('+491519999482'))?.name).toBe('Nora National');
});

it('imports 500 messy rows, makes a field on the way, and corrects a rejected row', async () => {
  await pick(page, 'kunden.csv', messyFile());
  await page.getByText(`The file has ${MESSY.rows} rows.`).waitFor();
  await choose(page.getByLabel('Where “Geburtstag” goes'), 'Create a field…');
  const dialog = page.getByRole('dialog', { name: 'New custom field' });
  expect(await dialog.getByLabel('Name').inputValue()).toBe('Geburtstag');
  await choose(dialog.getByLabel('Type'), 'Date');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  const target = page.getByLabel('Where “Geburtstag” goes');
  await expect.poll(() => target.textContent()).toBe('Geburtstag');
  expect(await page.getByLabel('Country of phone numbers').textContent()).toBe('Germany');
  await check(page);

  await counted(page, 'would be created', MESSY.created);
  await counted(page, 'would stay as they are', MESSY.unchanged);
  await counted(page, 'would be rejected', MESSY.rejected);
  await page.getByText(`${MESSY.warned} rows come in without a value`).click();
  await page.getByText('Email “nowhere@” must be').first().waitFor();
  await page.getByText('Geburtstag “2026-02-31” must be a date').first().waitFor();
  await page.getByText('Phone “0152” is too short for a phone number of DE').first().waitFor();

  // The keyboard alone corrects a row: the next one takes the focus.
  const first = page.getByRole('form', { name: 'Line 7:' });
  await first.getByLabel('E-Mail').fill('ann@example.com');
  await page.keyboard.press('Enter');
  await first.waitFor({ state: 'detached' });
  await counted(page, 'would be rejected', MESSY.rejected - 1);
  await counted(page, 'would be created', MESSY.created + 1);

  await page.getByRole('button', { name: `Import ${MESSY.created + 1} contacts` }).click();
  await page.getByRole('heading', { name: 'Import finished' }).waitFor();
  await counted(page, 'created', MESSY.created + 1);
  await counted(page, 'rejected', MESSY.rejected - 1);
  expect((await find('+491520000002'))?.name).toBe('Jürgen Müller 2');
  const born = (await find('+491520000009'))?.custom_fields.find((field) => field.name === 'Geburtstag');
  expect(born?.value).toBe('1990-12-01');

  // After the import a corrected row is imported at once.
  const short = page.getByRole('form', { name: 'Line 13:' });
  await short.getByLabel('Handy').fill('0151');
  await short.getByRole('button', { name: 'Try again' }).click();
  await short.getByText('Phone “0151” is too short').waitFor();
  await short.getByLabel('Handy').fill('0151 7654321');
  await short.getByRole('button', { name: 'Try again' }).click();
  await short.waitFor({ state: 'detached' });
  await counted(page, 'created', MESSY.created + 2);
  expect((await find('+491517654321'))?.name).toBe('Jürgen Müller 11');
});

it('makes nobody twice when the file is imported again after a reload', async () => {
  const people = 'name,phone\nAnn Again,0151 8000001\nBen Again,0151 8000002\n';
  for (const outcome of ['would be created', 'would stay as they are']) {
    await pick(page, 'people.csv', people);
    await check(page);
    await counted(page, outcome, 2);
    if (outcome !== 'would be created') break;
    await page.getByRole('button', { name: 'Import 2 contacts' }).click();
    await page.getByRole('heading', { name: 'Import finished' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Choose a file' }).waitFor();
  }
});

it('reads a spreadsheet, and refuses another file in clear words', async () => {
  await pick(page, 'people.xlsx', PEOPLE);
  await page.getByRole('heading', { name: 'Columns of people.xlsx (People)' }).waitFor();
  await check(page);
  await counted(page, 'would be created', 2);
  await page.getByRole('button', { name: 'Import 2 contacts' }).click();
  await page.getByRole('heading', { name: 'Import finished' }).waitFor();
  expect((await find('+491510000489'))?.name).toBe('Zoë, "Z"');

  await pick(page, 'letter.pdf', Buffer.from('%PDF-1.7\n%\u0000\u0001'));
  await page.getByRole('alert').getByText('neither a CSV file nor an .xlsx spreadsheet').waitFor();
  await pick(page, 'archive.zip', Buffer.from('PK\u0003\u0004 no archive'));
  await page.getByText('This file is not a spreadsheet.').waitFor();
  await pick(page, 'commas.csv', `a${','.repeat(1_000_000)}\n1\n`);
  await page.getByText('more than 200 columns').waitFor();
});

it('goes on when the connection is back, on a phone too', async () => {
  const phone = await scene.owner({ viewport: { width: 375, height: 700 } });
  await pick(phone, 'people.csv', 'name,phone\nCleo Cut,0151 8000003\nDan Dot,12\n');
  await check(phone);
  await counted(phone, 'would be created', 1);
  const row = phone.getByRole('form', { name: 'Line 3:' });
  const box = await row.getByLabel('phone').boundingBox();
  expect(box && box.x >= 0 && box.x + box.width <= 375).toBe(true);
  await phone.context().setOffline(true);
  await phone.getByRole('button', { name: 'Import 1 contact' }).click();
  await phone.getByRole('heading', { name: 'Importing. Leave this page open.' }).waitFor();
  expect(await find('+491518000003')).toBeUndefined();
  await phone.context().setOffline(false);
  await phone.getByRole('heading', { name: 'Import finished' }).waitFor();
  await eventually(
    () => find('+491518000003'),
    (found) => found?.name === 'Cleo Cut',
  );
  await phone.context().close();
});
