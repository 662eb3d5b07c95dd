/** Runs in Chromium: as they happen, as a tree, cancelled, and a hundred thousand of them. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { Desk, says, uses } from './asking';
import { seriousFindings } from './axe';
import { eventually, useScene } from './scene';

const scene = useScene();
const desk = new Desk(scene);
const PHONE = { width: 390, height: 800 };
const MANY = 100_000;
let page: Page;
let colleague: Page;

const rows = (on = page) => on.getByRole('list', { name: 'Runs, the newest first' }).getByRole('listitem');
const row = (goal: string | RegExp, on = page) => rows(on).filter({ hasText: goal });

beforeAll(async () => {
  await desk.open();
  page = await scene.owner();
  colleague = await scene.member('Bo Agent', 'bo@example.com');
});

it('shows runs as they begin, wait and end, to everybody', async () => {
  await page.goto('/app/runs');
  await colleague.goto('/app/inbox');
  await colleague.getByRole('link', { name: 'Inbox' }).waitFor();
  await colleague.keyboard.press('g');
  await colleague.keyboard.press('r');
  await colleague.getByRole('heading', { name: 'Runs' }).waitFor();
  const { ask, run, goal } = await desk.deletes('Oak table');
  const shows = async (status: string) => {
    for (const person of [page, colleague]) await row(goal, person).getByText(status).waitFor();
  };
  await shows('Waiting');
  expect(await seriousFindings(page)).toEqual([]);
  await scene.server.api('POST', `/asks/${ask}/answer`, { decision: 'approve' });
  await desk.becomes(run, 'succeeded');
  await shows('Succeeded');
  await page.getByRole('button', { name: /^Waiting/ }).click();
  await row(goal).waitFor({ state: 'detached' });
  expect(page.url()).toContain('status=waiting');
});

it('writes the timeline as it happens: prompt, model, tool with input and result, cost, duration', async () => {
  const { run, ask } = await desk.deletes('Pine chair');
  await page.goto(`/app/runs/${run}`);
  await page.getByText('Nobody has answered yet.').waitFor();
  await page.getByText('Asked the model').first().waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  // Answered by one key on the page of the run.
  await page.getByRole('link', { name: 'Pine chair' }).waitFor();
  await page.keyboard.press('o');
  await page.getByText('Approved by you').waitFor();
  const timeline = page.getByRole('region', { name: 'Timeline' }).or(page.locator('ol[aria-live]'));
  await timeline.getByText('Finished').waitFor();
  await timeline.getByText('Result', { exact: true }).first().click();
  await timeline.getByText('deleted').first().waitFor();
  await timeline
    .getByText(/\d in, \d+ out · \$0\.\d+ · /)
    .first()
    .waitFor();
  expect((await desk.ask(ask)).status).toBe('approved');
});

it('shows a tree of sub-runs, and leads through it', async () => {
  await scene.server.api('PATCH', `/assistants/${desk.assistantId}`, {
    tool_access: { delete_deal: true, delegate: true },
    delegation: { enabled: true },
  });
  await desk.script(
    { ...uses('delegate', { goal: 'Count the chairs of hall two.' }), match: 'Furnish the halls' },
    { ...says('Twelve chairs.'), match: 'Count the chairs' },
    { ...says('All is counted.'), match: 'Furnish the halls' },
  );
  const run = await desk.starts({ goal: 'Furnish the halls.' });
  await desk.becomes(run, 'succeeded');
  await page.goto(`/app/runs/${run}`);
  await page.getByRole('heading', { name: 'Sub-runs' }).waitFor();
  await page.getByRole('link', { name: 'Count the chairs of hall two.' }).click();
  await page.getByText('Twelve chairs.').first().waitFor();
  const current = page.getByRole('link', { name: /Count the chairs of hall two/ });
  expect(await current.getAttribute('aria-current')).toBe('page');
  await page.getByRole('link', { name: 'Furnish the halls.' }).click();
  await page.getByText('All is counted.').first().waitFor();
});

it('cancels a run after a question, by keys alone; a member without the right is not offered it', async () => {
  const { run } = await desk.deletes('Glass lamp');
  await colleague.goto(`/app/runs/${run}`);
  await colleague.getByText('Nobody has answered yet.').waitFor();
  expect(await colleague.getByRole('button', { name: 'Cancel the run' }).count()).toBe(0);
  await page.goto(`/app/runs/${run}`);
  await page.getByRole('button', { name: 'Cancel the run' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Cancel this run?' }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await desk.becomes(run, 'cancelled');
  await page.getByText('Cancelled with its run').waitFor();
  // The colleague sees it without a reload.
  await colleague.getByText('Cancelled with its run').waitFor();
});

it('says when a run cannot be cancelled, and does it the next time', async () => {
  const { run } = await desk.deletes('Wool rug');
  await page.goto(`/app/runs/${run}`);
  await page.route('**/cancel', (route) => route.abort(), { times: 1 });
  await page.getByRole('button', { name: 'Cancel the run' }).click();
  const dialog = page.getByRole('dialog', { name: 'Cancel this run?' });
  const action = dialog.getByRole('button', { name: 'Cancel the run' });
  await action.click();
  await dialog.getByRole('alert').waitFor();
  await action.click();
  await desk.becomes(run, 'cancelled');
});

