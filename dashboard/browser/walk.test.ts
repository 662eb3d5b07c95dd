/**
 * The walk of a shop owner who has never seen a terminal: from the link that the first start prints to an assistant that
 * answers in the widget, an approval, and a broadcast in the sandbox. Everything is done in the browser, by what the
 * pages say. Each step is timed, and the table at the end is the one of docs/first-hour.md.
 */
import type { Page } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';
import { seriousFindings } from './axe';
import { OWNER, PASSWORD, useScene } from './scene';

const NUMBERS = ['+49 151 5550101', '+49 151 5550102', '+49 151 5550103'];
/** As fast as somebody types who types well. */
const KEY_MS = 15;

const scene = useScene();
const steps: Array<{ step: string; presses: number; ms: number }> = [];
let page: Page;

/** Counts what a person presses, and how long the step takes. */
let presses = 0;
async function step(name: string, walk: () => Promise<void>): Promise<void> {
  const began = performance.now();
  presses = 0;
  await walk();
  steps.push({ step: name, presses, ms: performance.now() - began });
}

const main = () => page.getByRole('main');
const menu = () => page.getByRole('navigation', { name: 'Main menu' });
const guided = (name: string) => page.getByRole('listitem', { name });
const PREVIEW = 'iframe[title="As visitors see it"]';
const visitor = () => page.frameLocator(PREVIEW);

async function press(what: { click: () => Promise<void> }): Promise<void> {
  presses += 1;
  await what.click();
}

async function write(into: ReturnType<Page['getByLabel']>, text: string): Promise<void> {
  await press(into);
  await into.pressSequentially(text, { delay: KEY_MS });
}

/** Writes as a visitor of the shop. The preview is smaller than the chat, where a press in the frame is not found by its place. */
async function ask(question: string): Promise<void> {
  await page.locator(PREVIEW).scrollIntoViewIfNeeded();
  const message = visitor().getByLabel('Your message');
  await press({ click: () => message.focus() });
  await message.pressSequentially(question, { delay: KEY_MS });
  presses += 1;
  await page.keyboard.press('Enter');
}

afterAll(() => {
  const rows = steps.map(({ step: name, presses: count, ms }) => [
    name,
    String(count),
    (ms / 1_000).toFixed(1),
  ]);
  const total = steps.reduce((sum, { ms }) => sum + ms, 0) / 1_000;
  const all = steps.reduce((sum, { presses: count }) => sum + count, 0);
  const table = [['Step', 'Presses', 'Seconds'], ...rows, ['All of it', String(all), total.toFixed(1)]];
  process.stdout.write(`${table.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`);
});

it('leads from the printed link to an assistant, an approval and a broadcast, in the browser alone', async () => {
  page = await scene.open();

  await step('Open the link', async () => {
    presses += 1;
    await page.goto(scene.server.ownerLink);
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
  });

  await step('Set a password', async () => {
    await press(main().getByRole('link', { name: 'Set a password' }));
    await write(page.getByLabel('New password'), PASSWORD);
    await press(page.getByRole('button', { name: 'Set a password' }));
    await page.getByText('Your password is set.').waitFor();
  });

  await step('Connect the web chat', async () => {
    await press(menu().getByRole('link', { name: 'First steps' }));
    await press(guided('Connect a channel').getByRole('link', { name: 'Connect a channel' }));
    await press(page.getByRole('radio', { name: /^Web chat/ }));
    await press(page.getByRole('button', { name: 'Connect a channel' }));
    await visitor().getByRole('dialog').waitFor();
  });

  await step('Create an assistant for it', async () => {
    await press(menu().getByRole('link', { name: 'First steps' }));
    await guided('Connect a channel').getByText('Done', { exact: true }).waitFor();
    await press(guided('Try the assistant').getByRole('link', { name: 'Assistants' }));
    await press(page.getByRole('button', { name: 'New assistant' }));
    await write(page.getByLabel('Name'), 'Nora');
    await press(page.getByRole('button', { name: 'Create' }));
    await write(
      page.getByLabel('Prompt'),
      'You help the visitors of a furniture shop. Be brief and friendly.',
    );
    await press(page.getByLabel('Web chat'));
    // The page says that another assistant would answer, and lets it go.
    await press(page.getByRole('button', { name: 'Take the channel off Robin: Web chat' }));
    await page.getByText('Robin is older and has this channel too').waitFor({ state: 'detached' });
    await press(page.getByLabel('Write a note: ask a person each time'));
    expect(await seriousFindings(page)).toEqual([]);
    await press(page.getByRole('button', { name: /^Save/ }));
    await page.getByText('Saved. It works like this from now on.').waitFor();
  });

  await step('Write as a visitor, and get its answer', async () => {
    await press(menu().getByRole('link', { name: 'First steps' }));
    await press(page.getByRole('link', { name: 'Write in your web chat' }));
    await visitor().getByRole('dialog').waitFor();
    await ask('Do you have oak tables?');
    await visitor().getByText('You said: Do you have oak tables?').waitFor();
  });

  await step('Let it ask, and approve', async () => {
    // The guide gives this sentence as an example.
    await ask('Please add a note: I need two oak chairs.');
    await press(page.getByRole('button', { name: 'Open approvals' }));
    await page.getByText('Nora wants to: Write a note').first().waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await press(page.getByRole('button', { name: /^Approve/ }));
    await page.getByText('Approved by you').waitFor();
    await press(page.getByRole('link', { name: 'Open the conversation' }));
    await page
      .getByRole('log', { name: 'Messages' })
      .getByText(/Done\./)
      .waitFor();
  });

  await step('Send a broadcast, and see it arrive', async () => {
    await press(menu().getByRole('link', { name: 'Broadcasts' }));
    await press(page.getByRole('link', { name: 'New broadcast' }).first());
    await write(page.getByLabel('Name', { exact: true }), 'Summer sale');
    await press(page.getByRole('radio', { name: /list of numbers/ }));
    await main().getByText('This is practice').waitFor();
    await write(page.getByLabel('Phone numbers', { exact: true }), NUMBERS.join(', '));
    await page.getByText('3 people').waitFor();
    await press(page.getByRole('button', { name: 'Next: Message' }));
    await press(page.getByLabel('Template', { exact: true }));
    await press(page.getByRole('option', { name: 'hello_world (en_US)' }));
    await press(page.getByRole('button', { name: 'Next: Check and send' }));
    await press(page.getByRole('button', { name: 'Send now' }));
    await page.getByRole('heading', { name: 'Summer sale' }).waitFor();
    await main()
      .locator('dl > div')
      .filter({ has: page.getByText('Delivered', { exact: true }) })
      .getByText('3', { exact: true })
      .waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });

  await step('Sign in again with the password', async () => {
    await press(page.getByRole('button', { name: /: menu$/ }));
    await press(page.getByRole('menuitem', { name: 'Sign out' }));
    await write(page.getByLabel('Email'), OWNER);
    await write(page.getByLabel('Password'), PASSWORD);
    await press(page.getByRole('button', { name: 'Sign in' }));
    await menu().getByRole('link', { name: 'Inbox' }).waitFor();
  });
}, 300_000);
