/**
 * Every page, light and dark: nothing that axe finds serious, and nothing that does not fit phones and half a screen. Also for
 * agents, who have fewer buttons, and in German, whose words are longer.
 */
import type { Page, Request } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { findingsBeyondColors, seriousFindings } from './axe';
import { misfits } from './fits';
import { ADMIN_PAGES, PAGES } from './pages';
import { eventually, useScene } from './scene';

const ANN = '+4915112345601';
const PHONE = { width: 360, height: 740 };
/** A usual phone, and a tablet or half a screen. */
const WIDTHS = [390, 800];

const scene = useScene();
const paths: Record<string, string> = { ...PAGES };
const NAMES = [
  ...Object.keys(PAGES),
  'conversation',
  'contact',
  'deal',
  'inquiry',
  'run',
  'web chat',
  'form',
  'assistant',
  'endpoint',
  'segment',
  'broadcast',
  'trigger',
];
/** Of which an agent sees more than that it is for admins only. */
const AGENT_NAMES = NAMES.filter((name) => !ADMIN_PAGES.has(name));
const DESKTOP = { width: 1280, height: 800 };
let desktop: Page;
let phone: Page;

beforeAll(async () => {
  const { server } = scene;
  const tag = await server.api('POST', '/tags', { name: 'VIP', color: '#b45309' });
  const contact = await server.api('POST', '/contacts', { name: 'Ann Weber', phone: ANN, tag_ids: [tag.id] });
  await server.customerSays(ANN, {
    text: 'See https://shop.example.com/table?size=very-long-address-that-does-not-break',
  });
  await server.customerSays(ANN, { media: { kind: 'image' } });
  const deal = await server.api('POST', '/deals', {
    title: 'Oak table',
    value: 4_200,
    currency: 'EUR',
    contact_id: contact.id,
    ...(await server.firstStage()),
  });
  const inquiry = await server.api('POST', '/inquiries', {
    name: 'Jo Park',
    email: 'jo@example.com',
    message: 'A quote for twelve desks, please.',
  });
  await server.api('POST', '/custom-fields', { name: 'Order number', type: 'text' });
  await server.api('POST', '/canned-replies', { shortcut: 'hours', body: 'We open at nine.' });
  const [conversation] = await server.api<Array<{ id: string }>>('GET', '/conversations');
  paths.conversation = `/inbox/${conversation?.id}`;
  paths.contact = `/contacts/${contact.id}`;
  paths.deal = `/deals/${deal.id}`;
  paths.inquiry = `/inquiries/${inquiry.id}`;
  const [assistant] = await server.api<Array<{ id: string }>>('GET', '/assistants');
  paths.assistant = `/assistants/${assistant?.id}`;
  const endpoint = await server.api('POST', '/webhooks', { url: 'https://example.com/hook', enabled: false });
  paths.endpoint = `/developers/webhooks/${endpoint.id}`;
  const chat = JSON.parse(server.cli('--json', 'channel', 'connect', '--channel', 'web_chat')) as {
    connection_id: string;
  };
  paths['web chat'] = `/settings/channels/${chat.connection_id}`;
  const form = JSON.parse(server.cli('--json', 'form', 'create', '--name', 'Contact us')) as {
    form_id: string;
  };
  paths.form = `/settings/forms/${form.form_id}`;
  const segment = await server.api('POST', '/segments', {
    name: 'VIPs',
    match: 'all',
    rules: [{ field: 'tag', op: 'is', value: tag.id }],
  });
  paths.segment = `/segments/${segment.id}`;
  const broadcast = await server.api('POST', '/broadcasts', {
    name: 'Open house on Saturday',
    template: { name: 'hello_world' },
    audience: { type: 'phones', phones: ['+16505550101', '+16505550102'] },
  });
  paths.broadcast = `/broadcasts/${broadcast.id}`;
  // Its page would change while it is looked at.
  await eventually(
    () => server.api<{ status: string }>('GET', `/broadcasts/${broadcast.id}`),
    ({ status }) => status === 'sent',
  );
  const { trigger } = await server.api<{ trigger: { id: string } }>('POST', '/triggers', {
    name: 'Thank VIPs every Monday',
    goal: 'Thank the customer.',
    assistant_id: assistant?.id,
    kind: 'recurring',
    period: 'weekly',
    day_of_week: 1,
    send_time: '09:00',
    audience_type: 'segment',
    segment_id: segment.id,
  });
  paths.trigger = `/triggers/${trigger.id}`;
  const [run] = await eventually(
    () => server.api<Array<{ id: string }>>('GET', '/runs'),
    (runs) => runs.length > 0,
  );
  paths.run = `/runs/${run?.id}`;
  desktop = await scene.owner();
  phone = await scene.owner({ viewport: PHONE, isMobile: true, hasTouch: true });
});

