/** A page that is open while hundreds of customers write at once. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { eventually, useScene } from './scene';

const CUSTOMERS = 400;
const WRITERS = 8;
/** Counts are read once a second, and a list that has grown too long from its top. */
const REQUESTS_MAX = 60;

const scene = useScene();
let page: Page;
/** What the page asked the server for while the customers wrote. */
let asked: string[] = [];

beforeAll(async () => {
  await scene.server.silenceAssistants();
  page = await scene.owner();
  const requests: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/app/api')) requests.push(`${request.method()} ${pathname}`);
  });
  let next = 0;
  const write = async () => {
    while (next < CUSTOMERS) {
      const number = next;
      next += 1;
      const phone = `+1202555${String(number).padStart(4, '0')}`;
      await scene.server.customerSays(phone, {
        name: `Customer ${number}`,
        text: `Message number ${number}.`,
      });
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
  await page.waitForFunction((count) => document.title.startsWith(`(${count})`), CUSTOMERS);
  asked = [...requests];
});

it('shows every customer and asks the server for little', async () => {
  const [newest] = await scene.server.api<Array<{ last_message_text: string }>>(
    'GET',
    '/conversations?limit=1',
  );
  await page.getByText(newest?.last_message_text ?? '').waitFor();
  expect(asked.length).toBeLessThan(REQUESTS_MAX);
  // No row is asked for by itself: the stream brings it.
  expect(asked.filter((request) => /GET \/app\/api\/inbox\/[0-9a-f-]{36}$/.test(request))).toEqual([]);
});

it('shows a message to an old conversation at the top', async () => {
  await scene.server.customerSays('+12025550000', { text: 'It is me again.' });
  await page.getByText('It is me again.').waitFor();
  const first = page.getByRole('region', { name: 'Conversations' }).getByRole('listitem').first();
  await eventually(
    () => first.textContent(),
    (text) => text?.includes('Customer 0') === true,
  );
});
