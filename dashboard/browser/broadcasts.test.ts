/** Broadcasts: from the wizard to a finished broadcast, and what a second person sees of it. */
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { seriousFindings } from './axe';
import { choose, eventually, useScene } from './scene';

const PHONE = {
  colorScheme: 'dark' as const,
  viewport: { width: 390, height: 800 },
  isMobile: true,
  hasTouch: true,
};

interface Broadcast {
  id: string;
  name: string;
  status: string;
  scheduled_at: string | null;
  counts: Record<'total' | 'sent' | 'delivered' | 'replied' | 'failed', number>;
}

const scene = useScene();
let page: Page;
let agent: Page;
let audiences = 0;

const named = async (name: string) =>
  (await scene.server.api<Broadcast[]>('GET', `/broadcasts?q=${encodeURIComponent(name)}`)).filter(
    (each) => each.name === name,
  );
const numbers = (count: number, from: number) =>
  Array.from({ length: count }, (_, index) => `+1650${from + index}`);
const start = (name: string, phones: string[]) =>
  scene.server.api('POST', '/broadcasts', {
    name,
    template: { name: 'hello_world' },
    audience: { type: 'phones', phones },
  });
/** Waits until a broadcast is over: what it still receives would belong to the next test. */
const isOver = (name: string, delivered: number) =>
  eventually(
    () => named(name),
    ([broadcast]) => broadcast?.counts.delivered === delivered,
  );
const faults = (list: unknown[]) => scene.server.sandbox('PUT', '/faults', { faults: list });
const fits = async (at: Page) =>
  expect(await at.evaluate(() => document.documentElement.scrollWidth)).toBe(at.viewportSize()?.width);

/** The figure under a word of the funnel. */
const figure = (at: Page, step: string, count: number) =>
  at
    .locator('dl > div')
    .filter({ has: at.getByText(step, { exact: true }) })
    .getByText(String(count), { exact: true })
    .waitFor();

async function chooseTemplate(at: Page, name: string): Promise<void> {
  await at.getByLabel('Template', { exact: true }).fill(name);
  await at.getByRole('option', { name: `${name} (en_US)` }).click();
}

/** Contacts of one test alone, with a tag of their own: Ann, one without a name, one without a number, one who opted out. */
async function audience() {
  const { server } = scene;
  audiences += 1;
  const number = (last: number) => `+49151123${String(audiences).padStart(3, '0')}0${last}`;
  const tag = `Tag ${audiences}`;
  const { id } = await server.api('POST', '/tags', { name: tag, color: '#b45309' });
  const contact = (more: object) => server.api('POST', '/contacts', { ...more, tag_ids: [id] });
  const [ann, unnamed] = [number(1), number(2)];
  await contact({ name: 'Ann Weber', phone: ann });
  await contact({ phone: unnamed });
  await contact({ name: 'No Number', email: `no${audiences}@example.com` });
  const gone = await contact({ name: 'Out', phone: number(3) });
  await server.api('PUT', `/contacts/${gone.id}/opt-out`, {});
  return { tag, ann, unnamed, own: number(9) };
}

beforeAll(async () => {
  await scene.server.silenceAssistants();
  page = await scene.owner();
  agent = await scene.member('Mia Agent', 'mia@example.com');
});
afterEach(() => scene.server.sandbox('DELETE', '/faults'));

