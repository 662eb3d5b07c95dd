/** The board of deals, by mouse and by keyboard, and as a colleague sees it. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { eventually, useScene } from './scene';

interface Pipeline {
  id: string;
  stages: Array<{ id: string; name: string }>;
}

const scene = useScene();
let page: Page;
let colleague: Page;
let pipeline: Pipeline;

const column = (on: Page, name: string) => on.getByRole('region', { name, exact: true });
const card = (on: Page, title: string) => on.getByRole('article').filter({ hasText: title });
const inColumn = (on: Page, stage: string, title: string) =>
  column(on, stage).getByRole('article').filter({ hasText: title });

/** Waits until the title of a card has the focus. */
async function hasFocus(on: Page, title: string): Promise<void> {
  await on.waitForFunction((wanted) => document.activeElement?.textContent === wanted, title);
}

async function stageOf(title: string): Promise<string | undefined> {
  const deals = await scene.server.api<Array<{ title: string; stage_id: string }>>('GET', '/deals');
  const stage = deals.find((deal) => deal.title === title)?.stage_id;
  return pipeline.stages.find(({ id }) => id === stage)?.name;
}

beforeAll(async () => {
  const { server } = scene;
  pipeline = (await server.api<Pipeline[]>('GET', '/pipelines'))[0] as Pipeline;
  const contact = await server.api('POST', '/contacts', { name: 'Ann Weber', phone: '+4915112345601' });
  for (const [title, value] of [
    ['Oak table', 4_200],
    ['Twenty chairs', 1_800],
  ] as const) {
    await server.api('POST', '/deals', {
      title,
      value,
      currency: 'EUR',
      contact_id: contact.id,
      pipeline_id: pipeline.id,
      stage_id: pipeline.stages[0]?.id,
    });
  }
  [page, colleague] = await Promise.all([scene.owner(), scene.member('Bo Agent', 'bo@example.com')]);
  await Promise.all([page.goto('/app/deals'), colleague.goto('/app/deals')]);
  await card(page, 'Oak table').waitFor();
  await card(colleague, 'Oak table').waitFor();
});

it('sums up every stage', async () => {
  await column(page, 'New').getByText('€6,000').waitFor();
});

it('moves a deal by mouse, and a colleague sees it', async () => {
  await card(page, 'Oak table').dragTo(column(page, 'Qualified').locator('ul').locator('..'));
  await inColumn(page, 'Qualified', 'Oak table').waitFor();
  await inColumn(colleague, 'Qualified', 'Oak table').waitFor();
  await eventually(
    () => stageOf('Oak table'),
    (stage) => stage === 'Qualified',
  );
  await column(page, 'New').locator('header').getByText('€1,800').waitFor();
  await column(colleague, 'Qualified').locator('header').getByText('€4,200').waitFor();
});

it('moves a deal by keyboard: with Alt and an arrow, and by the menu', async () => {
  await page.getByRole('link', { name: 'Twenty chairs' }).focus();
  await page.keyboard.press('Alt+ArrowRight');
  await inColumn(page, 'Qualified', 'Twenty chairs').waitFor();
  await page.getByText('Twenty chairs moved to Qualified.').waitFor({ state: 'attached' });
  // The focus stays on the card.
  await hasFocus(page, 'Twenty chairs');
  await page.keyboard.press('v');
  await page.getByRole('menuitem', { name: 'Proposal' }).focus();
  await page.keyboard.press('Enter');
  await inColumn(page, 'Proposal', 'Twenty chairs').waitFor();
  await hasFocus(page, 'Twenty chairs');
  await inColumn(colleague, 'Proposal', 'Twenty chairs').waitFor();
  await eventually(
    () => stageOf('Twenty chairs'),
    (stage) => stage === 'Proposal',
  );
});

it('keeps the focus on a card that goes back because the server refuses', async () => {
  await page.route('**/move', (route) =>
    route.fulfill({ status: 503, json: { error: { code: 'internal' } } }),
  );
  await page.getByRole('link', { name: 'Twenty chairs' }).focus();
  await page.keyboard.press('Alt+ArrowRight');
  await page.getByRole('alert').waitFor();
  await inColumn(page, 'Proposal', 'Twenty chairs').waitFor();
  await hasFocus(page, 'Twenty chairs');
  await page.unroute('**/move');
});

it('keeps the focus on a card that a colleague moves', async () => {
  await page.getByRole('link', { name: 'Oak table' }).focus();
  await colleague.getByRole('link', { name: 'Oak table' }).focus();
  await colleague.keyboard.press('Alt+ArrowLeft');
  await inColumn(page, 'New', 'Oak table').waitFor();
  await hasFocus(page, 'Oak table');
  await colleague.keyboard.press('Alt+ArrowRight');
  await inColumn(page, 'Qualified', 'Oak table').waitFor();
  await hasFocus(page, 'Oak table');
});

