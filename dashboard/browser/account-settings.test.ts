/** The settings of an account: forms, calendars, hours and limits, export and import. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { seriousFindings } from './axe';
import { useScene } from './scene';

const PHONE = { width: 390, height: 780 };
const POLL_MS = 10_000;

const scene = useScene();
let page: Page;

beforeAll(async () => {
  page = await scene.owner();
});

async function createForm(name: string, websites = ''): Promise<void> {
  await page.goto('/app/settings/forms');
  await page.getByRole('button', { name: 'Create a form' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Create a form' });
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByLabel('Websites').fill(websites);
  await dialog.getByRole('button', { name: 'Create a form' }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
}

it('creates a form, shows it as visitors see it, and shows what they send as it comes', async () => {
  await createForm('Contact us', 'shop.example');
  const preview = page.frameLocator('iframe[title="As visitors see it"]');
  await preview.getByRole('heading', { name: 'Contact us' }).waitFor();
  expect(await preview.locator('textarea').count()).toBe(1);
  await page.getByText('<iframe src=').waitFor();
  await page.getByText('Nothing was sent yet.').waitFor();
  expect(await seriousFindings(page)).toEqual([]);

  const visitor = await scene.open();
  await visitor.goto(await page.getByLabel('Address of the form, to link to').inputValue());
  await visitor.getByLabel('Email').fill('cy@example.com');
  await visitor.getByLabel('Message').fill('Do you ship to Norway?');
  await visitor.getByRole('button', { name: 'Send' }).click();
  await visitor.getByRole('heading', { name: 'Thank you' }).waitFor();
  const sent = page.getByRole('main').getByRole('link', { name: 'cy@example.com' });
  await sent.waitFor();
  await sent.click();
  await page.getByText('Do you ship to Norway?').waitFor();
});

it('deletes a form only when the server does, and shows a colleague what is there', async () => {
  const kim = await scene.member('Kim Admin', 'kim@example.com', 'admin');
  await kim.clock.install();
  await kim.goto('/app/settings/forms');
  await kim.getByRole('heading', { name: 'Forms', level: 1 }).waitFor();
  await createForm('Careers');
  // No event reports it; the page asks every ten seconds.
  await kim.clock.fastForward(POLL_MS);
  await kim.getByRole('link', { name: 'Careers' }).waitFor();

  await page.route('**/admin/forms/*', (route) => route.abort());
  await page.getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete the form' });
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await dialog.getByText('The server cannot be reached.').waitFor();
  await page.unroute('**/admin/forms/*');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.waitForURL('**/settings/forms');
  await page.getByRole('link', { name: 'Careers' }).waitFor({ state: 'detached' });
});

