/** The installed app: its manifest, the page without a connection, replies without a page, and notifications. */
import type { CDPSession, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { seriousFindings } from './axe';
import { eventually, useScene } from './scene';

const scene = useScene();

const WITH_WORKER = { serviceWorkers: 'allow' as const };
const member = async () => {
  const page = await scene.owner(WITH_WORKER);
  await isReady(page);
  return page;
};

/** The service worker has everything and answers for the page. */
const isReady = (page: Page) =>
  eventually(
    () => page.evaluate(() => Boolean(navigator.serviceWorker.controller)),
    (ready) => ready,
  );

/** Makes the service worker do what the browser would have it do later. */
class Worker {
  private readonly session: CDPSession;
  private readonly registrationId: string;

  private constructor(session: CDPSession, registrationId: string) {
    this.session = session;
    this.registrationId = registrationId;
  }

  static async of(page: Page): Promise<Worker> {
    const session = await page.context().newCDPSession(page);
    const found = new Promise<string>((done) => {
      session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        const registration = registrations.find(({ scopeURL }) => scopeURL === `${scene.server.url}/app/`);
        if (registration) done(registration.registrationId);
      });
    });
    await session.send('ServiceWorker.enable');
    return new Worker(session, await found);
  }

  async sync(): Promise<void> {
    const { registrationId } = this;
    const about = { origin: scene.server.url, registrationId, tag: 'outbox', lastChance: false };
    await this.session.send('ServiceWorker.dispatchSyncEvent', about);
  }

  async push(notice: object): Promise<void> {
    const { registrationId } = this;
    const data = JSON.stringify({ language: 'en', tag: 'x', path: 'inbox', unread: 0, ...notice });
    await this.session.send('ServiceWorker.deliverPushMessage', {
      origin: scene.server.url,
      registrationId,
      data,
    });
  }
}

interface Shown {
  title: string;
  body: string;
  tag: string;
  path: string;
}

/** Keeps what the worker shows: a browser without a window has no notifications. */
async function keepShown(page: Page): Promise<() => Promise<Shown[]>> {
  const [worker] = page.context().serviceWorkers();
  if (!worker) throw new Error('There is no service worker.');
  await worker.evaluate(() => {
    const scope = self as unknown as { registration: ServiceWorkerRegistration; shown: Shown[] };
    scope.shown = [];
    scope.registration.showNotification = async (title, options) => {
      const { body = '', tag = '', data } = options ?? {};
      scope.shown.push({ title, body, tag, path: (data as { path: string }).path });
    };
  });
  return () => worker.evaluate(() => (self as unknown as { shown: Shown[] }).shown);
}

/** Stops the server for as long as a task takes. */
async function withoutServer(task: () => Promise<void>): Promise<void> {
  await scene.server.stopProcess();
  try {
    await task();
  } finally {
    await scene.server.startAgain();
  }
}

const sentTexts = async (phone: string) => (await scene.server.sentTo(phone)).map(({ text }) => text);

beforeAll(() => scene.server.silenceAssistants());

