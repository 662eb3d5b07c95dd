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

  await page.getByRole('link', { name: 'Twenty chairs' }).focus();
  await page.keyboard.press('v');
  await page.getByRole('menuitem', { name: 'Proposal' }).focus();
  await page.keyboard.press('Enter');
  await inColumn(page, 'Proposal', 'Twenty chairs').waitFor();
  await inColumn(colleague, 'Proposal', 'Twenty chairs').waitFor();
  await eventually(
    () => stageOf('Twenty chairs'),
    (stage) => stage === 'Proposal',
  );
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
  await dialog.getByLabel('Value').fill('99.50');
  await dialog.getByRole('button', { name: /save|create/i }).click();
  await card(page, 'Garden bench').waitFor();
  await card(colleague, 'Garden bench').waitFor();
  await page.getByRole('link', { name: 'Garden bench' }).click();
  await page.getByRole('heading', { name: 'Garden bench' }).waitFor();
  await page.getByRole('button', { name: 'Won' }).click();
  await page.getByRole('button', { name: 'Reopen' }).waitFor();
  await card(colleague, 'Garden bench').waitFor({ state: 'detached' });

  await page.goBack();
  await page.getByRole('link', { name: 'Twenty chairs' }).click();
  await page.getByRole('link', { name: 'Ann Weber' }).click();
  await page.getByRole('heading', { name: 'Ann Weber' }).waitFor();
});
