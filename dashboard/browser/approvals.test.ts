/** Approvals in Chromium: by one key, by two people at once, by a role that may not, on a phone. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { Desk, says, uses } from './asking';
import { seriousFindings } from './axe';
import { eventually, useScene } from './scene';

const scene = useScene();
const desk = new Desk(scene);
const PHONE = { width: 390, height: 800 };
let page: Page;
let colleague: Page;

const row = (title: string, on = page) => on.getByRole('listitem').filter({ hasText: title });
const list = (on = page) => on.getByRole('list', { name: 'What assistants wait for' });
const badge = (count: number, on = page) =>
  on.getByRole('link', { name: new RegExp(`Approvals ${count} waiting`) });
const ended = (ask: string, status: string) =>
  eventually(
    () => desk.ask(ask),
    (now) => now.status === status,
  );

beforeAll(async () => {
  await desk.open();
  page = await scene.owner();
  colleague = await scene.member('Bo Agent', 'bo@example.com');
});

it('tells of an ask on any page, shows what would happen, and approves by one key', async () => {
  await page.goto('/app/contacts');
  await page.getByRole('heading', { name: 'Contacts', exact: true }).waitFor();
  const ann = await desk.customer('Ann Weber', '+4915112345001');
  const { ask, deal, run } = await desk.deletes('Oak table', {
    contact_id: ann.id,
    conversation_id: ann.conversation,
  });
  await page.getByText('waits for a person').waitFor();
  await badge(1).waitFor();
  await page.getByRole('button', { name: 'Open approvals' }).click();
  await page.getByText('Deletes a deal for good.').waitFor();
  await page.getByRole('link', { name: 'Oak table' }).waitFor();
  await page.getByRole('region', { name: 'About' }).getByText('Ann Weber').waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await page.keyboard.press('o');
  await page.getByText('Approved by you').waitFor();
  await ended(ask, 'approved');
  await desk.becomes(run, 'succeeded');
  expect(await desk.isGone(deal)).toBe(true);
  await page.getByRole('link', { name: 'Approvals', exact: true }).waitFor();
});

it('declines with a note by keys alone, and leads to the next', async () => {
  const first = await desk.deletes('Pine chair');
  const second = await desk.deletes('Beech shelf');
  await page.goto('/app/inbox');
  await badge(2).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('a');
  await page.getByRole('link', { name: 'Beech shelf' }).waitFor();
  await page.keyboard.press('d');
  await page.keyboard.type('Keep the shelf.');
  await page.keyboard.press('Control+Enter');
  expect((await ended(second.ask, 'declined')).answer).toBe('Keep the shelf.');
  expect(await desk.isGone(second.deal)).toBe(false);
  await page.getByRole('link', { name: 'Pine chair' }).waitFor();
  const expanded = list().getByRole('button', { expanded: true });
  expect(await expanded.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.press('o');
  await ended(first.ask, 'approved');
});

it('answers a question by one key', async () => {
  const { ask, run } = await desk.waits([
    uses('ask_human', { question: 'Which colour does the door have?' }),
    says('Green it is.'),
  ]);
  await page.goto('/app/approvals');
  await page.getByText('Which colour does the door have?').last().waitFor();
  await page.keyboard.press('w');
  await page.keyboard.type('Green.');
  await page.keyboard.press('Control+Enter');
  await page.getByText('Answered by you').waitFor();
  expect((await ended(ask, 'answered')).answer).toBe('Green.');
  expect((await desk.becomes(run, 'succeeded')).result).toBe('Green it is.');
});

it('says who was first when two answer at once', async () => {
  const { ask } = await desk.deletes('Glass lamp');
  for (const person of [page, colleague]) {
    await person.goto('/app/approvals');
    await person.getByRole('link', { name: 'Glass lamp' }).waitFor();
  }
  // The owner’s answer is on its way while the colleague’s is stored.
  let release: () => void = () => undefined;
  const held = new Promise<void>((done) => {
    release = done;
  });
  await page.route('**/asks/*/answer', async (route) => {
    await held;
    await route.continue();
  });
  await page.keyboard.press('o');
  await colleague.keyboard.press('d');
  await colleague.keyboard.type('Still needed.');
  await colleague.keyboard.press('Control+Enter');
  await ended(ask, 'declined');
  await colleague.getByText('Declined by you').waitFor();
  release();
  await page.getByText('Bo Agent was first. Your answer was not used.').waitFor();
  await page.getByText('Declined by Bo Agent').waitFor();
  await page.getByText('“Still needed.”').waitFor();
  await page.unrouteAll();
});

it('shows a colleague’s answer live', async () => {
  const { ask } = await desk.deletes('Steel bench');
  await page.goto('/app/approvals');
  await colleague.goto('/app/approvals');
  await page.getByRole('link', { name: 'Steel bench' }).waitFor();
  await colleague.getByRole('link', { name: 'Steel bench' }).waitFor();
  await colleague.getByRole('button', { name: /^Approve/ }).click();
  await page.getByText('Approved by Bo Agent').waitFor();
  await ended(ask, 'approved');
  await page.getByRole('link', { name: 'Approvals', exact: true }).waitFor();
});

it('shows why an answer failed, and takes it the next time', async () => {
  const { ask } = await desk.deletes('Cork mat');
  await page.goto('/app/approvals');
  await page.getByRole('link', { name: 'Cork mat' }).waitFor();
  await page.route('**/asks/*/answer', (route) => route.abort(), { times: 1 });
  await page.keyboard.press('o');
  await page.getByRole('alert').waitFor();
  expect((await desk.ask(ask)).status).toBe('pending');
  await page.keyboard.press('o');
  await page.getByText('Approved by you').waitFor();
  await ended(ask, 'approved');
});

it('does not let a role approve what it may not do itself', async () => {
  const { ask } = await desk.waits([
    uses('start_broadcast', { name: 'News', template: 'hello_world' }),
    says('Done.'),
  ]);
  await colleague.goto('/app/approvals');
  await colleague.getByText('Sends a template to a segment').waitFor();
  await colleague.getByText('Your role may not approve this.').waitFor();
  expect(await colleague.getByRole('button', { name: /^Approve/ }).count()).toBe(0);
  await colleague.keyboard.press('o');
  expect((await desk.ask(ask)).status).toBe('pending');
  await colleague.keyboard.press('d');
  await colleague.keyboard.press('Control+Enter');
  await colleague.getByText('Declined by you').waitFor();
  await ended(ask, 'declined');
});

it('waits inside the conversation that it belongs to', async () => {
  const ben = await desk.customer('Ben Klein', '+4915112345002');
  await page.goto(`/app/inbox/${ben.conversation}`);
  await page.getByLabel('Reply to the customer').waitFor();
  const { ask } = await desk.deletes('Wool rug', { contact_id: ben.id, conversation_id: ben.conversation });
  const card = page.getByRole('region', { name: 'The assistant waits for a person' });
  await card.getByRole('link', { name: 'Wool rug' }).waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByLabel('Reply to the customer').blur();
  await page.keyboard.press('o');
  await card.getByText('Approved by you').waitFor();
  await ended(ask, 'approved');
});

it('works on a phone, by touch', async () => {
  const phone = await scene.owner({ viewport: PHONE, isMobile: true, hasTouch: true });
  const { ask } = await desk.deletes('Linen curtain with a name that is too long for one line of a phone');
  await phone.goto('/app/approvals');
  await phone.getByRole('link', { name: /Linen curtain/ }).waitFor();
  expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
  expect(await seriousFindings(phone)).toEqual([]);
  await phone.getByRole('button', { name: /^Approve/ }).tap();
  await ended(ask, 'approved');
  await phone.context().close();
});

it('lists what was answered, with who did', async () => {
  const { ask } = await desk.deletes('Clay pot');
  await colleague.goto('/app/approvals');
  await colleague.getByRole('link', { name: 'Clay pot' }).waitFor();
  await colleague.keyboard.press('d');
  await colleague.keyboard.press('Control+Enter');
  await ended(ask, 'declined');
  await page.goto('/app/approvals');
  await page.getByRole('button', { name: 'All', exact: true }).click();
  await row('Declined').first().waitFor();
  await row('Declined').first().getByRole('button').click();
  await page.getByText('Declined by Bo Agent').first().waitFor();
});