it('has a manifest with icons of the sizes that it names', async () => {
  const page = await scene.open();
  await page.goto('/app/sign-in');
  const href = await page.locator('link[rel="manifest"]').getAttribute('href');
  const response = await fetch(scene.server.url + href);
  expect(response.headers.get('content-type')).toBe('application/manifest+json');
  expect(response.headers.get('cache-control')).toBe('no-cache');
  const manifest = await response.json();
  expect(manifest).toMatchObject({ start_url: '/app/', scope: '/app/', display: 'standalone' });
  expect(manifest.shortcuts.map(({ url }: { url: string }) => url)).toEqual(['/app/inbox', '/app/approvals']);
  for (const { src, sizes, type } of manifest.icons) {
    const icon = await fetch(scene.server.url + src);
    expect(icon.headers.get('content-type'), src).toBe(type);
    if (type !== 'image/png') continue;
    const bytes = Buffer.from(await icon.arrayBuffer());
    expect(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`, src).toBe(sizes);
  }
  const session = await page.context().newCDPSession(page);
  const { errors } = await session.send('Page.getAppManifest');
  expect(errors).toEqual([]);
  const worker = await fetch(`${scene.server.url}/app/sw.js`);
  expect(worker.headers.get('cache-control')).toBe('no-cache');
  expect(worker.headers.get('content-security-policy')).toContain("worker-src 'self'");
  await page.context().close();
});

it('opens without a server, says so, and goes on by itself', async () => {
  const page = await member();
  await withoutServer(async () => {
    await page.goto('/app/contacts');
    await page.getByRole('heading', { name: 'You are offline' }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  });
  await page.getByRole('heading', { name: 'Contacts', level: 1 }).waitFor();
  // The page reports why it could not be shown.
  scene.problems = scene.problems.filter((problem) => !problem.includes('The server could not be reached'));
  await page.context().close();
});

it('keeps nothing of the account', async () => {
  const page = await member();
  await page.goto('/app/contacts');
  await page.getByRole('heading', { name: 'Contacts', level: 1 }).waitFor();
  const kept = await page.evaluate(async () => {
    const names = await caches.keys();
    const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
    return requests.flat().map(({ url }) => new URL(url).pathname);
  });
  expect(kept).toContain('/app/index.html');
  const others = kept.filter((path) => path !== '/app/index.html' && !path.startsWith('/app/assets/'));
  expect(others).toEqual([]);
  await page.context().close();
});

it('sends a reply once, though its page was closed before there was a connection', async () => {
  const customer = await scene.customer('Do you ship to Norway?');
  const page = await member();
  const reply = page.getByLabel('Reply to the customer');
  const other = await page.context().newPage();
  await other.goto('/docs');
  await page.goto(`/app/inbox/${customer.conversationId}`);
  await reply.waitFor();
  await withoutServer(async () => {
    await reply.fill('Yes, in a week.');
    await reply.press('Enter');
    await page.getByText('Not sent yet.').waitFor();
    await page.close();
  });
  const worker = await Worker.of(other);
  await Promise.all([worker.sync(), worker.sync()]);
  await eventually(
    () => sentTexts(customer.phone),
    (texts) => texts.length > 0,
  );
  // A page that is opened afterwards finds nothing left to send.
  await other.goto(`/app/inbox/${customer.conversationId}`);
  await other.getByRole('log', { name: 'Messages' }).getByText('Yes, in a week.').waitFor();
  await worker.sync();
  expect(await other.getByText('Not sent yet.').count()).toBe(0);
  expect(await sentTexts(customer.phone)).toEqual(['Yes, in a week.']);
  await other.context().close();
});

it('sends what waits from a page and the worker at once only once', async () => {
  const customer = await scene.customer('Is it oak?');
  const page = await member();
  await page.goto(`/app/inbox/${customer.conversationId}`);
  const reply = page.getByLabel('Reply to the customer');
  await reply.waitFor();
  const worker = await Worker.of(page);
  await withoutServer(async () => {
    for (const words of ['One', 'Two', 'Three']) {
      await reply.fill(words);
      await reply.press('Enter');
    }
    await page.getByText('Not sent yet.').first().waitFor();
  });
  await Promise.all([
    worker.sync(),
    page.evaluate(() => window.dispatchEvent(new Event('online'))),
    worker.sync(),
  ]);
  await page.getByText('Not sent yet.').first().waitFor({ state: 'detached' });
  const texts = await eventually(
    () => sentTexts(customer.phone),
    (sent) => sent.length >= 3,
  );
  expect(texts).toEqual(['One', 'Two', 'Three']);
  await page.context().close();
});

it('says that there is a new version', async () => {
  const page = await member();
  await page.evaluate(() => navigator.serviceWorker.register('/app/sw.js?next', { scope: '/app/' }));
  await page.getByText('A new version of Frontdesk is ready.').waitFor();
  await page.getByRole('button', { name: 'Reload the page' }).click();
  await page.getByRole('link', { name: 'Inbox' }).waitFor();
  await page.context().close();
});

it('shows what is pushed, and leads there', async () => {
  const customer = await scene.customer('Hello?');
  const page = await member();
  const worker = await Worker.of(page);
  const shown = await keepShown(page);
  const about = { tag: customer.conversationId, path: `inbox/${customer.conversationId}` };
  await worker.push({ kind: 'message', name: 'Ann', ...about });
  await worker.push({ kind: 'message', name: 'Ann', text: 'Are you there?', ...about });
  await worker.push({
    kind: 'ask',
    ask: 'approval',
    name: 'Robin',
    tag: 'a',
    path: 'approvals',
    language: 'de',
  });
  // What a newer server sends, this version does not know.
  await worker.push({ kind: 'something_new' });
  const all = await eventually(shown, (found) => found.length >= 3);
  expect(all).toEqual([
    { title: 'New message from Ann', body: '', ...about },
    { title: 'New message from Ann', body: 'Are you there?', ...about },
    { title: 'Robin bittet um eine Freigabe', body: '', tag: 'a', path: 'approvals' },
  ]);
  // Whoever looks at the conversation needs no notification.
  await page.goto(`/app/${about.path}`);
  await page.getByLabel('Reply to the customer').focus();
  await worker.push({ kind: 'message', name: 'Ann', conversation_id: customer.conversationId, ...about });
  await worker.push({ kind: 'test', tag: 't', path: 'settings/preferences' });
  const later = await eventually(shown, (found) => found.some(({ tag }) => tag === 't'));
  expect(later.filter(({ tag }) => tag === about.tag)).toHaveLength(2);
  // A click on one shows its place in the window that is open.
  await page.goto('/app/contacts');
  await page.getByRole('heading', { name: 'Contacts', level: 1 }).waitFor();
  await page.evaluate((path) => {
    const message = new MessageEvent('message', { data: { kind: 'open', path: `/${path}` } });
    navigator.serviceWorker.dispatchEvent(message);
  }, about.path);
  await page.getByLabel('Reply to the customer').waitFor();
  await page.context().close();
});

it('is turned on, tried out and turned off in the preferences', async () => {
  const page = await scene.owner({ ...WITH_WORKER, viewport: { width: 390, height: 800 } });
  await isReady(page);
  // Stands in for a browser with a window and the push service of its vendor.
  await page.addInitScript(() => {
    Object.defineProperty(Notification, 'permission', { get: () => 'granted' });
    Notification.requestPermission = async () => 'granted';
    ServiceWorkerRegistration.prototype.getNotifications = async () => [
      { close: () => localStorage.setItem('closed', 'yes') } as unknown as Notification,
    ];
    const options = { applicationServerKey: null as ArrayBuffer | null };
    const keys = {
      p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
      auth: 'BTBZMqHH6r4Tts7J_aSIgg',
    };
    let current: unknown = null;
    const made = {
      options,
      toJSON: () => ({ endpoint: 'https://push.example.com/send/1', keys }),
      unsubscribe: async () => {
        current = null;
        return true;
      },
    };
    PushManager.prototype.getSubscription = async () => current as PushSubscription | null;
    PushManager.prototype.subscribe = async (asked) => {
      options.applicationServerKey = (
        asked as { applicationServerKey: Uint8Array<ArrayBuffer> }
      ).applicationServerKey.buffer;
      current = made;
      return made as unknown as PushSubscription;
    };
  });
  await page.goto('/app/settings/preferences');
  const turnOn = page.getByRole('button', { name: 'Turn on notifications' });
  await turnOn.waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await turnOn.focus();
  await page.keyboard.press('Enter');
  const unassigned = page.getByLabel('New messages in conversations that nobody has');
  await unassigned.waitFor();
  expect(await unassigned.isChecked()).toBe(false);
  await unassigned.click();
  await page.getByLabel('Show the words of a message').click();
  await eventually(
    () => page.getByLabel('Show the words of a message').isChecked(),
    (checked) => checked,
  );
  await page.reload();
  await unassigned.waitFor();
  expect([
    await unassigned.isChecked(),
    await page.getByLabel('Show the words of a message').isChecked(),
  ]).toEqual([true, true]);
  expect(await seriousFindings(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText('A test notification is on its way to this device.').waitFor();
  await page.getByRole('button', { name: 'Turn off' }).click();
  await turnOn.waitFor();
  expect(await page.evaluate(() => localStorage.getItem('frontdesk.push'))).toBeNull();
  // Signing out leaves nothing behind either.
  await turnOn.click();
  await unassigned.waitFor();
  await page.evaluate(() => localStorage.removeItem('closed'));
  await page.getByRole('button', { name: /: menu$/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  const left = await page.evaluate(() => [
    localStorage.getItem('frontdesk.push'),
    localStorage.getItem('closed'),
  ]);
  expect(left).toEqual([null, 'yes']);
  await page.context().close();
});
