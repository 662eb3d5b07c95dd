/** Forms that are sent again: after a correction, and after an answer that was lost. And forms of websites that change. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { seriousFindings } from './axe';
import { eventually, useScene } from './scene';

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

/** One red pixel. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);
const PHONE = { width: 390, height: 780 };
const PREVIEW = 'iframe[title="As visitors see it"]';
const saveBar = (of: Page) => of.getByRole('region', { name: 'Save' });
const field = (of: Page, at: number) =>
  of.getByRole('list', { name: 'Fields' }).getByRole('listitem').nth(at);
const labels = (of: Page) =>
  of
    .getByRole('list', { name: 'Fields' })
    .getByLabel('Label')
    .evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value));

/** A new website form, whose page is open. Returns its address. */
async function newForm(name: string): Promise<string> {
  await page.goto('/app/settings/forms');
  await page.getByRole('button', { name: 'Create a form' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Create a form' });
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByRole('button', { name: 'Create a form' }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
  return page.getByLabel('Address of the form, to link to').inputValue();
}

it('gives a form fields of its own, beside the form as visitors will see it', async () => {
  const address = await newForm('Quotes');
  const preview = page.frameLocator(PREVIEW);
  await preview.getByText('Message').waitFor();
  await page.getByRole('button', { name: 'Add a field' }).click();
  await page.getByRole('menuitem', { name: 'Choice' }).click();
  await field(page, 4).getByLabel('Label').fill('T-shirt size');
  await field(page, 4).getByLabel('Options').fill('Small\nLarge');
  await field(page, 4).getByLabel('Required').check();
  await page.getByLabel('Text of the button').fill('Ask for a quote');
  await page.getByLabel('Text after sending').fill('We answer tomorrow.');
  await preview.getByText('T-shirt size').waitFor();
  await preview.getByText('Ask for a quote').waitFor();
  await page.getByRole('button', { name: 'Remove Phone' }).click();

  // By keyboard: the new field goes to the top, and the focus goes with it.
  for (let step = 0; step < 3; step += 1)
    await page.getByRole('button', { name: 'Move T-shirt size up' }).press('Enter');
  expect(await labels(page)).toEqual(['T-shirt size', 'Name', 'Email', 'Message']);
  await field(page, 0).getByLabel('Label').press('Alt+ArrowDown');
  expect(await labels(page)).toEqual(['Name', 'T-shirt size', 'Email', 'Message']);
  expect(await page.evaluate(() => (document.activeElement as HTMLInputElement).value)).toBe('T-shirt size');
  expect(await seriousFindings(page)).toEqual([]);
  await page.keyboard.press('ControlOrMeta+s');
  await saveBar(page).waitFor({ state: 'detached' });
  await page.getByText('<select name="t_shirt_size" required>').waitFor();

  // A visitor: the browser asks first, and the server says the same to those who get past it.
  const visitor = await scene.open();
  await visitor.goto(address);
  expect(await seriousFindings(visitor)).toEqual([]);
  await visitor.getByLabel('Email').fill('ann@example.com');
  await visitor.getByLabel('Message').fill('How much?');
  await visitor.locator('form').evaluate((form) => form.setAttribute('novalidate', ''));
  await visitor.getByRole('button', { name: 'Ask for a quote' }).click();
  await visitor.getByRole('alert').getByRole('link', { name: 'T-shirt size is required' }).click();
  expect(await visitor.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('t_shirt_size');
  expect(await visitor.getByLabel('Message').inputValue()).toBe('How much?');
  expect(await seriousFindings(visitor)).toEqual([]);
  await visitor.getByLabel('T-shirt size').selectOption('Large');
  await visitor.getByRole('button', { name: 'Ask for a quote' }).click();
  await visitor.getByText('We answer tomorrow.').waitFor();
  await page.getByText('How much?').waitFor();
});

it('shows what a colleague changes, and does not overwrite it unseen', async () => {
  await newForm('Shared');
  const path = new URL(page.url()).pathname;
  const kim = await scene.member('Kim Admin', 'kim@example.com', 'admin');
  await kim.goto(path);
  await kim.getByLabel('Text of the button').fill('Go');
  await saveBar(kim).getByRole('button', { name: /^Save/ }).click();
  await saveBar(kim).waitFor({ state: 'detached' });
  await eventually(
    () => page.getByLabel('Text of the button').inputValue(),
    (text) => text === 'Go',
  );
  // Two people change two things: both stay. They change one: the second is told.
  await page.getByLabel('Text after sending').fill('Thanks a lot');
  await kim.getByLabel('Text of the button').fill('Start');
  await kim.keyboard.press('ControlOrMeta+s');
  await eventually(
    () => page.getByLabel('Text of the button').inputValue(),
    (text) => text === 'Start',
  );
  expect(await page.getByLabel('Text after sending').inputValue()).toBe('Thanks a lot');
  expect(await saveBar(page).getByText('A colleague has changed this meanwhile.').count()).toBe(0);
  await kim.getByLabel('Text after sending').fill('Until soon');
  await kim.keyboard.press('ControlOrMeta+s');
  await saveBar(page).getByText('A colleague has changed this meanwhile.').waitFor();
  await saveBar(page).getByRole('button', { name: 'Discard' }).click();
  expect(await page.getByLabel('Text after sending').inputValue()).toBe('Until soon');
});

it('keeps a form that could not be saved, says what is wrong at its field, and fits a phone', async () => {
  await newForm('Broken');
  const path = new URL(page.url()).pathname;
  await field(page, 0).getByLabel('Label').fill('');
  await page.getByText('Complete the form to see it here.').waitFor();
  await saveBar(page).getByRole('button', { name: /^Save/ }).click();
  await field(page, 0).getByRole('alert').waitFor();
  await field(page, 0).getByLabel('Label').fill('Who');
  await page.route('**/admin/forms/*', (route) => route.abort());
  await saveBar(page).getByRole('button', { name: /^Save/ }).click();
  await saveBar(page).getByText('The server cannot be reached.').waitFor();
  expect(await field(page, 0).getByLabel('Label').inputValue()).toBe('Who');
  await page.unroute('**/admin/forms/*');
  await page.keyboard.press('ControlOrMeta+s');
  await saveBar(page).waitFor({ state: 'detached' });

  const phone = await scene.owner({ viewport: PHONE, isMobile: true, hasTouch: true });
  await phone.goto(path);
  await phone.getByRole('list', { name: 'Fields' }).waitFor();
  expect(await labels(phone)).toEqual(['Who', 'Email', 'Phone', 'Message']);
  expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width);
  expect(await seriousFindings(phone)).toEqual([]);
  const agent = await scene.signedIn(await scene.login('Al Agent'));
  await agent.goto(path);
  await agent.getByRole('heading', { name: 'For admins only' }).waitFor();
});

it('shows the brand of the account on its forms, and a colleague sees it change', async () => {
  const address = await newForm('Branded');
  const kim = await scene.member('Kay Admin', 'kay@example.com', 'admin');
  await kim.goto('/app/settings/branding');
  await kim.getByLabel('Name that visitors see').waitFor();
  await page.goto('/app/settings/branding');
  await page.getByLabel('Name that visitors see').fill('Chairs & Co');
  await page.getByLabel('Use an accent colour').check();
  await page.getByLabel('Accent colour', { exact: true }).fill('#ffd400');
  await page.getByRole('figure').first().getByText('Chairs & Co').waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByLabel('Name that visitors see').press('ControlOrMeta+s');
  await saveBar(page).waitFor({ state: 'detached' });
  const picker = page.locator('input[type=file]');
  await picker.setInputFiles({ name: 'logo.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg/>') });
  await page.getByText('The logo must be a PNG, JPEG or WebP picture.').waitFor();
  // What it says of itself does not count.
  const refused = page.waitForResponse('**/brand/logo');
  await picker.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: Buffer.from('<svg/>') });
  expect((await refused).status()).toBe(400);
  await page.getByText('The logo must be a PNG, JPEG or WebP picture.').waitFor();
  await picker.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: PICTURE });
  await page.getByRole('img', { name: 'Logo' }).waitFor();
  await kim.getByRole('img', { name: 'Logo' }).waitFor();
  expect(await kim.getByLabel('Name that visitors see').inputValue()).toBe('Chairs & Co');

  const visitor = await scene.open();
  await visitor.goto(address);
  await visitor.getByText('Chairs & Co').waitFor();
  const button = visitor.getByRole('button', { name: 'Send' });
  const colors = await button.evaluate((element) => {
    const { backgroundColor, color } = getComputedStyle(element);
    return [backgroundColor, color];
  });
  expect(colors).toEqual(['rgb(255, 212, 0)', 'rgb(0, 0, 0)']);
  const width = await visitor.locator('img').evaluate((logo) => (logo as HTMLImageElement).naturalWidth);
  expect(width).toBe(1);
  expect(await seriousFindings(visitor)).toEqual([]);

  const phone = await scene.owner({ viewport: PHONE, isMobile: true, hasTouch: true });
  await phone.goto('/app/settings/branding');
  await phone.getByRole('img', { name: 'Logo' }).waitFor();
  expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width);
  await page.getByRole('button', { name: 'Remove the logo' }).click();
  await page.getByRole('img', { name: 'Logo' }).waitFor({ state: 'detached' });
});
