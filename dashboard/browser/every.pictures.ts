/**
 * Takes a picture of every page and of the dialogs that matter, wide, as a tablet and as a phone, light and dark, with data as a business
 * has it: `npm run pictures`, into `../target/pictures`. For looking at; it checks nothing.
 */
import { mkdirSync } from 'node:fs';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, it } from 'vitest';
import { PAGES } from './pages';
import { useScene } from './scene';
import { settled } from './settled';
import { allowLocalWebhooks, openShop } from './shop';

const INTO = '../target/pictures';
const SETTLE_MS = 400;
allowLocalWebhooks();
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
  Object.assign(paths, (await openShop(scene)).paths);
}, 120_000);

async function visit(page: Page, path: string): Promise<void> {
  await page.goto(`/app${path}`);
  await settled(page);
}

const kinds: Record<string, BrowserContextOptions> = {
  'wide-light': { colorScheme: 'light' },
  'wide-dark': { colorScheme: 'dark' },
  tablet: { colorScheme: 'light', viewport: { width: 800, height: 1000 } },
  'narrow-light': {
    colorScheme: 'light',
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
  },
  'narrow-dark': {
    colorScheme: 'dark',
    viewport: { width: 390, height: 844 },
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