/** Goes to a page and waits until it has everything, and nothing moves. */
async function visit(page: Page, path: string): Promise<void> {
  const open = new Set<Request>();
  const begin = (request: Request) => !request.url().endsWith('/stream') && open.add(request);
  const end = (request: Request) => open.delete(request);
  page.on('request', begin).on('requestfinished', end).on('requestfailed', end);
  await page.goto(`/app${path}`);
  await page.locator('main').waitFor();
  await page
    .getByText(/^(Loading…|Wird geladen …)$/)
    .first()
    .waitFor({ state: 'hidden' });
  await eventually(
    () => page.evaluate(nothingMoves),
    (isStill) => isStill && open.size === 0,
  );
  page.off('request', begin).off('requestfinished', end).off('requestfailed', end);
}

/** After the next frame, so that what was just loaded is drawn. */
const nothingMoves = () =>
  new Promise<boolean>((done) =>
    requestAnimationFrame(() =>
      setTimeout(() => done(document.getAnimations().every(({ playState }) => playState !== 'running'))),
    ),
  );

/** What axe finds in light colours, and what the dark ones change. */
async function findings(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' });
  await eventually(() => page.evaluate(nothingMoves), Boolean);
  const inLight = await seriousFindings(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await eventually(() => page.evaluate(nothingMoves), Boolean);
  const inDark = await seriousFindings(page, ['color-contrast']);
  return [...inLight, ...inDark.map((finding) => `dark: ${finding}`)];
}

it.each(NAMES)('the page “%s” has no serious finding and fits a narrow phone', async (name) => {
  await visit(desktop, paths[name] ?? '');
  expect(await findings(desktop)).toEqual([]);
  await visit(phone, paths[name] ?? '');
  expect(await misfits(phone)).toEqual([]);
  for (const width of WIDTHS) {
    await phone.setViewportSize({ width, height: PHONE.height });
    await eventually(() => phone.evaluate(nothingMoves), Boolean);
    expect(await misfits(phone), `${width} pixels wide`).toEqual([]);
  }
  await phone.setViewportSize(PHONE);
});

it('no page of an agent has a serious finding, and all fit a narrow phone', async () => {
  const agent = await scene.signedIn(await scene.login('Al Agent'));
  const wrong: string[] = [];
  for (const name of AGENT_NAMES) {
    await agent.setViewportSize(DESKTOP);
    await visit(agent, paths[name] ?? '');
    const found = await findingsBeyondColors(agent);
    await agent.setViewportSize(PHONE);
    await eventually(() => agent.evaluate(nothingMoves), Boolean);
    wrong.push(...[...found, ...(await misfits(agent))].map((what) => `${name}: ${what}`));
  }
  expect(wrong).toEqual([]);
  await agent.context().close();
});

it('no page in German has a serious finding, and all fit a narrow phone', async () => {
  const german = await scene.owner({ viewport: PHONE, isMobile: true, hasTouch: true });
  await german.evaluate(() => localStorage.setItem('frontdesk.language', 'de'));
  const wrong: string[] = [];
  for (const name of NAMES) {
    await visit(german, paths[name] ?? '');
    const found = [...(await misfits(german)), ...(await findingsBeyondColors(german))];
    wrong.push(...found.map((what) => `${name}: ${what}`));
  }
  expect(await german.locator('html').getAttribute('lang')).toBe('de');
  expect(wrong).toEqual([]);
  await german.context().close();
});

const SIGNED_OUT = ['/sign-in', '/lost-password', '/password#token=none', '/password', '/nowhere'];
it.each(SIGNED_OUT.map((path) => `/app${path}`))('%s has no serious finding before sign-in', async (path) => {
  const page = await scene.open();
  await page.goto(path);
  await page.getByRole('heading').first().waitFor();
  expect(await findings(page)).toEqual([]);
  await page.context().close();
});

it.each([
  ['a rail', 800],
  ['a rail in a wider window', 1200],
  ['words', 1440],
])('the main menu as %s fits a window 800 pixels high', async (_, width) => {
  const page = await scene.owner({ viewport: { width, height: 800 } });
  await page.goto('/app/first-steps');
  const menu = page.getByRole('navigation', { name: 'Main menu' });
  await menu.getByRole('link', { name: 'First steps' }).waitFor();
  const hidden = await menu.evaluate((nav) =>
    Math.max(...[nav, ...nav.children].map((part) => part.scrollHeight - part.clientHeight)),
  );
  expect(hidden).toBeLessThanOrEqual(0);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  await page.context().close();
});

it('speaks German as well', async () => {
  const page = await scene.open({ locale: 'de-DE' });
  await page.goto('/app');
  await page.getByRole('button', { name: 'Anmelden' }).waitFor();
  expect(await page.locator('html').getAttribute('lang')).toBe('de');
});
