/**
 * Takes a picture of every page and of the dialogs that matter, wide and narrow, light and dark, with data as a business
 * has it: `npm run pictures`, into `../target/pictures`. For looking at; it checks nothing.
 */
import { createHmac } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, it } from 'vitest';
import { PAGES } from './pages';
import { useScene } from './scene';

const INTO = '../target/pictures';
const SETTLE_MS = 400;
const ANN = '+4915112345601';
const scene = useScene();

const paths: Record<string, string> = {
  ...Object.fromEntries(Object.entries(PAGES).map(([name, path]) => [name.replaceAll(' ', '-'), path])),
  'inbox-nothing-found': '/inbox?q=nothing-like-this',
  nowhere: '/nowhere',
};

/** Pages with something open: a path, and what to press. */
const dialogs: Array<[name: string, path: string, press: (page: Page) => Promise<void>]> = [
  ['palette', 'inbox', (page) => page.keyboard.press('Control+k')],
  ['contact-new', 'contacts', (page) => page.getByRole('button', { name: 'New contact' }).first().click()],
  ['deal-new', 'deals', (page) => page.getByRole('button', { name: 'New deal' }).first().click()],
  ['invite', 'members', (page) => page.getByRole('button', { name: 'Invite a member' }).first().click()],
  ['key-new', 'keys', (page) => page.getByRole('button', { name: 'New API key' }).first().click()],
  ['snooze', 'conversation', (page) => page.getByRole('button', { name: 'Snooze' }).first().click()],
  [
    'template',
    'conversation',
    (page) => page.getByRole('button', { name: 'Send a template' }).first().click(),
  ],
];

beforeAll(async () => {
  const { server } = scene;
  await server.silenceAssistants();
  const tags = await Promise.all(
    [
      { name: 'VIP', color: '#b45309' },
      { name: 'Wholesale', color: '#1d4ed8' },
      { name: 'Newsletter', color: '#15803d' },
    ].map((tag) => server.api('POST', '/tags', tag)),
  );
  const field = await server.api('POST', '/custom-fields', { name: 'Order number', type: 'text' });
  const people = [
    'Ann Weber',
    'Bartholomäus Freiherr von Hohenstein-Oberlangenfeld',
    'Chidi Okafor',
    'Dana Scully',
    'Émile',
    'Fatima Al-Rashid',
  ];
  const contacts: Array<{ id: string }> = [];
  for (const [index, name] of people.entries()) {
    const phone = `+49151123456${String(index + 1).padStart(2, '0')}`;
    contacts.push(
      await server
        .api('POST', '/contacts', {
          name,
          phone,
          ...(index % 2 === 0 && {
            email: `${name.split(' ')[0]?.toLowerCase()}@example.com`,
            company: 'Oak & Sons Furniture Ltd',
          }),
          tag_ids: tags.slice(0, index % 4).map((tag) => tag.id),
          ...(index === 0 && { custom_fields: [{ field_id: field.id, value: 'A-2026-00042' }] }),
        })
        .catch(() =>
          server.api('POST', '/contacts', {
            name,
            phone,
            tag_ids: tags.slice(0, index % 4).map((tag) => tag.id),
          }),
        ),
    );
    await server.customerSays(phone, {
      text:
        index === 1
          ? 'Könnten Sie mir bitte mitteilen, ob die Donaudampfschifffahrtsgesellschaftskapitänsmütze noch lieferbar ist? Ich hätte gern drei Stück.'
          : 'Hello! Is the oak table still available?',
    });
  }
  await server.customerSays(ANN, {
    text: 'See https://shop.example.com/table?size=very-long-address-that-does-not-break-anywhere',
  });
  await server.customerSays(ANN, { media: { kind: 'image', caption: 'This corner' } });
  await server.customerSays(ANN, { media: { kind: 'document' } });
  const talks = await server.api<Array<{ id: string; contact_id: string }>>('GET', '/conversations?limit=50');
  const talk = talks.find((each) => each.contact_id === contacts[0]?.id)?.id;
  await server.api('POST', '/messages', {
    to: { conversation_id: talk },
    type: 'text',
    text: 'Good morning Ann! Yes, it is. *Oak*, 180 × 90 cm.',
  });
  await server.api('POST', `/conversations/${talk}/notes`, {
    body: 'Prefers mornings. Gave her 5 % last time.',
  });
  await server.api('POST', `/contacts/${contacts[0]?.id}/notes`, { body: 'Met at the fair in Cologne.' });
  await server.customerSays(ANN, { text: 'Wonderful, I will take it.' });
  const [pipeline] = await server.api<Array<{ id: string; stages: Array<{ id: string }> }>>(
    'GET',
    '/pipelines',
  );
  const titles = [
    'Oak table',
    'Twelve desks for the new office in Hamburg-Altona',
    'Chairs',
    'Shelf',
    'Kitchen',
    'Reception',
  ];
  const deals: Array<{ id: string }> = [];
  for (const [index, title] of titles.entries()) {
    deals.push(
      await server.api('POST', '/deals', {
        title,
        value: 1_250 * (index + 1),
        currency: 'EUR',
        contact_id: contacts[index]?.id,
        pipeline_id: pipeline?.id,
        stage_id: pipeline?.stages[index % (pipeline?.stages.length ?? 1)]?.id,
      }),
    );
  }
  const inquiry = await server.api('POST', '/inquiries', {
    name: 'Jo Park',
    email: 'jo@example.com',
    message:
      'A quote for twelve desks, please. They should fit into a room of four by nine metres, and we need them by May.',
  });
  await server.api('POST', '/canned-replies', {
    shortcut: 'hours',
    body: 'We open at nine, {{contact.name}}.',
  });
  const broadcast = await server.api('POST', '/broadcasts', {
    name: 'Spring sale',
    template: { name: 'appointment_reminder' },
    variables: { 1: { type: 'field', value: 'name' }, 2: { type: 'static', value: 'Monday at ten' } },
    audience: { type: 'all' },
  });
  paths.broadcast = `/broadcasts/${broadcast.id}`;
  const account = (JSON.parse(server.cli('--json', 'account', 'list')) as Array<{ id: string }>)[0]?.id ?? '';
  const source = JSON.parse(server.cli('--json', 'booking-source', 'create', '--account', account)) as {
    url: string;
    secret: string;
  };
  for (const [uid, title, days] of [
    ['a', 'Consultation', 1],
    ['b', 'Showroom visit', 1],
    ['c', 'Delivery', 4],
  ] as const) {
    const start = new Date(Date.now() + days * 86_400_000);
    const body = JSON.stringify({
      triggerEvent: 'BOOKING_CREATED',
      createdAt: new Date().toISOString(),
      payload: {
        uid,
        title,
        startTime: start.toISOString(),
        endTime: new Date(start.getTime() + 1_800_000).toISOString(),
        attendees: [
          {
            name: 'Ann Weber',
            email: 'ann@example.com',
            timeZone: 'Europe/Berlin',
            language: { locale: 'en' },
          },
        ],
        organizer: { name: 'Us', email: 'us@example.com' },
        status: 'ACCEPTED',
      },
    });
    const signature = createHmac('sha256', source.secret).update(body).digest('hex');
    await fetch(server.url + new URL(source.url).pathname, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'x-cal-signature-256': signature },
    });
  }
  paths.conversation = `/inbox/${talk}`;
  paths['conversation-long-name'] = `/inbox/${talks.find((each) => each.contact_id === contacts[1]?.id)?.id}`;
  paths.contact = `/contacts/${contacts[0]?.id}`;
  paths.deal = `/deals/${deals[0]?.id}`;
  paths.inquiry = `/inquiries/${inquiry.id}`;
}, 120_000);

