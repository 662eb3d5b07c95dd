/** The chat widget on a website: its settings, its visitors, and what happens between them and the inbox. */
import { createHmac } from 'node:crypto';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { seriousFindings } from './axe';
import { misfits } from './fits';
import { eventually, useScene } from './scene';
import { useWebsites } from './websites';

/** One red pixel. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);
const PHONE = { width: 390, height: 740 };

interface Conversation {
  id: string;
  contact_id: string;
  last_message_text: string | null;
}

interface Message {
  id: string;
  type: string;
  text: string | null;
  media_url: string | null;
  direction: string;
}

const scene = useScene();
const website = useWebsites();
let owner: Page;
let connection = '';
let shop = '';

const launcher = (on: Page) => on.getByRole('button', { name: /Chat with us|Chatten Sie mit uns/ });
const panel = (on: Page) => on.getByRole('dialog');
const field = (on: Page) => panel(on).getByLabel(/Your message|Ihre Nachricht/);
const log = (on: Page) => panel(on).getByRole('log');
const badge = (on: Page) => launcher(on).getByText(/new$/);

/** Calls a route of the dashboard with the owner's session. */
function admin<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
  return owner.evaluate(
    async ({ method, path, body }) => {
      const headers = { 'content-type': 'application/json' };
      const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
      const response = await fetch(`/app/api/admin${path}`, init);
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return (await response.json()).data;
    },
    { method, path, body },
  ) as Promise<T>;
}

const settle = (settings: object) => admin('PUT', `/connections/${connection}/widget`, settings);
const snippet = (attributes = '') =>
  `<script src="${scene.server.url}/widget.js" data-connection="${connection}" ${attributes} async></script>`;

/** A visitor of their own, at the shop. */
async function visit(options: BrowserContextOptions = {}, url = shop): Promise<Page> {
  const page = await scene.open(options);
  await page.goto(url);
  await launcher(page).waitFor();
  return page;
}

async function say(page: Page, text: string): Promise<Conversation> {
  if (await panel(page).isHidden()) await launcher(page).click();
  await field(page).fill(text);
  await field(page).press('Enter');
  return conversationOf(text);
}

const conversations = () =>
  scene.server.api<Conversation[]>('GET', '/conversations?channel=web_chat&limit=100');

async function conversationOf(text: string): Promise<Conversation> {
  const found = await eventually(conversations, (all) => all.some((one) => one.last_message_text === text));
  return found.find((one) => one.last_message_text === text) as Conversation;
}

const messagesOf = ({ id }: Conversation) =>
  scene.server.api<Message[]>('GET', `/conversations/${id}/messages`);

function answer({ id }: Conversation, text: string): Promise<unknown> {
  return scene.server.api('POST', '/messages', { type: 'text', to: { conversation_id: id }, text });
}

/** What a test provoked is no problem. */
function expectProblem(what: string): void {
  const others = scene.problems.filter((one) => !one.includes(what));
  scene.problems.splice(0, scene.problems.length, ...others);
}

