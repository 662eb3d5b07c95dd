/** What assistants cost: this month against the budget, in plots and tables that need neither eyes nor a mouse. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { seriousFindings } from './axe';
import { eventually, useScene } from './scene';

interface Usage {
  spent_usd: number;
  calls: number;
  by_model: Array<{ model: string; calls: number }>;
}

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const scene = useScene();
let page: Page;

const usage = () => scene.server.api<Usage>('GET', '/ai/usage');

/** An assistant works on something. */
async function run(): Promise<void> {
  const { server } = scene;
  const [assistant] = await server.api<Array<{ id: string }>>('GET', '/assistants');
  const { id } = await server.api('POST', '/runs', { assistant_id: assistant?.id, goal: 'Say hello.' });
  await eventually(
    () => server.api<{ status: string }>('GET', `/runs/${id}`),
    ({ status }) => status === 'succeeded',
  );
}

/** The page of this month, from the beginning. */
async function open(): Promise<void> {
  await page.goto('/app/spend');
  await page.getByRole('heading', { name: 'This month' }).waitFor();
}

beforeAll(async () => {
  await run();
  page = await scene.owner();
});

it('shows what was spent, by model and assistant, as the API has it', async () => {
  await page.goto('/app/inbox');
  await page.getByRole('link', { name: 'AI spend' }).click();
  await page.getByRole('heading', { name: 'This month' }).waitFor();
  const [model] = (await usage()).by_model;
  const row = page
    .getByRole('table', { name: 'By model' })
    .getByRole('row')
    .filter({ hasText: model?.model });
  await row.getByRole('cell', { name: String(model?.calls), exact: true }).waitFor();
  expect(await seriousFindings(page)).toEqual([]);
});

it('is set a budget, which a colleague sees without a reload', async () => {
  await open();
  const colleague = await scene.member('Cy Admin', 'cy@example.com', 'admin');
  await colleague.goto('/app/spend');
  await colleague.getByText('No limit').or(colleague.getByRole('meter')).first().waitFor();
  await page.getByRole('button', { name: 'Change the budget' }).click();
  await page.getByLabel('Budget a month in US dollars').fill('123.45');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByText('$123.45').first().waitFor();
  await page.getByRole('meter', { name: 'Part of the budget that is spent' }).waitFor();
  await colleague.getByText('$123.45').first().waitFor();
  await colleague.context().close();
});

it('counts a run when it ends, live', async () => {
  await open();
  const before = await usage();
  await run();
  const { calls } = await usage();
  expect(calls).toBeGreaterThan(before.calls);
  const fact = page.locator('dl div').filter({ hasText: 'Model calls' });
  await fact.getByText(String(calls), { exact: true }).waitFor();
});

it('is read day by day with the keyboard alone', async () => {
  await open();
  const plot = page.getByRole('slider', { name: 'By day' });
  await plot.focus();
  await page.keyboard.press('End');
  const today = await plot.getAttribute('aria-valuetext');
  expect(today).toMatch(/model calls: \d+$/);
  await page.keyboard.press('Home');
  expect(await plot.getAttribute('aria-valuenow')).toBe('1');
  await page.getByText('Show as a table').focus();
  await page.keyboard.press('Enter');
  await page.getByRole('table', { name: 'By day' }).waitFor();
});

it('is downloaded as a table', async () => {
  await open();
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: /^Download as CSV: .*days/ }).click();
  const file = await (await downloading).path();
  const [heading, ...days] = readFileSync(file, 'utf8').split('\r\n');
  expect(heading).toBe('date,cost_usd,calls,tokens_in,tokens_out');
  expect(days.length).toBe(Number(await page.getByRole('slider').getAttribute('aria-valuemax')));
});

it('shows another month, and says that it could not be read', async () => {
  await open();
  await page.getByRole('link', { name: 'The month before' }).click();
  await page.getByRole('heading', { name: 'The whole month' }).waitFor();
  await page.getByText('Nothing was spent.').first().waitFor();
  await page.route('**/app/api/v1/ai/usage**', (route) => route.abort());
  await page.getByRole('link', { name: 'The month before' }).click();
  await page.getByText('The server cannot be reached.').first().waitFor();
  await page.unroute('**/app/api/v1/ai/usage**');
  await page.getByRole('button', { name: 'Try again' }).first().click();
  await page.getByRole('slider', { name: 'By day' }).waitFor();
});

it('fits a phone', async () => {
  const phone = await scene.owner(PHONE);
  await phone.getByRole('button', { name: 'More' }).tap();
  await phone.getByRole('menuitem', { name: 'AI spend' }).tap();
  await phone.getByRole('heading', { name: 'By assistant' }).waitFor();
  expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await phone.context().close();
});

it('is not offered to an agent', async () => {
  const agent = await scene.member('Bo Agent', 'bo@example.com');
  expect(await agent.getByRole('link', { name: 'AI spend' }).count()).toBe(0);
  await agent.goto('/app/spend');
  await agent.getByRole('heading', { name: 'For admins only' }).waitFor();
  await agent.context().close();
});