it('marks deals whose day is over in the timezone of the account', async () => {
  const deals = await scene.server.api<Array<{ id: string; title: string }>>('GET', '/deals');
  const id = deals.find(({ title }) => title === 'Twenty chairs')?.id;
  await scene.server.api('PATCH', `/deals/${id}`, { expected_close_date: '2020-02-28' });
  await card(page, 'Twenty chairs').getByText('Overdue').waitFor({ state: 'attached' });
  await card(colleague, 'Twenty chairs').getByText('Overdue').waitFor({ state: 'attached' });
  expect(await card(page, 'Oak table').getByText('Overdue').count()).toBe(0);
});

it('shows both what happens when two members move the same deal', async () => {
  await page.getByRole('link', { name: 'Oak table' }).focus();
  await colleague.getByRole('link', { name: 'Oak table' }).focus();
  await Promise.all([page.keyboard.press('Alt+ArrowRight'), colleague.keyboard.press('Alt+ArrowLeft')]);
  const settled = await eventually(
    async () => {
      const stage = (await stageOf('Oak table')) ?? '';
      const seen = await Promise.all([page, colleague].map((on) => inColumn(on, stage, 'Oak table').count()));
      return { stage, seen };
    },
    ({ stage, seen }) => stage !== 'Qualified' && seen.every((count) => count === 1),
  );
  expect(['New', 'Proposal']).toContain(settled.stage);
});

it('makes a deal, opens its page, wins it and finds the contact', async () => {
  await page.getByRole('button', { name: 'New deal' }).click();
  const dialog = page.getByRole('dialog', { name: 'New deal' });
  await dialog.getByLabel('Title').fill('Garden bench');
  // All deals of the pipeline are in euros, so this one is too.
  await expect.poll(() => dialog.getByLabel('Currency').inputValue()).toBe('EUR');
  expect(await dialog.getByLabel('Currency').isEditable()).toBe(false);
  await dialog.getByLabel('Value').fill('99.50');
  await dialog.getByRole('button', { name: /save|create/i }).click();
  await card(page, 'Garden bench').waitFor();
  await card(colleague, 'Garden bench').waitFor();
  await page.getByRole('link', { name: 'Garden bench' }).click();
  await page.getByRole('heading', { name: 'Garden bench' }).waitFor();
  await page.getByRole('button', { name: 'Won' }).click();
  await page.getByRole('button', { name: 'Reopen' }).waitFor();
  await inColumn(colleague, 'Won', 'Garden bench').waitFor();

  await page.goBack();
  await page.getByRole('link', { name: 'Twenty chairs' }).click();
  await page.getByRole('link', { name: 'Ann Weber' }).click();
  await page.getByRole('heading', { name: 'Ann Weber' }).waitFor();
});

it('closes deals on the board, and opens them again', async () => {
  await page.goto('/app/deals');
  await card(page, 'Oak table').waitFor();
  await page.getByRole('link', { name: 'Oak table' }).focus();
  await page.keyboard.press('v');
  await page.getByRole('menuitem', { name: 'Lost' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Lost' });
  await dialog.getByLabel('Reason').fill('Too dear');
  await page.keyboard.press('Enter');
  await inColumn(page, 'Lost', 'Oak table').waitFor();
  await hasFocus(page, 'Oak table');
  await inColumn(colleague, 'Lost', 'Oak table').waitFor();
  await column(page, 'Lost').locator('header').getByText('€4,200').waitFor();
  const [lost] = await scene.server.api<Array<{ lost_reason: string }>>('GET', '/deals?status=lost');
  expect(lost?.lost_reason).toBe('Too dear');
  // To another stage than the one it was lost in.
  await page.keyboard.press('v');
  await page.getByRole('menuitem', { name: 'New' }).focus();
  await page.keyboard.press('Enter');
  await inColumn(page, 'New', 'Oak table').waitFor();
  await eventually(
    () => stageOf('Oak table'),
    (stage) => stage === 'New',
  );
});

it('sums up and marks a deal in another currency, and keeps it as it is', async () => {
  await scene.server.api('POST', '/deals', {
    title: 'Lamp',
    value: 300,
    currency: 'USD',
    pipeline_id: pipeline.id,
    stage_id: pipeline.stages[0]?.id,
  });
  await card(page, 'Lamp')
    .getByRole('img', { name: /Not in EUR/ })
    .waitFor();
  await column(page, 'New').locator('header').getByText('€4,200 + $300').waitFor();
});