/** The focused element inside the widget. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const inside = document.activeElement?.shadowRoot?.activeElement;
    return inside?.getAttribute('aria-label') ?? inside?.textContent ?? '';
  });

beforeAll(async () => {
  await scene.server.silenceAssistants();
  const connected = scene.server.cli('--json', 'channel', 'connect', '--channel', 'web_chat');
  connection = (JSON.parse(connected) as { connection_id: string }).connection_id;
  shop = await website(() => snippet());
  owner = await scene.owner();
});

afterEach(async () => {
  await settle({});
});

describe('its settings', () => {
  it('has the brand of the account where it has nothing of its own', async () => {
    await admin('PATCH', '/brand', { name: 'Chairs & Co', color: '#ffd400' });
    await admin('PUT', '/brand/logo', { image: PICTURE.toString('base64') });
    const colors = (page: Page) =>
      panel(page)
        .locator('.head')
        .evaluate((head) => [getComputedStyle(head).backgroundColor, getComputedStyle(head).color]);
    const page = await visit();
    await launcher(page).click();
    await panel(page).getByRole('heading', { name: 'Chairs & Co' }).waitFor();
    expect(await colors(page)).toEqual(['rgb(255, 212, 0)', 'rgb(0, 0, 0)']);
    const logo = panel(page).locator('.logo');
    await eventually(
      () => logo.evaluate((image) => (image as HTMLImageElement).naturalWidth),
      (width) => width === 1,
    );
    await settle({ color: '#b45309', texts: { en: { title: 'Chat with us here' } } });
    const own = await visit();
    await launcher(own).click();
    await panel(own).getByRole('heading', { name: 'Chat with us here' }).waitFor();
    expect(await colors(own)).toEqual(['rgb(180, 83, 9)', 'rgb(255, 255, 255)']);
    await admin('PATCH', '/brand', { name: null, color: null });
    await admin('DELETE', '/brand/logo');
  });

  it('greets in the language of the visitor', async () => {
    const texts = { en: { greeting: 'How can we help?' }, de: { greeting: 'Wie können wir helfen?' } };
    await settle({ texts });
    const german = await visit({ locale: 'de-AT' });
    await german.getByRole('button', { name: 'Chatten Sie mit uns' }).click();
    await log(german).getByText('Wie können wir helfen?').waitFor();
    await panel(german).getByRole('button', { name: 'Senden' }).waitFor();
    const french = await visit({ locale: 'fr-FR' });
    await french.getByRole('button', { name: 'Chat with us' }).click();
    await log(french).getByText('How can we help?').waitFor();
    // The page and the account may say otherwise.
    const page = await visit({ locale: 'en-US' }, await website(() => snippet('data-language="de"')));
    await page.getByRole('button', { name: 'Chatten Sie mit uns' }).waitFor();
    await settle({ language: 'en', texts: { de: { greeting: 'Nur auf Deutsch' } } });
    const other = await visit({ locale: 'de-DE' });
    await other.getByRole('button', { name: 'Chat with us' }).click();
    await log(other).getByText('Nur auf Deutsch').waitFor();
  });

  it('has the colour, the theme and the place that were chosen', async () => {
    await settle({
      color: '#ffd400',
      theme: 'dark',
      position: 'left',
      texts: { en: { title: 'Chat with us!' } },
    });
    const page = await visit({ colorScheme: 'light' });
    const look = await launcher(page).evaluate((button) => {
      const { backgroundColor, color } = getComputedStyle(button);
      return { backgroundColor, color, left: button.getBoundingClientRect().left };
    });
    expect(look).toEqual({ backgroundColor: 'rgb(255, 212, 0)', color: 'rgb(0, 0, 0)', left: 16 });
    await launcher(page).click();
    expect((await panel(page).boundingBox())?.x).toBe(16);
    expect(await panel(page).evaluate((it) => getComputedStyle(it).backgroundColor)).toBe('rgb(27, 30, 35)');
    await panel(page).getByRole('heading', { name: 'Chat with us!' }).waitFor();
  });

  it('asks for name and email first, by keyboard alone', async () => {
    await settle({ ask_name: 'optional', ask_email: 'required' });
    const page = await visit();
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Chat with us');
    await page.keyboard.press('Enter');
    await panel(page).getByText('Before we begin').waitFor();
    expect(await field(page).isVisible()).toBe(false);
    await page.keyboard.type('Ann <b>Able</b>');
    await page.keyboard.press('Enter');
    // The address is missing.
    expect(await field(page).isVisible()).toBe(false);
    // The browser has moved on to it.
    await page.keyboard.type('ann@example.com');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Asked first');
    await page.keyboard.press('Enter');
    const { contact_id: id } = await conversationOf('Asked first');
    const contact = await scene.server.api<{ name: string; email: string }>('GET', `/contacts/${id}`);
    expect(contact).toMatchObject({ name: 'Ann <b>Able</b>', email: 'ann@example.com' });
    // Nobody is asked twice.
    await page.reload();
    await launcher(page).click();
    await log(page).getByText('Asked first').waitFor();
    expect(await panel(page).getByText('Before we begin').isVisible()).toBe(false);
    await page.keyboard.press('Escape');
    expect(await focused(page)).toBe('Chat with us');
  });

  it('says when the team answers outside its hours', async () => {
    const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
    const tomorrow = days[(new Date().getUTCDay() + 1) % 7] ?? '';
    await admin('PATCH', '/account', {
      timezone: 'UTC',
      business_hours: { [tomorrow]: [['09:00', '17:00']] },
    });
    const page = await visit({ timezoneId: 'UTC' });
    await launcher(page).click();
    await panel(page)
      .getByText(/We answer tomorrow from 09:00/)
      .waitFor();
    const german = await visit({ timezoneId: 'UTC', locale: 'de-DE' });
    await launcher(german).click();
    await panel(german).getByText('Wir antworten morgen ab 09:00 Uhr.').waitFor();
    await settle({ texts: { en: { away: 'Back on Monday.' } } });
    const custom = await visit();
    await launcher(custom).click();
    await panel(custom).getByText('Back on Monday.').waitFor();
    await admin('PATCH', '/account', { business_hours: null });
    const open = await visit();
    await launcher(open).click();
    await field(open).waitFor();
    expect(
      await panel(open)
        .getByText(/We are not here/)
        .count(),
    ).toBe(0);
  });
});

describe('its visitors', () => {
  it('shows what is unread, and tells the page', async () => {
    const page = await visit();
    await page.evaluate(() => {
      const told: string[] = [];
      const { Frontdesk } = window as unknown as {
        Frontdesk: { on: (name: string, act: (it: unknown) => void) => () => void };
      };
      for (const name of ['open', 'close', 'sent', 'sound']) Frontdesk.on(name, () => told.push(name));
      Frontdesk.on('unread', (count) => told.push(`unread ${count}`));
      Frontdesk.on('message', (message) => told.push((message as { text: string }).text));
      Frontdesk.on('open', () => told.push('no more'))();
      Object.assign(window, { told });
    });
    const told = () => page.evaluate(() => (window as unknown as { told: string[] }).told);
    const conversation = await say(page, 'Is it unread?');
    await page.keyboard.press('Escape');
    await answer(conversation, 'It is.');
    await badge(page).waitFor();
    expect(await badge(page).textContent()).toBe('1 new');
    await answer(conversation, 'Very much.');
    await expect.poll(() => badge(page).textContent()).toBe('2 new');
    await page.evaluate(() => (window as unknown as { Frontdesk: { open: () => void } }).Frontdesk.open());
    await log(page).getByText('Very much.').waitFor();
    expect(await badge(page).isVisible()).toBe(false);
    await eventually(
      () => scene.server.api<Array<{ status: string }>>('GET', `/conversations/${conversation.id}/messages`),
      (all) => all.filter((one) => one.status === 'read').length === 2,
    );
    await page.evaluate(() => (window as unknown as { Frontdesk: { close: () => void } }).Frontdesk.close());
    expect(await told()).toEqual(
      expect.arrayContaining([
        'open',
        'sent',
        'close',
        'It is.',
        'unread 1',
        'unread 2',
        'unread 0',
        'sound',
      ]),
    );
    expect(await told()).not.toContain('no more');
    await page.reload();
    await launcher(page).waitFor();
    expect(await badge(page).isVisible()).toBe(false);
  });

  it('sends files and gets them', async () => {
    const page = await visit();
    const conversation = await say(page, 'Files, both ways');
    const chosen = panel(page).locator('input[type=file]');
    await chosen.setInputFiles([{ name: 'table.png', mimeType: 'image/png', buffer: PICTURE }]);
    const picture = panel(page).getByRole('img', { name: 'Open the image' });
    await expect.poll(() => picture.evaluate((shown: HTMLImageElement) => shown.naturalWidth)).toBe(1);
    const all = await eventually(
      () => messagesOf(conversation),
      (all) => all.some(({ type }) => type === 'image'),
    );
    const sent = all.find(({ type }) => type === 'image');
    const stored = await fetch(sent?.media_url ?? '');
    expect(Buffer.from(await stored.arrayBuffer())).toEqual(PICTURE);
    // What is not accepted is said where it stands.
    await chosen.setInputFiles([{ name: 'run.exe', mimeType: 'image/png', buffer: PICTURE }]);
    await panel(page).getByRole('alert').getByText('Files of this type are not accepted.').waitFor();
    await chosen.setInputFiles([
      { name: 'large.png', mimeType: 'image/png', buffer: Buffer.alloc(10 * 1024 * 1024 + 1) },
    ]);
    await panel(page).getByText('The file is larger than 10 MB.').waitFor();
    const file = new FormData();
    file.append('file', new Blob(['%PDF'], { type: 'application/pdf' }), 'offer.pdf');
    const uploaded = await fetch(`${scene.server.url}/api/v1/media`, {
      method: 'POST',
      headers: { authorization: `Bearer ${scene.server.key}` },
      body: file,
    });
    const { data } = (await uploaded.json()) as { data: { url: string } };
    const media = { kind: 'document', url: data.url };
    await scene.server.api('POST', '/messages', {
      type: 'media',
      to: { conversation_id: conversation.id },
      media,
    });
    await panel(page).getByRole('link', { name: 'offer.pdf' }).waitFor();
    // A member sees the picture in the inbox.
    await owner.goto(`/app/inbox/${conversation.id}`);
    await owner.getByRole('log').getByRole('img').first().waitFor();
    await settle({ accepts_files: false });
    const other = await visit();
    await launcher(other).click();
    await field(other).waitFor();
    expect(await panel(other).getByRole('button', { name: 'Attach a file' }).isVisible()).toBe(false);
  });

  it('is one person in all browsers when the website has signed the id', async () => {
    const { identity_secret: secret } = await admin<{ identity_secret: string }>(
      'POST',
      `/connections/${connection}/identity-secret`,
      {},
    );
    const hash = createHmac('sha256', secret).update('user-7').digest('hex');
    const identify = (page: Page, user: object) =>
      page.evaluate(
        (user) =>
          (
            window as unknown as { Frontdesk: { identify: (user: object) => Promise<void> } }
          ).Frontdesk.identify(user).then(
            () => 'known',
            (error) => error.reason,
          ),
        user,
      );
    const before = await visit();
    await say(before, 'Before signing in');
    expect(await identify(before, { user_id: 'user-7', user_hash: hash, name: 'Una' })).toBe('known');
    await log(before).getByText('Before signing in').waitFor();
    await say(before, 'And after');
    const signed = await website(() => snippet(`data-user-id="user-7" data-user-hash="${hash}"`));
    const elsewhere = await visit({}, signed);
    await launcher(elsewhere).click();
    await log(elsewhere).getByText('And after').waitFor();
    await log(elsewhere).getByText('Before signing in').waitFor();
    // Somebody else with the same computer is somebody else.
    await before.evaluate(() =>
      (window as unknown as { Frontdesk: { reset: () => void } }).Frontdesk.reset(),
    );
    expect(await log(before).getByText('And after').count()).toBe(0);
    expect(await identify(before, { user_id: 'user-8', user_hash: hash })).toBe('identity');
    await say(before, 'Nobody in particular');
    expect(await log(before).getByText('And after').count()).toBe(0);
    expectProblem('the visitor is not identified');
    expectProblem('403');
  });

  it('shows markup as text wherever it comes from', async () => {
    const markup = '<img src=x onerror="window.hacked = 1">';
    await settle({ texts: { en: { title: `Chat with us ${markup}`, greeting: markup, away: markup } } });
    const page = await visit(
      {},
      await website(() => snippet(`data-name='<script>window.hacked=1</script>'`)),
    );
    await launcher(page).click();
    await log(page).getByText(markup).first().waitFor();
    const conversation = await say(page, `${markup} javascript:alert(1) https://example.com/?a=<b>`);
    await answer(conversation, `Answer ${markup}`);
    await log(page).getByText(`Answer ${markup}`).waitFor();
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
    const addresses = await log(page)
      .getByRole('link')
      .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href));
    expect(addresses).toEqual(['https://example.com/?a=']);
  });

  it('works on a page with a strict policy', async () => {
    const { url } = scene.server;
    const policy = `default-src 'none'; script-src ${url}; connect-src ${url}; img-src ${url} data:; require-trusted-types-for 'script'; trusted-types 'none'`;
    const strict = await website(() => snippet(), { 'content-security-policy': policy });
    const page = await visit({}, strict);
    const conversation = await say(page, 'Behind a policy');
    await answer(conversation, 'Heard');
    await log(page).getByText('Heard').waitFor();
    expect(await panel(page).evaluate((it) => getComputedStyle(it).position)).toBe('fixed');
  });

  it('sends a message once when its answer was lost, and all of them after the connection was', async () => {
    const page = await visit();
    let lost = 0;
    await page.route('**/messages', async (route) => {
      if (route.request().method() !== 'POST' || lost > 0) return route.continue();
      lost += 1;
      await route.fetch();
      await route.abort();
    });
    const conversation = await say(page, 'Once');
    await expect.poll(() => log(page).locator('.waiting').count()).toBe(0);
    expect(lost).toBe(1);
    await page.context().setOffline(true);
    for (const text of ['Second', 'Third']) {
      await field(page).fill(text);
      await field(page).press('Enter');
    }
    await panel(page).getByText('You are offline.').waitFor();
    await page.context().setOffline(false);
    await conversationOf('Third');
    const stored = (await messagesOf(conversation)).sort((one, other) => (one.id < other.id ? -1 : 1));
    const texts = stored.map(({ text }) => text);
    expect(texts).toEqual(['Once', 'Second', 'Third']);
    expect(await log(page).locator('.said.mine').count()).toBe(3);
  });

  it('is one visitor in two tabs', async () => {
    const one = await visit();
    const two = await one.context().newPage();
    await two.goto(shop);
    const conversation = await say(one, 'From the first tab');
    await launcher(two).click();
    await log(two).getByText('From the first tab').waitFor();
    await field(two).fill('From the second tab');
    await field(two).press('Enter');
    await log(one).getByText('From the second tab').waitFor();
    expect((await conversationOf('From the second tab')).id).toBe(conversation.id);
    expect(await log(one).locator('.said[data-id]').count()).toBe(2);
    // What one of them has read is read in both.
    await two.getByRole('button', { name: 'Close the chat' }).click();
    await one.bringToFront();
    await answer(conversation, 'Hello, both');
    await log(one).getByText('Hello, both').waitFor();
    await expect.poll(() => badge(two).isVisible()).toBe(false);
  });
});

