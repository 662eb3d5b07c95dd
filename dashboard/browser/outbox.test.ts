/** Replies that could not be sent: they survive whatever happens to the page, and reach the customer once. */
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Customer, eventually, OWNER, signIn, useScene } from './scene';

/** On a slow machine a request has failed so often that the pause before the next one is the longest, of 30 s. */
const PAUSE_MS_MAX = 40_000;

const scene = useScene();
let page: Page;
let customer: Customer;

const reply = (on = page) => on.getByLabel('Reply to the customer');
const log = (on = page) => on.getByRole('log', { name: 'Messages' });
const waiting = (on = page) => log(on).getByText('Not sent yet.');
const sending = /\/app\/api\/v1\/messages$/;
const uploading = /\/app\/api\/v1\/media$/;

async function openConversation(on: Page): Promise<void> {
  await on.goto(`/app/inbox/${customer.conversationId}`);
  await reply(on).waitFor();
}

async function say(words: string, on = page): Promise<void> {
  await reply(on).fill(words);
  await reply(on).press('Enter');
}

const sentTexts = async () => (await scene.server.sentTo(customer.phone)).map(({ text }) => text);
const timesSent = async (words: string) => (await sentTexts()).filter((text) => text === words).length;
const arrives = (words: string) =>
  eventually(
    () => timesSent(words),
    (times) => times > 0,
    PAUSE_MS_MAX,
  );

const documentArrives = () =>
  eventually(
    () => scene.server.sentTo(customer.phone),
    (sent) => sent.filter(({ type }) => type === 'document').length === 1,
  );

beforeAll(async () => {
  await scene.server.silenceAssistants();
  page = await scene.owner();
});

beforeEach(async () => {
  customer = await scene.customer('Is the oak table still there?');
  await openConversation(page);
});

afterEach(async () => {
  await page.unrouteAll();
  await page.context().setOffline(false);
});

it('survives a reload after its request failed, and is sent once by itself', async () => {
  await page.route(sending, (route) => route.abort());
  await say('First');
  await say('Second');
  await waiting().first().waitFor();
  await page.reload();
  await log().getByText('First').waitFor();
  await log().getByText('Second').waitFor();
  await page.getByRole('img', { name: 'A message is not sent' }).waitFor();
  expect(await sentTexts()).toEqual([]);
  await page.unroute(sending);
  await arrives('Second');
  await waiting().first().waitFor({ state: 'detached' });
  expect(await sentTexts()).toEqual(['First', 'Second']);
});

it('is not sent twice when the response to its request was lost', async () => {
  await page.route(sending, async (route) => {
    await route.fetch();
    await route.abort();
  });
  await say('Taken without a word');
  await arrives('Taken without a word');
  await page.reload();
  await log().getByText('Taken without a word').first().waitFor();
  await page.unroute(sending);
  await page.reload();
  await eventually(
    () => log().getByText('Taken without a word').count(),
    (times) => times === 1,
  );
  await page.getByRole('img', { name: 'A message is not sent' }).waitFor({ state: 'detached' });
  expect(await timesSent('Taken without a word')).toBe(1);
});

it('written while the server is down is sent once when it is back', async () => {
  await scene.server.stopProcess();
  await say('Written in the dark');
  await waiting().first().waitFor();
  await scene.server.startAgain();
  await arrives('Written in the dark');
  await waiting().first().waitFor({ state: 'detached' });
  expect(await timesSent('Written in the dark')).toBe(1);
});

it('is shown in two tabs and sent by one of them', async () => {
  const other = await page.context().newPage();
  await openConversation(other);
  await page.context().setOffline(true);
  await say('From one of two tabs');
  await waiting(page).waitFor();
  await waiting(other).waitFor();
  await page.context().setOffline(false);
  await arrives('From one of two tabs');
  for (const tab of [page, other]) {
    await waiting(tab).waitFor({ state: 'detached' });
    await log(tab).getByText('From one of two tabs').waitFor();
  }
  expect(await timesSent('From one of two tabs')).toBe(1);
  await other.close();
});

it('that the server refused waits for Try again, which works by keyboard', async () => {
  const error = { code: 'channel_not_connected', message: 'No.', request_id: 'req_1' };
  await page.route(sending, (route) => route.fulfill({ status: 422, json: { error } }));
  await say('Refused at first');
  await log().getByText('The channel is not connected.').waitFor();
  await page.reload();
  await log().getByText('The channel is not connected.').waitFor();
  await page.unroute(sending);
  expect(await timesSent('Refused at first')).toBe(0);
  const again = log().getByRole('button', { name: 'Try again' });
  await again.focus();
  await page.keyboard.press('Enter');
  await arrives('Refused at first');
  await again.waitFor({ state: 'detached' });
});

it('can be taken back into the composer, with its file and what was typed since', async () => {
  await page.context().setOffline(true);
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles({ name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from('the plan') });
  await say('With a file');
  await log().getByText('The file is not uploaded yet.').waitFor();
  await reply().fill('Typed since');
  await log().getByRole('button', { name: 'Edit' }).click();
  await expect.poll(() => reply().inputValue()).toBe('With a file\nTyped since');
  await page.getByRole('list', { name: 'Attached files' }).getByText('plan.txt').waitFor();
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await documentArrives();
  await log().getByRole('link', { name: 'plan.txt' }).waitFor();
});

it('keeps its file over a reload', async () => {
  await page.route(uploading, (route) => route.abort());
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles({ name: 'kept.txt', mimeType: 'text/plain', buffer: Buffer.from('kept words') });
  await say('A file that stays');
  await log().getByText('The file is not uploaded yet.').waitFor();
  await page.reload();
  await log().getByText('kept.txt').first().waitFor();
  await page.unroute(uploading);
  await documentArrives();
  const link = log().getByRole('link', { name: 'kept.txt' });
  const response = await page.request.get((await link.getAttribute('href')) ?? '');
  expect(await response.text()).toBe('kept words');
});

it('stays with its member when somebody else signs in, and is sent when they are back', async () => {
  const colleague = await scene.login('Bo Agent');
  await page.route(sending, (route) => route.abort());
  await say('For the eyes of one');
  await waiting().waitFor();
  await page.getByRole('button', { name: /Owner, .*: menu/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  const asked = page.getByRole('dialog', { name: 'Sign out with unsent messages?' });
  await asked.getByText('1 message is not sent.').waitFor();
  await asked.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.unroute(sending);

  await signIn(page, colleague);
  await page.getByRole('link', { name: 'Inbox' }).waitFor();
  await openConversation(page);
  await log().getByText('Is the oak table still there?').waitFor();
  expect(await log().getByText('For the eyes of one').count()).toBe(0);
  await page.getByRole('button', { name: /Bo Agent, .*: menu/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await timesSent('For the eyes of one')).toBe(0);

  await signIn(page, OWNER);
  await arrives('For the eyes of one');
  expect(await timesSent('For the eyes of one')).toBe(1);
});
