/** What every test of the dashboard in a browser begins with: a server, Chromium, and people who sign in. */
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { Server } from './server';

export const PASSWORD = 'violet kettle orbits seven';
const WAIT_MS_MAX = 15_000;
/** Answers that a page is meant to get while it works, and that Chromium reports on its console. */
const EXPECTED =
  /status of (400|401|404|409|422|429|503)|ERR_(CONNECTION_REFUSED|INCOMPLETE_CHUNKED|FAILED|INTERNET_DISCONNECTED)/;

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

function chromiumPath(): string {
  const found = process.env.FRONTDESK_CHROMIUM ?? PLACES.find((place) => existsSync(place));
  if (!found) throw new Error('There is no Chromium. Install it (Debian: apt-get install chromium).');
  return found;
}

export interface Scene {
  server: Server;
  browser: Browser;
  /** What went wrong on any page: errors of scripts, and what the Content-Security-Policy refused. */
  problems: string[];
  /** A fresh browser profile with one page. */
  open: (options?: BrowserContextOptions) => Promise<Page>;
  /** The Demo owner, signed in by the link of the first start or by password after that. */
  owner: (options?: BrowserContextOptions) => Promise<Page>;
  /** A new member, with a password, signed in. */
  member: (name: string, email: string, role?: 'admin' | 'agent') => Promise<Page>;
}

/** Starts a server, on SQLite unless a database is named, and a browser for the tests of a file. */
export function useScene(database?: string): Scene {
  const scene = { problems: [] as string[] } as Scene;
  let ownerHasPassword = false;
  scene.open = async (options = {}) => {
    const context = await scene.browser.newContext({
      baseURL: scene.server.url,
      viewport: { width: 1280, height: 800 },
      ...options,
    });
    const page = await context.newPage();
    page.setDefaultTimeout(WAIT_MS_MAX);
    page.on('pageerror', (error) => scene.problems.push(`${page.url()}: ${error}`));
    page.on('console', (message) => {
      if (message.type() === 'error' && !EXPECTED.test(message.text())) {
        scene.problems.push(`${page.url()}: ${message.text()}`);
      }
    });
    return page;
  };
  scene.owner = async (options) => {
    const page = await scene.open(options);
    if (!ownerHasPassword) {
      const members = await scene.server.api<Array<{ id: string; role: string }>>('GET', '/members');
      const owner = members.find((member) => member.role === 'owner')?.id ?? '';
      await choosePassword(page, scene.server.linkOf(owner));
      ownerHasPassword = true;
    }
    await signIn(page, 'owner@example.com');
    await page.getByRole('link', { name: 'Inbox' }).waitFor();
    return page;
  };
  scene.member = async (name, email, role) => {
    const page = await scene.open();
    await choosePassword(page, scene.server.invite(name, email, role));
    await signIn(page, email);
    await page.getByRole('link', { name: 'Inbox' }).waitFor();
    return page;
  };
  beforeAll(async () => {
    [scene.server, scene.browser] = await Promise.all([
      Server.start(database),
      chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] }),
    ]);
  });
  afterAll(async () => {
    await scene.browser?.close();
    await scene.server?.stop();
    expect(scene.problems).toEqual([]);
  });
  return scene;
}

export async function choosePassword(page: Page, link: string, password = PASSWORD): Promise<void> {
  await page.goto(link);
  await page.getByLabel('New password', { exact: true }).fill(password);
  await page.getByLabel('New password, again').fill(password);
  await page.getByRole('button', { name: 'Save the password' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
}

export async function signIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  if (!page.url().includes('/app/')) await page.goto('/app/sign-in');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Waits until a value is as wanted: for what the page does not show. */
export async function eventually<T>(read: () => Promise<T>, isRight: (value: T) => boolean): Promise<T> {
  const deadline = Date.now() + WAIT_MS_MAX;
  for (;;) {
    const value = await read();
    if (isRight(value)) return value;
    if (Date.now() > deadline) throw new Error(`This did not become right: ${JSON.stringify(value)}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}