describe('between the visitor and the inbox', () => {
  it('shows typing and read marks both ways', async () => {
    const page = await visit();
    const conversation = await say(page, 'Do you see me?');
    expect(await panel(page).getByText('Seen').count()).toBe(0);
    await owner.goto(`/app/inbox/${conversation.id}`);
    const reply = owner.getByLabel('Reply to the customer');
    await reply.waitFor();
    await panel(page).getByText('Seen').waitFor();
    await field(page).pressSequentially('I am');
    await owner.getByText('The visitor is typing…').waitFor();
    await field(page).fill('');
    await expect.poll(() => owner.getByText('The visitor is typing…').count()).toBe(0);
    await reply.pressSequentially('So am');
    await panel(page).getByText('Somebody is typing …').waitFor();
    await reply.press('Enter');
    await log(page).getByText('So am').waitFor();
    expect(await panel(page).getByText('Somebody is typing …').isVisible()).toBe(false);
    expect(await panel(page).getByText('Seen').count()).toBe(0);
    await owner.getByRole('log').getByText('So am').waitFor();
    await eventually(
      () => scene.server.api<Array<{ status: string }>>('GET', `/conversations/${conversation.id}/messages`),
      (all) => all.some((one) => one.status === 'read'),
    );
  });
});

describe('its looks', () => {
  it('fills a phone, and keeps the focus within', async () => {
    await settle({ position: 'left' });
    const page = await visit({ viewport: PHONE, hasTouch: true });
    await launcher(page).tap();
    expect(await panel(page).boundingBox()).toEqual({ x: 0, y: 0, ...PHONE });
    expect(await panel(page).getAttribute('aria-modal')).toBe('true');
    const stops = new Set<string>();
    for (let presses = 0; presses < 12; presses += 1) {
      await page.keyboard.press('Tab');
      stops.add(await focused(page));
    }
    expect([...stops].sort()).toEqual(
      ['Attach a file', 'Close the chat', 'Messages', 'Send', 'Sound', 'Your message'].sort(),
    );
    await page.keyboard.press('Escape');
    await launcher(page).waitFor();
  });

  it.each(['light', 'dark'] as const)(
    'has nothing that axe finds serious, in %s colours',
    async (colorScheme) => {
      await settle({
        ask_name: 'required',
        ask_email: 'optional',
        texts: { en: { greeting: 'Hello there' } },
      });
      const page = await visit({ colorScheme });
      await launcher(page).click();
      const own = (findings: string[]) =>
        findings.filter((one) => !/^(html-has-lang|region|landmark)/.test(one));
      expect(own(await seriousFindings(page))).toEqual([]);
      await panel(page).getByLabel('Your name').fill('Ann');
      await page.keyboard.press('Enter');
      const conversation = await say(page, `In ${colorScheme} colours https://example.com`);
      await answer(conversation, 'An answer https://example.com');
      await log(page).getByText('An answer').waitFor();
      expect(own(await seriousFindings(page))).toEqual([]);
    },
  );

  it('moves nothing on the page', async () => {
    const page = await scene.open();
    const narrow = await website(
      () =>
        `<style>body{display:grid;gap:40px;min-height:100vh;margin:0}</style><p>One</p><p>Two</p>${snippet()}`,
    );
    await page.addInitScript(() => {
      const shifts: number[] = [];
      Object.assign(window, { shifts });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) shifts.push((entry as unknown as { value: number }).value);
      }).observe({ type: 'layout-shift', buffered: true });
    });
    await page.goto(narrow, { waitUntil: 'commit' });
    await launcher(page).waitFor();
    const before = await page.getByText('Two').boundingBox();
    await launcher(page).click();
    await field(page).waitFor();
    expect(await page.getByText('Two').boundingBox()).toEqual(before);
    expect(await page.evaluate(() => (window as unknown as { shifts: number[] }).shifts)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(800);
  });
});