it('goes from the wizard to a finished broadcast, that a second person sees in the list', async () => {
  const { tag, ann, unnamed, own } = await audience();
  await agent.goto('/app/broadcasts');
  await agent.getByRole('heading', { name: 'Broadcasts', level: 1 }).waitFor();
  await page.goto('/app/broadcasts');
  await page.getByRole('link', { name: 'New broadcast' }).first().click();
  await page.getByLabel('Name', { exact: true }).fill('Appointments');
  await page.getByRole('radio', { name: /By tags/ }).check();
  await page.getByRole('button', { name: 'Add a tag' }).click();
  await page.getByRole('menuitemcheckbox', { name: tag }).click();
  await page.keyboard.press('Escape');
  await page.getByText('2 people').waitFor();
  await page.getByText('1 has opted out').waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Next: Message' }).click();
  await chooseTemplate(page, 'appointment_reminder');
  const first = page.getByRole('group', { name: 'Value for {{1}}' });
  await choose(first.getByLabel('Comes from'), 'Name');
  await first.getByLabel('If it is empty').fill('friend');
  await page.getByRole('group', { name: 'Value for {{2}}' }).getByLabel('Text').fill('Monday');

  // What was entered survives a reload.
  await page.reload();
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Appointments');
  await page.getByRole('button', { name: 'Next: Message' }).click();
  const preview = page.getByRole('region', { name: 'Preview' });
  await choose(page.getByLabel('Preview for'), 'Ann Weber');
  await preview.getByText('Hi Ann Weber, this is a reminder of your appointment on Monday.').waitFor();
  await choose(page.getByLabel('Preview for'), unnamed);
  await preview.getByText('Hi friend,').waitFor();
  await page.getByLabel('Your WhatsApp number').fill(own);
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText('Sent. Look at your phone.').waitFor();
  await eventually(
    () => scene.server.sentTo(own),
    (sent) => sent.length === 1 && sent[0]?.text?.includes('Hi friend') === true,
  );
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Next: Check and send' }).click();
  await page.getByLabel('Price of a message (Utility)').fill('0.08');
  await page.getByText('At most €0.16').waitFor();
  await page.getByText('less than a minute').waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Send now' }).click();

  await page.getByRole('heading', { name: 'Appointments' }).waitFor();
  await page.getByText('2 of 2 processed').waitFor();
  await agent.getByRole('link', { name: 'Appointments' }).waitFor();
  expect((await scene.server.sentTo(ann)).map(({ text }) => text)).toEqual([
    'Hi Ann Weber, this is a reminder of your appointment on Monday.',
  ]);
  expect((await scene.server.sentTo(unnamed)).map(({ text }) => text)).toEqual([
    'Hi friend, this is a reminder of your appointment on Monday.',
  ]);
  await isOver('Appointments', 2);
});

it('shows a second person its replies as they come, and nothing to press', async () => {
  const { ann, unnamed } = await audience();
  const { id } = await start('Hello', [ann, unnamed]);
  await agent.goto(`/app/broadcasts/${id}`);
  await figure(agent, 'Delivered', 2);
  await scene.server.customerSays(ann, { text: 'I will be there.' });
  await figure(agent, 'Replied', 1);
  // The row of the list has changed as well.
  const row = agent.getByRole('listitem').filter({ hasText: 'Ann Weber' });
  await row.getByText('Replied').waitFor();
  expect(await agent.getByRole('button', { name: /^Stop$|Retry|Copy/ }).count()).toBe(0);
  const headers = { origin: scene.server.url };
  for (const path of [`/${id}/cancel`, `/${id}/retry`, ''])
    expect((await agent.request.post(`/app/api/v1/broadcasts${path}`, { data: {}, headers })).status()).toBe(
      403,
    );
  expect(await seriousFindings(agent)).toEqual([]);
});

