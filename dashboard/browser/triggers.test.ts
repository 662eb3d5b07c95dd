/** Triggers in the browser: made, seen, fired by hand and by a call, and changed by two people. */
import { execFileSync } from 'node:child_process';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { seriousFindings } from './axe';
import { useScene } from './scene';

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const scene = useScene();
let page: Page;
let triggers = 0;

const section = (heading: string, on = page) =>
  on.locator('section').filter({ has: on.getByRole('heading', { name: heading, exact: true }) });
const save = (on = page) => on.getByRole('button', { name: 'Save' }).click();

beforeAll(async () => {
  const { server } = scene;
  const tag = await server.api('POST', '/tags', { name: 'VIP', color: '#b45309' });
  for (const [index, name] of ['Ann Weber', 'Bert Kahn'].entries())
    await server.api('POST', '/contacts', { name, phone: `+491511234560${index}`, tag_ids: [tag.id] });
  const rules = [{ field: 'tag', op: 'is', value: tag.id }];
  await server.api('POST', '/segments', { name: 'VIPs', match: 'all', rules });
  page = await scene.owner();
});

/** A trigger of one test alone, with its page open. */
async function trigger(more: object = { kind: 'webhook' }) {
  const { server } = scene;
  triggers += 1;
  const name = `Trigger ${triggers}`;
  const [assistant] = await server.api<Array<{ id: string }>>('GET', '/assistants');
  const body = { name, goal: 'Thank the customer.', assistant_id: assistant?.id, ...more };
  const made = await server.api<{ trigger: { id: string } }>('POST', '/triggers', body);
  const { id } = made.trigger;
  await page.goto(`/app/triggers/${id}`);
  await page.getByRole('heading', { name, level: 1 }).waitFor();
  return { id, name };
}

/** What a trigger needs that fires every Monday for the contacts of the segment. */
async function everyMonday() {
  const [segment] = await scene.server.api<Array<{ id: string }>>('GET', '/segments');
  const when = { kind: 'recurring', period: 'weekly', day_of_week: 1, send_time: '09:00' };
  return { ...when, audience_type: 'segment', segment_id: segment?.id };
}

