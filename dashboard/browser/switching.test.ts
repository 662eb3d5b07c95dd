/** Going from one conversation to the next. */
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Customer, eventually, useScene } from './scene';

const scene = useScene();
let page: Page;
/** Three customers of one test, from the top of the list: the newest is first. */
let top: Customer;
let second: Customer;
let third: Customer;
/** The conversations whose messages were asked for, in order. */
let threads: string[] = [];

const heading = (name: string) =>
  page.getByRole('region', { name: 'Conversation', exact: true }).getByRole('heading', { name });
const log = () => page.getByRole('log', { name: 'Messages' });
const panel = () => page.getByRole('complementary', { name: 'Contact' });
const blur = () => page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());

beforeAll(() => scene.server.silenceAssistants());

beforeEach(async () => {
  third = await scene.customer('Third from the top.');
  second = await scene.customer('Second from the top.');
  top = await scene.customer('On top.');
  threads = [];
  // A page that was open meanwhile would read ahead as well.
  page = await scene.owner();
  page.on('request', (request) => {
    const found = /conversations\/([^/]+)\/messages/.exec(request.url());
    if (found?.[1]) threads.push(found[1]);
  });
  await open(top);
  await log().getByText('On top.').waitFor();
  await blur();
});

afterEach(() => page.context().close());

async function open({ name }: Customer): Promise<void> {
  await page.getByRole('link', { name, exact: true }).click();
  await heading(name).waitFor();
}

it('opens the next conversation without asking for its messages', async () => {
  await eventually(
    () => Promise.resolve(threads),
    (asked) => asked.length === 3,
  );
  await page.keyboard.press('j');
  await heading(second.name).waitFor();
  await log().getByText('Second from the top.').waitFor();
  await panel().getByText(second.name).waitFor();
  // Each of the three was read once: the open one, and two ahead.
  for (const { conversationId } of [top, second, third]) {
    expect(threads.filter((id) => id === conversationId)).toHaveLength(1);
  }
});

it('shows in a thread that was read ahead what came since', async () => {
  await scene.server.customerSays(third.phone, { text: 'And another thing.' });
  // The row moves to the top with the message.
  await page.getByText('And another thing.').waitFor();
  await open(third);
  await log().getByText('Third from the top.').waitFor();
  expect(await log().getByText('And another thing.').count()).toBe(1);
});

it('starts each conversation with a reply, not with the note of the one before', async () => {
  await page.getByRole('tab', { name: 'Private note' }).click();
  await blur();
  await page.keyboard.press('j');
  await heading(second.name).waitFor();
  await page.getByLabel('Reply to the customer').waitFor();
  expect(await page.getByLabel('Reply to the customer').inputValue()).toBe('');
});

it('goes one row further with each key, before the pages have changed', async () => {
  await page.route(/\/messages/, async (route) => {
    await new Promise((done) => setTimeout(done, 100));
    await route.continue();
  });
  await page.evaluate(() => {
    const press = () =>
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', code: 'KeyJ', bubbles: true }));
    press();
    press();
  });
  await heading(third.name).waitFor();
  await log().getByText('Third from the top.').waitFor();
});