it('creates one broadcast when the response is lost and the page is reloaded', async () => {
  await page.goto('/app/broadcasts/new?template=hello_world&language=en_US');
  await page.getByLabel('Name', { exact: true }).fill('Once only');
  await page.getByRole('radio', { name: /list of numbers/ }).check();
  await page.getByLabel('Phone numbers', { exact: true }).fill(numbers(2, 4_000_000).join('\n'));
  await page.getByRole('button', { name: /Check and send/ }).click();
  await page.route('**/app/api/v1/broadcasts', async (route) => {
    if (route.request().method() !== 'POST') return route.fallback();
    await route.fetch();
    await route.abort();
  });
  await page.getByRole('button', { name: 'Send now' }).click();
  await page.getByRole('alert').getByText('The server cannot be reached').waitFor();
  await page.unroute('**/app/api/v1/broadcasts');
  await page.goto('/app/broadcasts/new');
  await page.getByRole('button', { name: /Check and send/ }).click();
  await page.getByRole('button', { name: 'Send now' }).click();
  await page.getByRole('heading', { name: 'Once only' }).waitFor();
  await page.getByText('2 of 2 processed').waitFor();
  expect(await named('Once only')).toHaveLength(1);
  for (const phone of numbers(2, 4_000_000)) expect(await scene.server.sentTo(phone)).toHaveLength(1);
  await isOver('Once only', 2);
});

it('stops while it is being sent, and a second person sees both', async () => {
  await faults([{ on: 'send', kind: 'delay', millis: 300 }]);
  const { id } = await start('Too early', numbers(600, 5_000_000));
  await agent.goto(`/app/broadcasts/${id}`);
  await page.goto(`/app/broadcasts/${id}`);
  await agent.getByText(/^[1-9]\d* of 600 processed/).waitFor();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stop', exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await scene.server.sandbox('DELETE', '/faults');
  await agent.getByText('Sent', { exact: true }).first().waitFor();
  const [stopped] = await named('Too early');
  expect(stopped?.status).toBe('sent');
  expect(stopped?.counts.sent).toBeLessThan(600);
  await agent.getByRole('button', { name: 'Stopped' }).click();
  await agent.getByRole('list', { name: 'Recipients' }).getByText('Stopped').first().waitFor();
  await eventually(
    () => named('Too early'),
    ([now]) => now !== undefined && now.counts.delivered === now.counts.sent,
  );
});

it('names a failure by its reason and retries it', async () => {
  await faults([{ on: 'webhook', kind: 'error', code: 130_429, times: 1 }]);
  const { id } = await start('Second try', numbers(3, 6_000_000));
  await page.goto(`/app/broadcasts/${id}`);
  await page.getByRole('heading', { name: 'Failures by reason' }).waitFor();
  await page.getByText('Can be retried').waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Retry failed' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Retry failed' }).click();
  await page.getByRole('heading', { name: 'Failures by reason' }).waitFor({ state: 'detached' });
  await figure(page, 'Delivered', 3);
});

it('says what failed, and goes on when it is tried again', async () => {
  await start('In the list', numbers(1, 6_500_000));
  await isOver('In the list', 1);
  await page.route('**/app/api/v1/broadcasts?**', (route) => route.abort());
  await page.goto('/app/broadcasts');
  await page.getByRole('alert').getByText('The server cannot be reached').waitFor();
  await page.unroute('**/app/api/v1/broadcasts?**');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('link', { name: 'In the list' }).waitFor();
});