describe('the page that a visitor is on', () => {
  const beside = (on: Page) => on.getByRole('complementary', { name: 'Contact' });
  const phone = { viewport: { width: 390, height: 800 }, isMobile: true, hasTouch: true };

  it('is beside the conversation, also when it changes without a load, and without what is secret in it', async () => {
    const mia = await scene.member('Mia Agent', 'mia@example.com');
    const page = await visit({}, `${shop}/chairs?reset=secret#token=secret`);
    const conversation = await say(page, 'Is this one of oak?');
    const host = new URL(shop).host;
    await mia.goto(`/app/inbox/${conversation.id}`);
    await beside(mia).getByText(`${host}/chairs`, { exact: true }).waitFor();
    expect(await beside(mia).getByText('secret').count()).toBe(0);
    expect(await seriousFindings(mia)).toEqual([]);
    await page.evaluate(() => {
      history.pushState({}, '', '/tables?x=1');
      document.title = 'Oak tables';
    });
    const link = beside(mia).getByRole('link', { name: 'Oak tables' });
    await link.waitFor();
    expect(await link.getAttribute('href')).toBe(`${shop}/tables`);
    await beside(mia).getByText(`${host}/chairs`, { exact: true }).waitFor();
    // On a phone it is in the dialog of the contact.
    const small = await scene.signedIn('mia@example.com', phone);
    await small.goto(`/app/inbox/${conversation.id}`);
    await small.getByRole('button', { name: 'Show or hide the contact' }).tap();
    await small.getByRole('dialog', { name: 'Contact' }).getByRole('link', { name: 'Oak tables' }).waitFor();
    expect(await misfits(small)).toEqual([]);
    await settle({ shows_page: false });
    await link.waitFor({ state: 'detached' });
    await Promise.all([mia, small].map((each) => each.context().close()));
  });

  it('is not reported before the visitor writes, and not often however often it changes', async () => {
    const page = await visit();
    const reported: string[] = [];
    page.on('request', (request) => {
      if (new URL(request.url()).pathname.endsWith('/page')) reported.push(request.postData() ?? '');
    });
    await launcher(page).click();
    await page.evaluate(() => history.pushState({}, '', '/before'));
    await say(page, 'Which page am I on?');
    await eventually(
      async () => reported,
      ([first]) => first?.includes('/before') === true,
    );
    expect(reported).toHaveLength(1);
    const begun = Date.now();
    await page.evaluate(async () => {
      // Chromium takes no more than 200 at a time.
      for (let number = 0; number < 150; number += 1) {
        history.pushState({}, '', `/page-${number}`);
        await new Promise((done) => setTimeout(done, 40));
      }
    });
    await eventually(
      async () => reported.at(-1),
      (last) => last?.includes('/page-149') === true,
    );
    expect(reported.length).toBeLessThanOrEqual(2 + (Date.now() - begun) / 4_000);
    expect(reported.join()).not.toContain('?');
  });
});
