/** What every test of the dashboard in a browser begins with: a server, Chromium, and people who sign in. */
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { type Role, Server } from './server';

export const OWNER = 'owner@example.com';
export const PASSWORD = 'violet kettle orbits seven';
const WAIT_MS_MAX = 30_000;
/** Answers that a page is meant to get while it works, and that Chromium reports on its console. */
const EXPECTED =
  /status of (400|401|404|409|422|429|503)|ERR_(CONNECTION_REFUSED|INCOMPLETE_CHUNKED|FAILED|INTERNET_DISCONNECTED)/;

const PLACES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map(
  (name) => `/usr/bin/${name}`,
);

function chromiumPath(): string {
  const found = process.env.FRONTDESK_CHROMIUM ?? PLACES.find((place) => existsSync(place));
  if (!found)
    throw new Error('There is no Chromium. Install it (Debian: apt-get install chromium-headless-shell).');
  return found;
}

export interface Scene {
  server: Server;
  browser: Browser;
  /** What went wrong on any page: errors of scripts, and what the Content-Security-Policy refused. */
  problems: string[];
  /** A fresh browser profile with one page. */
  open: (options?: BrowserContextOptions) => Promise<Page>;
  /** Somebody who has a password, signed in and at the inbox. */
  signedIn: (email: string, options?: BrowserContextOptions) => Promise<Page>;
  /** The Demo owner, signed in. The link of the first start is not used. */
  owner: (options?: BrowserContextOptions) => Promise<Page>;
  /** A new member with a password, who is not signed in. Returns the email address, which is made from the name. */
  login: (name: string) => Promise<string>;
  /** A new member, with a password, signed in. */
  member: (name: string, email: string, role?: Role) => Promise<Page>;
  /** A customer of one test alone, who has written. */
  customer: (says?: string) => Promise<Customer>;
}

export interface Customer {
  /** Of the contact. */
  id: string;
  name: string;
  phone: string;
  conversationId: string;
}

/** Starts a server, on SQLite unless a database is named, and a browser for the tests of a file. `more` are variables. */
export function useScene(
  database?: string,
  more: () => Promise<Record<string, string>> = async () => ({}),
): Scene {
  const scene = { problems: [] as string[] } as Scene;
  let ownerLogin: Promise<void> | undefined;
  let customers = 0;
  scene.open = async (options = {}) => {
    const context = await scene.browser.newContext({
      baseURL: scene.server.url,
      viewport: { width: 1280, height: 800 },
      // It would answer what a test wants to hold up or to fail. installed.test.ts is about it.
      serviceWorkers: 'block',
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
  scene.signedIn = async (email, options) => {
    const page = await scene.open(options);
    const [name = '', value = ''] = (await scene.server.signIn(email, PASSWORD)).split('=');
    await page.context().addCookies([{ name, value, url: scene.server.url }]);
    await page.goto('/app/inbox');
    await page.getByRole('link', { name: 'Inbox' }).waitFor();
    return page;
  };
  scene.owner = async (options) => {
    ownerLogin ??= scene.server.setPassword(scene.server.linkOf(OWNER), PASSWORD);
    await ownerLogin;
    return scene.signedIn(OWNER, options);
  };
  scene.login = async (name) => {
    const email = `${name.toLowerCase().replaceAll(' ', '.')}@example.com`;
    await scene.server.setPassword(scene.server.invite(name, email), PASSWORD);
    return email;
  };
  scene.member = async (name, email, role) => {
    await scene.server.setPassword(scene.server.invite(name, email, role), PASSWORD);
    return scene.signedIn(email);
  };
  scene.customer = async (says = 'Hello!') => {
    customers += 1;
    const number = String(customers).padStart(2, '0');
    const named = { name: `Customer ${number}`, phone: `+491511234${number}01` };
    const { id } = await scene.server.api('POST', '/contacts', named);
    await scene.server.customerSays(named.phone, { text: says });
    const [conversation] = await eventually(
      () => scene.server.api<Array<{ id: string }>>('GET', `/conversations?contact_id=${id}`),
      (found) => found.length === 1,
    );
    return { ...named, id, conversationId: conversation?.id ?? '' };
  };
  beforeAll(async () => {
    [scene.server, scene.browser] = await Promise.all([
      more().then((variables) => Server.start(database, variables)),
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

/** Chooses an option of a select field. */
export async function choose(field: Locator, option: string): Promise<void> {
  await field.click();
  await field.page().getByRole('option', { name: option, exact: true }).click();
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

/** Waits for the sign-in page that says why. The page may notice by itself, before the click. */
export async function sessionEnds(page: Page): Promise<void> {
  const noticed = page.getByText('Your session has ended.').waitFor();
  page
    .getByRole('link', { name: 'Contacts' })
    .click()
    .catch(() => undefined);
  await noticed;
  expect(page.url()).toContain('/app/sign-in');
}

/** Waits until a value is as wanted: for what the page does not show. */
export async function eventually<T>(
  read: () => Promise<T>,
  isRight: (value: T) => boolean,
  waitMs = WAIT_MS_MAX,
): Promise<T> {
  const deadline = Date.now() + waitMs;
  for (;;) {
    const value = await read();
    if (isRight(value)) return value;
    if (Date.now() > deadline) throw new Error(`This did not become right: ${JSON.stringify(value)}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}
