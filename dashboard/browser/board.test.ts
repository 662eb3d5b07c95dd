/** The board of deals, by mouse and by keyboard, and as a colleague sees it. */
import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { seriousFindings } from './axe';
import { eventually, useScene } from './scene';

interface Pipeline {
  id: string;
  stages: Array<{ id: string; name: string }>;
}

const scene = useScene();
let page: Page;
let colleague: Page;
let pipeline: Pipeline;
let contact = '';
let oak = '';
let chairs = '';

const column = (on: Page, name: string) => on.getByRole('region', { name, exact: true });
const card = (on: Page, title: string) => on.getByRole('article').filter({ hasText: title });
const inColumn = (on: Page, stage: string, title: string) =>
  column(on, stage).getByRole('article').filter({ hasText: title });

/** Waits until the title of a card has the focus. */
async function hasFocus(on: Page, title: string): Promise<void> {
  await on.waitForFunction((wanted) => document.activeElement?.textContent === wanted, title);
}

interface Deal {
  stage_id: string;
  lost_reason: string | null;
}

const deal = () => scene.server.api<Deal>('GET', `/deals/${oak}`);
const stageNow = async () => stageName((await deal()).stage_id);
const stageName = (wanted: string) => pipeline.stages.find(({ id }) => id === wanted)?.name;

beforeAll(async () => {
  [page, colleague] = await Promise.all([scene.owner(), scene.member('Bo Agent', 'bo@example.com')]);
  contact = (await scene.server.api('POST', '/contacts', { name: 'Ann Weber' })).id;
});

/** A deal in a stage of the test's pipeline. */
async function newDeal(title: string, value: number, stage: string, currency = 'EUR'): Promise<string> {
  const stageId = pipeline.stages.find(({ name }) => name === stage)?.id;
  const body = { title, value, currency, contact_id: contact, pipeline_id: pipeline.id, stage_id: stageId };
  return (await scene.server.api('POST', '/deals', body)).id;
}

// Every test has a pipeline of its own, with two deals: one at the start and one that can go both ways.
beforeEach(async ({ task }) => {
  pipeline = await scene.server.api<Pipeline>('POST', '/pipelines', { name: task.id });
  chairs = await newDeal('Twenty chairs', 1_800, 'New');
  oak = await newDeal('Oak table', 4_200, 'Qualified');
  await Promise.all(
    [page, colleague].map(async (on) => {
      await on.goto(`/app/deals?pipeline=${pipeline.id}`);
      await card(on, 'Oak table').waitFor();
    }),
  );
});

it('sums up every stage', async () => {
  await newDeal('Garden bench', 200, 'New');
  await column(page, 'New').locator('header').getByText('€2,000').waitFor();
  await column(page, 'Qualified').locator('header').getByText('€4,200').waitFor();
});

it('moves a deal by mouse, and a colleague sees it', async () => {
  await card(page, 'Oak table').dragTo(column(page, 'Proposal').locator('ul').locator('..'));
  await inColumn(page, 'Proposal', 'Oak table').waitFor();
  await inColumn(colleague, 'Proposal', 'Oak table').waitFor();
  await eventually(stageNow, (stage) => stage === 'Proposal');
  await column(page, 'Qualified').locator('header').getByText('€4,200').waitFor({ state: 'detached' });
  await column(colleague, 'Proposal').locator('header').getByText('€4,200').waitFor();
});

it('moves a deal by keyboard: with Alt and an arrow, and by the menu', async () => {
  await page.getByRole('link', { name: 'Oak table' }).focus();
  await page.keyboard.press('Alt+ArrowRight');
  await inColumn(page, 'Proposal', 'Oak table').waitFor();
  await page.getByText('Oak table moved to Proposal.').waitFor({ state: 'attached' });
  // The focus stays on the card.
  await hasFocus(page, 'Oak table');
  await page.keyboard.press('v');
  await page.getByRole('menuitem', { name: 'New' }).focus();
  await page.keyboard.press('Enter');
  await inColumn(page, 'New', 'Oak table').waitFor();
  await hasFocus(page, 'Oak table');
  await inColumn(colleague, 'New', 'Oak table').waitFor();
  await eventually(stageNow, (stage) => stage === 'New');
});

it('keeps the focus on a card that goes back because the server refuses', async () => {
  await page.route('**/move', (route) =>
    route.fulfill({ status: 503, json: { error: { code: 'internal' } } }),
  );
  onTestFinished(() => page.unroute('**/move'));
  await page.getByRole('link', { name: 'Oak table' }).focus();
  await page.keyboard.press('Alt+ArrowRight');
  await page.getByRole('alert').waitFor();
  await inColumn(page, 'Qualified', 'Oak table').waitFor();
  await hasFocus(page, 'Oak table');
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
  await scene.server.api('PATCH', `/deals/${chairs}`, { expected_close_date: '2020-02-28' });
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
      const stage = (await stageNow()) ?? '';
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
  expect((await deal()).lost_reason).toBe('Too dear');
  // To another stage than the one it was lost in.
  await page.keyboard.press('v');
  await page.getByRole('menuitem', { name: 'New' }).focus();
  await page.keyboard.press('Enter');
  await inColumn(page, 'New', 'Oak table').waitFor();
  await eventually(stageNow, (stage) => stage === 'New');
});

it('sums up and marks a deal in another currency, and keeps it as it is', async () => {
  await newDeal('Lamp', 300, 'New', 'USD');
  await card(page, 'Lamp')
    .getByRole('img', { name: /Not in EUR/ })
    .waitFor();
  await column(page, 'New').locator('header').getByText('€1,800 + $300').waitFor();
});

it('shows on the page of a deal and of its contact what a colleague changes, and who did it', async () => {
  const history = (on: Page, name: string) =>
    on.locator('section').filter({ has: on.getByRole('heading', { name }) });
  await page.goto(`/app/deals/${oak}`);
  await history(page, 'Timeline')
    .getByText(/^created/)
    .waitFor();
  await colleague.goto(`/app/deals/${oak}`);
  await colleague.getByRole('button', { name: 'Proposal' }).click();
  const moved = history(page, 'Timeline').getByText(/^Stage: from Qualified to Proposal/);
  await moved.getByText('Bo Agent').waitFor();
  await page.goto(`/app/contacts/${contact}`);
  await colleague.getByRole('button', { name: 'Won' }).click();
  const won = history(page, 'Timeline').getByRole('listitem').filter({ hasText: 'Oak table · won' });
  await won.getByText('Bo Agent').waitFor();
  expect(await seriousFindings(page)).toEqual([]);
});
