/** Contacts: the table, a contact's page, and the import. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { seriousFindings } from './axe';
import { choose, eventually, useScene } from './scene';

interface Contact {
  id: string;
  name: string | null;
  company: string | null;
  phone: string | null;
  tags: Array<{ name: string }>;
}

const ANN = '+4915112345601';
const BEN = '+14155550111';
const FILE = [
  'Full name,Mobile,E-mail,Firm,Labels',
  'Ann Weber,+49 151 12345601,ann@example.com,Weber GmbH,VIP',
  'Ben Bell,+1 415 555 0111,ben@example.com,Bell & Sons,"VIP, Wholesale"',
  'No Number,,,,',
  'Bad Number,12,,,',
].join('\r\n');

const scene = useScene();
let page: Page;

const contacts = () => scene.server.api<Contact[]>('GET', '/contacts');
const find = async (phone: string) =>
  (await scene.server.api<Contact[]>('GET', `/contacts?phone=${encodeURIComponent(phone)}`))[0];

beforeAll(async () => {
  page = await scene.owner();
});

it('checks an import without importing, then does it and offers the rejected rows', async () => {
  await scene.server.api('POST', '/contacts', { name: 'Ann', phone: ANN });
  await page.goto('/app/contacts');
  await page.getByRole('link', { name: 'Import' }).click();
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'customers.csv', mimeType: 'text/csv', buffer: Buffer.from(FILE) });
  await page.getByRole('heading', { name: 'Columns of customers.csv' }).waitFor();
  for (const [column, target] of [
    ['Full name', 'Name'],
    ['Mobile', 'Phone'],
    ['E-mail', 'Email'],
    ['Firm', 'Company'],
    ['Labels', 'Tags'],
  ] as const) {
    await choose(page.getByLabel(`Where “${column}” goes`), target);
  }
  await choose(page.getByLabel('Recognise them by'), 'Phone');
  await page.getByLabel('Update them from the file').check();
  await page.getByRole('button', { name: 'Check without importing' }).click();

  await page.getByRole('heading', { name: 'What would happen' }).waitFor();
  const outcome = (text: string) => page.getByText(text).locator('..');
  await outcome('would be created').getByText('1', { exact: true }).waitFor();
  await outcome('would be updated').getByText('1', { exact: true }).waitFor();
  await outcome('would be rejected').getByText('2', { exact: true }).waitFor();
  expect((await find(ANN))?.name).toBe('Ann');
  expect(await find(BEN)).toBeUndefined();

  await page.getByRole('button', { name: 'Import 2 contacts' }).click();
  await page.getByRole('heading', { name: 'Import finished' }).waitFor();
  expect((await find(ANN))?.name).toBe('Ann Weber');
  expect((await contacts()).filter(({ name }) => name?.endsWith('Number'))).toEqual([]);
  const ben = await find(BEN);
  expect(ben?.company).toBe('Bell & Sons');
  expect(ben?.tags.map((tag) => tag.name).sort()).toEqual(['VIP', 'Wholesale']);

  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download the rejected rows' }).click();
  const rejected = readFileSync(await (await downloading).path(), 'utf8');
  expect(rejected).toContain('No Number');
  expect(rejected).toContain('Bad Number');
  expect(rejected).not.toContain('Ben Bell');
});

it('finds, filters, tags and exports contacts', async () => {
  const { server } = scene;
  const tag = await server.api('POST', '/tags', { name: 'Retail', color: '#b45309' });
  await server.api('POST', '/contacts', { name: 'Eva Stone', company: 'Stone GmbH' });
  await server.api('POST', '/contacts', { name: 'Fay Brook', tag_ids: [tag.id] });
  await page.goto('/app/contacts');
  await page.getByRole('link', { name: 'Fay Brook' }).waitFor();
  await page.getByLabel('Search contacts').fill('stone');
  await page.getByRole('link', { name: 'Fay Brook' }).waitFor({ state: 'detached' });
  await page.getByLabel('Search contacts').fill('');
  await choose(page.getByLabel('Tag', { exact: true }), 'Retail');
  await page.getByRole('link', { name: 'Eva Stone' }).waitFor({ state: 'detached' });
  await choose(page.getByLabel('Tag', { exact: true }), 'Any tag');
  await page.getByRole('checkbox', { name: 'Select Eva Stone' }).check();
  await page.getByRole('toolbar').getByRole('button', { name: 'Tags' }).click();
  await page.getByRole('menuitem', { name: 'Retail' }).first().click();
  await page.getByText('1 changed.').waitFor();
  await eventually(contacts, (all) =>
    all.some(({ name, tags }) => name === 'Eva Stone' && tags.some((each) => each.name === 'Retail')),
  );

  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Export' }).click();
  const exported = readFileSync(await (await downloading).path(), 'utf8');
  expect(exported).toContain('Fay Brook');
  expect(exported).toContain('Stone GmbH');
});

it('builds a segment by clicking', async () => {
  await scene.server.api('POST', '/contacts', { name: 'Gus Hill', company: 'Hill & Sons' });
  await page.goto('/app/contacts');
  await page.getByRole('link', { name: 'New segment' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Of a company');
  await choose(page.getByLabel('Rule 1: field'), 'Company');
  await choose(page.getByLabel('Rule 1: comparison'), 'contains');
  await page.getByLabel('Rule 1: value').fill('Hill');
  await page.getByRole('button', { name: 'Save the segment' }).click();
  await page.getByText('Saved. 1 contact is in the segment.').waitFor();
});

it('makes, edits and erases a contact', async () => {
  await page.goto('/app/contacts');
  await page.getByRole('button', { name: 'New contact' }).click();
  const dialog = page.getByRole('dialog', { name: 'New contact' });
  await dialog.getByLabel('Name').fill('Cleo Twin');
  await dialog.getByLabel('Email').fill('cleo@example.com');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Cleo Twin' }).waitFor();
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByRole('dialog').getByLabel('Company').fill('Twin Ltd');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByText('Twin Ltd').waitFor();
  await page.getByLabel(/What should your team know|New note/).fill('Prefers mail');
  await page.getByRole('button', { name: 'Add the note' }).click();
  await page.getByText('Prefers mail').first().waitFor();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: /erase/i }).click();
  const confirm = page.getByRole('alertdialog').or(page.getByRole('dialog'));
  await confirm.getByRole('textbox').fill('Cleo Twin');
  await confirm.getByRole('button', { name: /erase/i }).click();
  await page.getByRole('heading', { name: 'Contacts', exact: true }).waitFor();
  await eventually(contacts, (all) => all.every((contact) => contact.name !== 'Cleo Twin'));
});

it('merges a contact with another', async () => {
  const twin = await scene.server.api('POST', '/contacts', {
    name: 'Dora Double',
    email: 'dora@example.com',
  });
  const phone = '+4915112345699';
  await scene.server.api('POST', '/contacts', { name: 'Dora D.', phone });
  await page.goto(`/app/contacts/${twin.id}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Merge with another contact' }).click();
  const dialog = page.getByRole('dialog', { name: 'Merge with another contact' });
  await dialog.getByLabel('The other contact').fill('Dora D.');
  await page.getByRole('option', { name: /Dora D\./ }).click();
  await dialog.getByText('Dora D. goes away and becomes part of Dora Double.').waitFor();
  await dialog.getByRole('button', { name: 'Merge', exact: true }).click();
  await page.getByText('Merged into Dora Double.').waitFor();
  await page.getByText(phone).first().waitFor();
  await eventually(contacts, (all) => all.filter(({ name }) => name?.startsWith('Dora')).length === 1);
});

it('sorts by a press on a heading, in the address, and keeps the order live and over a reload', async () => {
  const { server } = scene;
  const { id: tag } = await server.api('POST', '/tags', { name: 'Sorted', color: '#b45309' });
  const add = (name: string, company: string | null) =>
    server.api('POST', '/contacts', { name, company, tag_ids: [tag] });
  for (const [name, company] of [
    ['Zoe Sort', 'Acme'],
    ['Änne Sort', null],
    ['otto Sort', 'Überland'],
  ] as const)
    await add(name, company);
  await page.goto(`/app/contacts?tag=${tag}`);
  const table = page.getByRole('table', { name: 'Contacts' });
  const shown = () => table.getByRole('link').allInnerTexts();
  const shows = (names: string[]) =>
    eventually(shown, (now) => JSON.stringify(now) === JSON.stringify(names));
  const heading = (name: string) => table.getByRole('columnheader', { name, exact: true });
  await shows(['otto Sort', 'Änne Sort', 'Zoe Sort']);
  // By the keyboard: the focus stays on the heading.
  await heading('Name').getByRole('button').focus();
  await page.keyboard.press('Enter');
  await shows(['Änne Sort', 'otto Sort', 'Zoe Sort']);
  expect(await heading('Name').getAttribute('aria-sort')).toBe('ascending');
  expect(page.url()).toContain('sort=name');
  expect(await seriousFindings(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await shows(['Zoe Sort', 'otto Sort', 'Änne Sort']);
  expect(await heading('Name').getAttribute('aria-sort')).toBe('descending');
  await page.reload();
  await shows(['Zoe Sort', 'otto Sort', 'Änne Sort']);

  // A colleague adds one and changes another: each appears where it belongs.
  const added = await add('Paul Sort', null);
  await shows(['Zoe Sort', 'Paul Sort', 'otto Sort', 'Änne Sort']);
  await server.api('PATCH', `/contacts/${added.id}`, { name: 'Zzz Sort' });
  await shows(['Zzz Sort', 'Zoe Sort', 'otto Sort', 'Änne Sort']);
  await heading('Company').getByRole('button').click();
  await shows(['Zoe Sort', 'otto Sort', 'Änne Sort', 'Zzz Sort']);
  expect(await heading('Name').getAttribute('aria-sort')).toBe('none');
  expect((await table.getByRole('row').nth(1).boundingBox())?.height).toBe(40);

  // What is selected by the filter is the same in any order.
  await table.getByRole('checkbox', { name: 'Select Zoe Sort' }).check();
  await page.getByRole('button', { name: 'Select all shown' }).click();
  await page.getByRole('button', { name: 'Select all that match' }).click();
  await page.getByRole('button', { name: 'Tags' }).click();
  await page.getByRole('menuitem', { name: 'Sorted' }).last().click();
  await eventually(
    async () => (await contacts()).filter(({ tags }) => tags.some(({ name }) => name === 'Sorted')).length,
    (count) => count === 0,
  );

  // A search has an order of its own, and says so.
  await page.goto('/app/contacts?q=sort&sort=name');
  await page.getByText('with a search, the newest come first').waitFor();
  expect(await heading('Name').getByRole('button').count()).toBe(0);
});

it('is sorted on a phone as well', async () => {
  for (const name of ['Berta Phone', 'Anton Phone'])
    await scene.server.api('POST', '/contacts', { name, company: 'Phone shop' });
  const phone = await scene.owner({
    viewport: { width: 390, height: 800 },
    isMobile: true,
    hasTouch: true,
  });
  await phone.goto('/app/contacts');
  await choose(phone.getByLabel('Order'), 'Company, Z to A');
  await phone.waitForURL('**sort=-company**');
  const names = phone.getByRole('list', { name: 'Contacts' }).getByRole('link');
  await phone.getByText('Anton Phone').waitFor();
  await eventually(
    async () => (await names.allInnerTexts()).filter((name) => name.endsWith('Phone')),
    (now) => now.join() === 'Anton Phone,Berta Phone',
  );
  expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  expect(await seriousFindings(phone)).toEqual([]);
  await phone.context().close();
});
