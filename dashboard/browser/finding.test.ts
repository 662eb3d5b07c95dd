/** Finding people, conversations and deals by Ctrl-K, building a segment, and the number of contacts. */
import type { Page, Route } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { choose, useScene } from './scene';

const ANN = '+4915112345601';
const HINT = 'Find a person, a conversation, a deal or a command';
const scene = useScene();
let page: Page;

const option = (name: string | RegExp) => page.getByRole('option', { name });
const group = (name: string) => page.getByRole('group', { name, exact: true });

const down = (route: Route) => route.fulfill({ status: 503, json: { error: { code: 'internal' } } });

async function search(words: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder(HINT).fill(words);
}

beforeAll(async () => {
  const { server } = scene;
  await server.silenceAssistants();
  const contact = await server.api('POST', '/contacts', { name: 'Ann Weber', phone: ANN, company: 'Acme' });
  await server.api('POST', '/contacts', { name: 'Ben Bell', company: 'Bolt' });
  await server.customerSays(ANN, { text: 'Is the walnut table still there?' });
  const deal = { title: 'Walnut table', value: 4_200, currency: 'EUR', contact_id: contact.id };
  await server.api('POST', '/deals', { ...deal, ...(await server.firstStage()) });
  page = await scene.owner();
});

it('finds people, conversations and deals beside commands', async () => {
  await search('walnut');
  await group('Deals')
    .getByRole('option', { name: /Walnut table/ })
    .waitFor();
  await group('Conversations')
    .getByRole('option', { name: /Ann Weber/ })
    .waitFor();
  await page.getByPlaceholder(HINT).fill('acme');
  await group('People')
    .getByRole('option', { name: /Ann Weber/ })
    .waitFor();
  await option(/Walnut/).waitFor({ state: 'detached' });
  await page.getByPlaceholder(HINT).fill('nothing of this kind');
  await page.getByText('Nothing matches.').waitFor();
  await page.keyboard.press('Escape');
});

it('opens what was found by keyboard alone', async () => {
  await search('ben be');
  await option(/Ben Bell/).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Ben Bell' }).waitFor();
  await search('walnut');
  await option(/Walnut table/).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Walnut table' }).waitFor();
});

it('asks once for each kind after the last letter, and shows nothing that was found for other words', async () => {
  const asked: string[] = [];
  let answerFirst = () => {};
  const last = new Promise<void>((done) => {
    answerFirst = done;
  });
  await page.route(/\/(contacts|inbox|deals)\?/, async (route) => {
    const words = new URL(route.request().url()).searchParams.get('q');
    if (words === null) return route.continue();
    asked.push(words);
    const response = await route.fetch();
    // The answer for the first words comes last.
    if (words === 'weber') await last;
    await route.fulfill({ response }).catch(() => undefined);
  });
  await search('');
  await page.keyboard.type('weber', { delay: 20 });
  await expect.poll(() => asked.length).toBe(3);
  await page.getByPlaceholder(HINT).fill('bolt');
  await option(/Ben Bell/).waitFor();
  answerFirst();
  await page.unrouteAll({ behavior: 'wait' });
  expect(await option(/Ann Weber/).count()).toBe(0);
  expect(asked).toEqual(['weber', 'weber', 'weber', 'bolt', 'bolt', 'bolt']);
  await page.keyboard.press('Escape');
});

it('says that a search failed, still runs commands, and searches again', async () => {
  await page.route('**/deals?*q=*', down);
  await search('table');
  await page.getByRole('alert').waitFor();
  await option(/Ann Weber/).waitFor();
  await page.unroute('**/deals?*q=*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await option(/Walnut table/).waitFor();
  await page.keyboard.press('Escape');
});

it('shows how many contacts there are, and how many match', async () => {
  await page.goto('/app/contacts');
  await page.getByText('2 contacts', { exact: true }).waitFor();
  await page.getByLabel('Search contacts').fill('bolt');
  await page.getByText('1 contact', { exact: true }).waitFor();
  await page.getByLabel('Search contacts').fill('');
  // Of a colleague, or a customer who writes for the first time.
  await scene.server.api('POST', '/contacts', { name: 'Cy Stone' });
  await page.getByText('3 contacts', { exact: true }).waitFor();
});

it('shows who a segment would contain while it is built', async () => {
  await page.goto('/app/segments/new');
  await page.getByText('Complete the rules to see who matches.').waitFor();
  await choose(page.getByLabel('Rule 1: field'), 'Company');
  await choose(page.getByLabel('Rule 1: comparison'), 'is filled in');
  const preview = page.locator('section').filter({ hasText: 'Who matches' });
  await preview.getByText('2 contacts', { exact: true }).waitFor();
  await preview.getByRole('link', { name: 'Ann Weber' }).waitFor();
  await choose(page.getByLabel('Rule 1: comparison'), 'is');
  await page.getByLabel('Rule 1: value').fill('bolt');
  await preview.getByText('1 contact', { exact: true }).waitFor();
  expect(await preview.getByRole('link').allTextContents()).toEqual(['Ben Bell']);
  await page.route('**/segments/preview', down);
  await page.getByLabel('Rule 1: value').fill('acme');
  await preview.getByRole('alert').waitFor();
  await page.unroute('**/segments/preview');
  await preview.getByRole('button', { name: 'Try again' }).click();
  await preview.getByRole('link', { name: 'Ann Weber' }).waitFor();
});