async function visit(page: Page, path: string): Promise<void> {
  await page.goto(`/app${path}`);
  await page.locator('main').waitFor();
  await page.waitForTimeout(SETTLE_MS);
}

const kinds: Record<string, BrowserContextOptions> = {
  'wide-light': { colorScheme: 'light' },
  'wide-dark': { colorScheme: 'dark' },
  'narrow-light': {
    colorScheme: 'light',
    viewport: { width: 360, height: 740 },
    isMobile: true,
    hasTouch: true,
  },
  'narrow-dark': {
    colorScheme: 'dark',
    viewport: { width: 360, height: 740 },
    isMobile: true,
    hasTouch: true,
  },
};

for (const [kind, options] of Object.entries(kinds)) {
  it(`takes pictures, ${kind}`, async () => {
    mkdirSync(`${INTO}/${kind}`, { recursive: true });
    const page = await scene.owner(options);
    const take = (name: string) => page.screenshot({ path: `${INTO}/${kind}/${name}.png` });
    for (const [name, path] of Object.entries(paths)) {
      await visit(page, path);
      await take(name);
    }
    for (const [name, at, press] of dialogs) {
      await visit(page, paths[at] ?? '/');
      page.setDefaultTimeout(2_000);
      await press(page).catch(() => process.stdout.write(`${kind}: ${name} could not be opened\n`));
      page.setDefaultTimeout(15_000);
      await page.waitForTimeout(SETTLE_MS);
      await take(name);
    }
    const out = await scene.open(options);
    await out.goto('/app/sign-in');
    await out.getByRole('button').first().waitFor();
    await out.screenshot({ path: `${INTO}/${kind}/sign-in.png` });
  }, 240_000);
}

/** Other languages: German is longer, and the direction is turned by hand, as no catalogue runs from right to left. */
for (const kind of ['german', 'right-to-left']) {
  it(`takes pictures, ${kind}`, async () => {
    mkdirSync(`${INTO}/${kind}`, { recursive: true });
    for (const viewport of [
      { width: 1280, height: 800 },
      { width: 360, height: 740 },
    ]) {
      const page = await scene.owner({ viewport });
      if (kind === 'german') await page.evaluate(() => localStorage.setItem('frontdesk.language', 'de'));
      for (const name of [
        'inbox',
        'conversation',
        'contacts',
        'contact',
        'deals',
        'members',
        'preferences',
      ]) {
        await visit(page, paths[name] ?? '/');
        if (kind !== 'german') await page.evaluate(() => document.documentElement.setAttribute('dir', 'rtl'));
        await page.waitForTimeout(SETTLE_MS);
        await page.screenshot({ path: `${INTO}/${kind}/${name}-${viewport.width}.png` });
      }
    }
  }, 240_000);
}