it('fits a phone', async () => {
  await desk.becomes(await desk.starts(), 'succeeded');
  const phone = await scene.owner({ viewport: PHONE, isMobile: true, hasTouch: true });
  await phone.goto('/app/runs');
  await rows(phone).first().waitFor();
  expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
  expect(await seriousFindings(phone)).toEqual([]);
  await rows(phone).first().getByRole('link').tap();
  await phone.getByRole('heading', { name: 'Timeline' }).waitFor();
  expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
  await phone.context().close();
});

it('lists a hundred thousand runs, of which only those in view are in the page', async () => {
  await desk.becomes(await desk.starts(), 'succeeded');
  const [example] = await scene.server.api<Array<Record<string, unknown>>>('GET', '/runs?limit=1');
  // The server's own list is paged in the same way; storing as many runs here would take minutes.
  await page.route(/\/api\/v1\/runs\?/, async (route) => {
    const { searchParams } = new URL(route.request().url());
    const from = Number(searchParams.get('cursor') ?? 0);
    const limit = Number(searchParams.get('limit'));
    const data = Array.from({ length: Math.min(limit, MANY - from) }, (_, index) => ({
      ...example,
      id: `00000000-0000-7000-8000-${String(MANY - from - index).padStart(12, '0')}`,
      goal: `Goal ${from + index + 1} of many`,
    }));
    const next = from + limit < MANY ? String(from + limit) : null;
    await route.fulfill({ json: { data, meta: { limit, has_more: next !== null, next_cursor: next } } });
  });
  await page.goto('/app/runs');
  await rows().first().waitFor();
  const scroller = page.locator('ul[data-rows]').locator('..');
  await eventually(
    async () => {
      await scroller.evaluate((element) => {
        element.scrollTop = element.scrollHeight;
      });
      expect(await rows().count()).toBeLessThan(80);
      return row(/Goal \d{4} of many/).count();
    },
    (count) => count > 0,
  );
  // A new run is shown at the top, without a jump of what is read.
  const top = await scroller.evaluate((element) => element.scrollTop);
  const run = await desk.starts({ goal: 'Greet the last guest.' });
  await desk.becomes(run, 'succeeded');
  expect(await scroller.evaluate((element) => element.scrollTop)).toBeGreaterThanOrEqual(top);
  await scroller.evaluate((element) => {
    element.scrollTop = 0;
  });
  await row('Greet the last guest.').waitFor();
  await page.unrouteAll({ behavior: 'wait' });
});