it('makes a trigger for a segment by the keyboard alone, and shows when it fires and for whom', async () => {
  await page.goto('/app/inbox');
  await page.getByRole('link', { name: 'Inbox' }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('t');
  await page.getByRole('heading', { name: 'Triggers', level: 1 }).waitFor();
  await page.keyboard.press('c');
  await page.getByLabel('Name').focus();
  await page.keyboard.type('Monday follow-up');
  await page.getByLabel('Goal').focus();
  await page.keyboard.type('Ask whether they need anything.');
  await page.getByLabel('Audience').focus();
  await page.keyboard.type('The contacts');
  await page.getByLabel('Segment', { exact: true }).focus();
  await page.keyboard.type('VIPs');
  await section('Who would be affected').getByText('2 runs, one for each contact.').waitFor();
  await section('Next times').getByRole('listitem').nth(4).waitFor();
  expect(await section('Next times').getByRole('listitem').count()).toBe(5);
  await page.getByRole('button', { name: 'Save' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Monday follow-up', level: 1 }).waitFor();
  await section('Who would be affected').getByText('Ann Weber').waitFor();
  await section('Who would be affected').getByText('It is switched off.').waitFor();
  expect(await seriousFindings(page)).toEqual([]);
});

it('writes out the same next time as the server', async () => {
  const { id } = await trigger(await everyMonday());
  const preview = await scene.server.api<{ next_fire_at: string }>('POST', `/triggers/${id}/preview`);
  const first = section('Next times').locator('time').first();
  await first.waitFor();
  expect(Date.parse((await first.getAttribute('datetime')) ?? '')).toBe(Date.parse(preview.next_fire_at));
});

it('runs it now, and shows the results as they come', async () => {
  await trigger(await everyMonday());
  await page.getByRole('button', { name: 'Run now' }).click();
  await page.getByRole('dialog').getByText('Real runs start now for 2 contacts').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Run now' }).click();
  await page.getByText('2 runs have started.').waitFor();
  const results = section('Last results').getByRole('listitem');
  await results.nth(1).waitFor();
  await results.getByText('Succeeded').nth(1).waitFor();
});

it('is fired by the command of the page, and its address is replaced', async () => {
  await page.goto('/app/triggers/new');
  await page.getByLabel('Name').fill('New order');
  await page.getByLabel('Goal').fill('Thank the customer.');
  await page.getByRole('radio', { name: /When its address is called/ }).check();
  await page.getByLabel('Switched on').check();
  await save();
  const dialog = page.getByRole('dialog', { name: 'Address' });
  const command = (await dialog.getByRole('region', { name: 'curl command' }).textContent()) ?? '';
  await dialog.getByRole('button', { name: 'Close' }).first().click();
  await page.getByRole('heading', { name: 'New order', level: 1 }).waitFor();
  const fire = () => JSON.parse(execFileSync('sh', ['-c', `${command} -s`], { encoding: 'utf8' })) as object;
  expect(fire()).toMatchObject({ data: { error: null } });
  await section('Runs of its last calls').getByRole('listitem').first().waitFor();
  await page.getByRole('button', { name: 'New address' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'New address' }).click();
  await dialog.waitFor();
  expect(await dialog.getByRole('region', { name: 'curl command' }).textContent()).not.toBe(command);
  await page.keyboard.press('Escape');
  expect(fire()).toMatchObject({ error: { code: 'not_found' } });
});

it('shows the last calls of its address as they come, to a colleague and on a phone as well', async () => {
  const { server } = scene;
  const [assistant] = await server.api<Array<{ id: string }>>('GET', '/assistants');
  const body = { name: 'Called', goal: 'Thank the customer.', assistant_id: assistant?.id, kind: 'webhook' };
  const made = await server.api<{ trigger: { id: string }; webhook_url: string }>('POST', '/triggers', {
    ...body,
    enabled: true,
  });
  const path = `/app/triggers/${made.trigger.id}`;
  await page.goto(path);
  await section('Last calls').getByText('Nobody has called it in the last 30 days.').waitFor();
  const colleague = await scene.member('Di Agent', 'di@example.com');
  await colleague.setViewportSize(PHONE.viewport);
  await colleague.goto(path);
  const call = (text: string) => fetch(made.webhook_url, { method: 'POST', body: text });
  expect((await call('{ "order": 42 }')).status).toBe(202);
  for (const on of [page, colleague]) await section('Last calls', on).getByText('Run started').waitFor();
  for (let n = 0; n < 3; n += 1) expect((await call('{ no json')).status).toBe(400);
  const refused = section('Last calls').getByRole('listitem').filter({ hasText: 'Invalid' });
  await refused.getByText('3 times').waitFor();
  await refused.locator('summary').focus();
  await page.keyboard.press('Enter');
  expect(await refused.getByRole('region', { name: 'Body of the call' }).textContent()).toContain(
    '{ no json',
  );
  expect(await seriousFindings(page)).toEqual([]);
  const mine = section('Last calls', colleague);
  await mine.getByText('Run started').click();
  await mine.getByText('{ "order": 42 }').waitFor();
  expect(await colleague.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await mine.getByRole('link', { name: 'Show the run' }).click();
  await colleague.waitForURL('**/app/runs/*');
  await colleague.context().close();
});

it('shows a colleague’s change without a reload, and a reader may change nothing', async () => {
  const { name } = await trigger();
  const agent = await scene.member('Bo Agent', 'bo@example.com');
  await agent.goto(page.url());
  await agent.getByRole('heading', { name, level: 1 }).waitFor();
  expect(await agent.getByLabel('Name').isDisabled()).toBe(true);
  expect(await agent.getByRole('button', { name: /^(Save|Delete|Run now|New address)$/ }).count()).toBe(0);
  await page.getByLabel('Name').fill('Renamed by the owner');
  await save();
  await agent.getByRole('heading', { name: 'Renamed by the owner', level: 1 }).waitFor();
  await agent.context().close();
});

it('keeps what was typed when the server cannot be reached', async () => {
  await trigger();
  await page.getByLabel('Goal').fill('Thank them warmly.');
  await page.context().setOffline(true);
  await save();
  await page.getByText('The server cannot be reached.').first().waitFor();
  await page.context().setOffline(false);
  await save();
  await page.getByText('Saved.').first().waitFor();
  await page.reload();
  expect(await page.getByLabel('Goal').inputValue()).toBe('Thank them warmly.');
});

it('fits a phone, and is deleted there', async () => {
  const { name } = await trigger();
  const phone = await scene.owner(PHONE);
  await phone.getByRole('button', { name: 'More' }).tap();
  await phone.getByRole('menuitem', { name: 'Triggers' }).tap();
  await phone.getByRole('link', { name }).tap();
  await phone.getByRole('heading', { name, level: 1 }).waitFor();
  expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await phone.getByRole('button', { name: 'Delete' }).tap();
  await phone.getByRole('dialog').getByRole('button', { name: 'Delete' }).tap();
  await phone.getByRole('heading', { name: 'Triggers', level: 1 }).waitFor();
  await phone.getByRole('link', { name }).waitFor({ state: 'detached' });
  await phone.context().close();
});
