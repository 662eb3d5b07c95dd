/** Going from one conversation to the next. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { eventually, useScene } from './scene';

const ANN = '+4915112345601';
const BEN = '+14155550111';
const CHRIS = '+14155550112';

const scene = useScene();
let page: Page;
/** The conversations whose messages were asked for, in order. */
const threads: string[] = [];

const heading = (name: string) =>
  page.getByRole('region', { name: 'Conversation', exact: true }).getByRole('heading', { name });
const log = () => page.getByRole('log', { name: 'Messages' });
const panel = () => page.getByRole('complementary', { name: 'Contact' });
const openId = () => page.url().split('/').at(-1) ?? '';
const blur = () => page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());

beforeAll(async () => {
  const { server } = scene;
  for (const { id } of await server.api<Array<{ id: string }>>('GET', '/assistants')) {
    await server.api('PATCH', `/assistants/${id}`, { enabled: false });
  }
  // The newest is on top.
  await server.customerSays(CHRIS, { name: 'Chris Cole', text: 'Third from the top.' });
  await server.customerSays(BEN, { name: 'Ben Bell', text: 'Second from the top.' });
  await server.customerSays(ANN, { name: 'Ann Weber', text: 'On top.' });
  page = await scene.owner();
  page.on('request', (request) => {
    const found = /conversations\/([^/]+)\/messages/.exec(request.url());
    if (found?.[1]) threads.push(found[1]);
  });
  await page.getByRole('link', { name: 'Ann Weber', exact: true }).click();
  await log().getByText('On top.').waitFor();
  await blur();
});

it('opens the next conversation without asking for its messages', async () => {
  await eventually(
    () => Promise.resolve(threads),
    (asked) => asked.length === 3,
  );
  await page.keyboard.press('j');
  await heading('Ben Bell').waitFor();
  await log().getByText('Second from the top.').waitFor();
  await panel().getByText('Ben Bell').waitFor();
  expect(threads.filter((id) => id === openId())).toHaveLength(1);
  // Each of the three was read once: the open one, and two ahead.
  expect(new Set(threads).size).toBe(3);
  expect(threads).toHaveLength(3);
});

it('shows in a thread that was read ahead what came since', async () => {
  await scene.server.customerSays(CHRIS, { text: 'And another thing.' });
  // The row moves to the top with the message.
  await page.getByText('And another thing.').waitFor();
  await page.getByRole('link', { name: 'Chris Cole', exact: true }).click();
  await heading('Chris Cole').waitFor();
  await log().getByText('Third from the top.').waitFor();
  expect(await log().getByText('And another thing.').count()).toBe(1);
});

it('starts each conversation with a reply, not with the note of the one before', async () => {
  await page.getByRole('tab', { name: 'Private note' }).click();
  await blur();
  await page.keyboard.press('j');
  await heading('Ann Weber').waitFor();
  await page.getByLabel('Reply to the customer').waitFor();
  expect(await page.getByLabel('Reply to the customer').inputValue()).toBe('');
});

it('goes one row further with each key, before the pages have changed', async () => {
  await page.goto('/app/inbox');
  await page.getByRole('link', { name: 'Chris Cole', exact: true }).click();
  await heading('Chris Cole').waitFor();
  await blur();
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
  await heading('Ben Bell').waitFor();
  await log().getByText('Second from the top.').waitFor();
});