it('connects a calendar, and shows its secret once', async () => {
  await page.goto('/app/settings/booking-sources');
  await page.getByRole('button', { name: 'Connect Cal.com' }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Connect Cal.com' }).click();
  const added = page.getByRole('dialog', { name: 'Enter this at Cal.com' });
  expect(await added.getByLabel('Subscriber URL').inputValue()).toContain(`${scene.server.url}/bookings/`);
  expect((await added.getByLabel('Secret').inputValue()).length).toBeGreaterThan(20);
  await added.getByRole('button', { name: 'Close' }).last().click();
  const card = page.getByRole('region', { name: 'Cal.com' });
  await card.getByLabel('Subscriber URL').waitFor();
  await page.getByLabel('Secret').waitFor({ state: 'detached' });
  await card.getByRole('button', { name: 'Delete Cal.com' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No calendar is connected').waitFor();
});

it('stores hours, budget and zone, and shows them after a reload', async () => {
  await page.goto('/app/settings/account');
  await page.getByRole('switch', { name: 'Always open' }).uncheck();
  await page.getByRole('button', { name: /Remove .* Friday/ }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').first().waitFor();
  await page.getByLabel('Budget a month in US dollars').fill('25');
  await page.getByLabel('Budget a month in US dollars').press('Enter');
  await page.getByText('Saved.').nth(1).waitFor();
  await page.getByLabel('Time zone').fill('Nowhere/Land');
  await page.getByText('Nothing matches.').waitFor();
  await page.getByLabel('Time zone').fill('vienna');
  await page.getByRole('option', { name: 'Europe/Vienna' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').nth(2).waitFor();

  await page.reload();
  await page.getByLabel('Time zone').waitFor();
  expect(await page.getByLabel('Time zone').inputValue()).toBe('Europe/Vienna');
  expect(await page.getByLabel('Budget a month in US dollars').inputValue()).toBe('25');
  expect(await page.getByRole('switch', { name: 'Always open' }).isChecked()).toBe(false);
  expect(await page.getByLabel('Monday, from').inputValue()).toBe('09:00');
  expect(await page.getByLabel('Friday, from').count()).toBe(0);
});

it('exports what the account has, and imports a setup', async () => {
  await scene.server.api('POST', '/tags', { name: 'VIP', color: '#b45309' });
  await page.goto('/app/settings/data');
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export as JSON' }).click(),
  ]);
  const exported = JSON.parse(readFileSync(await file.path(), 'utf8')) as Record<string, unknown[]>;
  expect(exported.tags).toEqual([expect.objectContaining({ name: 'VIP' })]);
  expect(exported.pipelines).toHaveLength(1);
  expect(exported.assistants).toHaveLength(1);
  expect(exported.templates?.length).toBeGreaterThan(0);

  const setup = { tags: [{ name: 'vip' }, { name: 'Wholesale', color: '#1d4ed8' }] };
  await page.locator('input[type=file]').setInputFiles({
    name: 'setup.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(setup)),
  });
  await page.getByText('Tags: 2').waitFor();
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByText('1 was created. 1 was here already.').waitFor();
  const tags = await scene.server.api<Array<{ name: string }>>('GET', '/tags');
  expect(tags.map(({ name }) => name).sort()).toEqual(['VIP', 'Wholesale']);
});

it('exports everything as an archive, and what is about one contact', async () => {
  const ada = await scene.server.api<{ id: string }>('POST', '/contacts', { name: 'Ada Archive' });
  await page.goto('/app/settings/data');
  await page.getByText('It is made while it is downloaded').waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  const button = page.getByRole('button', { name: 'Export everything' });
  await button.focus();
  const [archive] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
  expect(archive.suggestedFilename()).toMatch(/^frontdesk-account-\d{4}-\d\d-\d\d\.zip$/);
  const bytes = readFileSync(await archive.path());
  // The list of files is at the end of an archive, as plain text.
  const names = bytes.toString('latin1');
  for (const name of ['contacts.jsonl', 'messages.jsonl', 'audit_log.jsonl', 'manifest.json'])
    expect(names).toContain(name);
  await page.getByText('The download has begun.').waitFor();

  await page.goto(`/app/contacts/${ada.id}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  const [contact] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Export all data' }).click(),
  ]);
  expect(contact.suggestedFilename()).toContain(`frontdesk-contact-${ada.id}`);

  await page.goto('/app/settings/data');
  await page.route('**/admin/export/state', (route) => route.fulfill({ json: { data: { running: true } } }));
  await page.getByRole('button', { name: 'Export everything' }).click();
  await page.getByRole('alert').getByText('An export of this account is being downloaded already.').waitFor();
  await page.unroute('**/admin/export/state');
  await page.route('**/admin/export/state', (route) => route.abort());
  await page.getByRole('button', { name: 'Export everything' }).click();
  await page.getByText('The server cannot be reached.').waitFor();
  await page.unroute('**/admin/export/state');
});

it('fits a phone, and is not for agents', async () => {
  await createForm('On a phone', 'shop.example');
  const paths = [
    new URL(page.url()).pathname,
    ...['forms', 'booking-sources', 'account', 'data'].map((name) => `/app/settings/${name}`),
  ];
  const phone = await scene.owner({ viewport: PHONE, isMobile: true, hasTouch: true });
  const agent = await scene.signedIn(await scene.login('Al Agent'));
  for (const path of paths) {
    await phone.goto(path);
    await phone.getByRole('heading', { level: 1 }).waitFor();
    await phone.getByText('Loading…').first().waitFor({ state: 'hidden' });
    expect(await phone.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(
      PHONE.width,
    );
    await agent.goto(path);
    await agent.getByRole('heading', { name: 'For admins only' }).waitFor();
  }
});