it('copies a broadcast, and schedules it by the keyboard alone', async () => {
  const { id } = await start('May', numbers(2, 7_000_000));
  await isOver('May', 2);
  await page.goto(`/app/broadcasts/${id}`);
  await page.getByRole('link', { name: 'Copy' }).focus();
  await page.keyboard.press('Enter');
  const name = page.getByLabel('Name', { exact: true });
  await name.waitFor();
  expect(await name.inputValue()).toBe('Copy of May');
  await name.focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowDown');
  // The numbers are contacts by now, who are chosen one by one in the copy.
  expect(await page.getByRole('radio', { name: /list of numbers/ }).isChecked()).toBe(true);
  await page.keyboard.press('ArrowUp');
  for (const step of ['Next: Message', 'Next: Check and send']) {
    await page.getByRole('button', { name: step }).focus();
    await page.keyboard.press('Enter');
    // The focus is at the beginning of the step.
    await eventually(
      () => page.evaluate(() => document.activeElement?.tagName),
      (tag) => tag === 'H2',
    );
  }
  await page.getByRole('radio', { name: 'Now' }).focus();
  await page.keyboard.press('ArrowDown');
  await page.getByLabel(/^Date and time/).waitFor();
  await page.getByRole('button', { name: 'Schedule' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Copy of May' }).waitFor();
  await page.getByText('Scheduled', { exact: true }).waitFor();
  const [scheduled] = await named('Copy of May');
  expect(scheduled?.status).toBe('scheduled');
  await page.getByRole('button', { name: 'Cancel the schedule' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the schedule' }).click();
  await page.getByText('Draft', { exact: true }).waitFor();
});

it('fits a phone, from the list to the last step', async () => {
  await start('On a phone', numbers(2, 8_000_000));
  const phone = await scene.owner(PHONE);
  await phone.getByRole('button', { name: 'More', exact: true }).tap();
  await phone.getByRole('menuitem', { name: 'Broadcasts' }).tap();
  await phone.getByRole('link', { name: 'On a phone' }).waitFor();
  await fits(phone);
  await phone.getByRole('link', { name: 'On a phone' }).tap();
  await figure(phone, 'Delivered', 2);
  await fits(phone);
  expect(await seriousFindings(phone)).toEqual([]);
  await phone.goto('/app/templates');
  await phone.getByRole('heading', { name: 'hello_world' }).waitFor();
  await fits(phone);
  await phone.getByRole('link', { name: /^Use in a broadcast hello_world/ }).tap();
  for (const step of ['Next: Message', 'Next: Check and send']) {
    await fits(phone);
    await phone.getByRole('button', { name: step }).tap();
  }
  await phone.getByText('This is still missing:').waitFor();
  await fits(phone);
  expect(await seriousFindings(phone)).toEqual([]);
});

it('keeps few rows of a hundred thousand recipients in the page, and reads only those in view again', async () => {
  const TOTAL = 100_000;
  const { id } = await start('Everybody', numbers(1, 9_000_000));
  await isOver('Everybody', 1);
  let sent = 0;
  const asked: string[] = [];
  await page.route(`**/app/api/v1/broadcasts/${id}`, async (route) => {
    const answer = await (await route.fetch()).json();
    sent += 500;
    const counts = { ...answer.data.counts, total: TOTAL, sent, failed: 0 };
    await route.fulfill({ json: { data: { ...answer.data, status: 'sending', counts } } });
  });
  await page.route(`**/app/api/v1/broadcasts/${id}/recipients?**`, async (route) => {
    const from = Number(new URL(route.request().url()).searchParams.get('cursor') ?? 0);
    asked.push(String(from));
    const at = '2026-01-31T09:30:00.000Z';
    const data = Array.from({ length: 100 }, (_, index) => ({
      id: `r${from + index}`,
      contact_id: null,
      phone: `+1650${1_000_000 + from + index}`,
      message_id: null,
      status: from + index < sent ? 'sent' : 'pending',
      error: null,
      created_at: at,
      updated_at: at,
    }));
    const next = from + 100 < TOTAL ? String(from + 100) : null;
    await route.fulfill({ json: { data, meta: { next_cursor: next, has_more: next !== null, limit: 100 } } });
  });
  await page.goto(`/app/broadcasts/${id}`);
  const list = page.getByRole('list', { name: 'Recipients' });
  await list.waitFor();
  for (let pages = 1; pages <= 20; pages += 1) {
    await list.evaluate((rows) => rows.parentElement?.scrollTo(0, rows.scrollHeight));
    await eventually(async () => asked.includes(String(pages * 100)), Boolean);
  }
  expect(await list.getByRole('listitem').count()).toBeLessThan(60);
  // The page in view is read again as the counts change, and no other.
  asked.length = 0;
  await eventually(
    async () => asked.length,
    (count) => count >= 2,
  );
  expect(asked.every((from) => Number(from) >= 1_700)).toBe(true);
  await page.unrouteAll();
});
