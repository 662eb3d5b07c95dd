/** A member with a phone in the hand: no keyboard, no room, touch alone. */
import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { eventually, useScene } from './scene';

const ANN = '+4915112345601';
const scene = useScene();
let page: Page;

interface Conversation {
  id: string;
  status: string;
  snoozed_until: string | null;
}

const conversation = async () =>
  (await scene.server.api<Conversation[]>('GET', '/conversations'))[0] as Conversation;

beforeAll(async () => {
  const { server } = scene;
  await server.silenceAssistants();
  const contact = await server.api('POST', '/contacts', { phone: ANN, name: 'Ann Weber' });
  await server.customerSays(ANN, { text: 'Is the oak table still there?' });
  await server.api('POST', '/deals', {
    title: 'Oak table',
    value: 4_200,
    currency: 'EUR',
    contact_id: contact.id,
    ...(await server.firstStage()),
  });
  page = await scene.owner({ viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true });
});

beforeEach(async () => {
  await page.goto('/app/inbox');
});

/** Opens the conversation from the list. */
async function openConversation(): Promise<void> {
  await page.getByRole('link', { name: 'Ann Weber', exact: true }).tap();
  await page.getByLabel('Reply to the customer').waitFor();
}

it('answers a customer, and goes back to the list', async () => {
  await openConversation();
  await page.getByLabel('Reply to the customer').fill('It is.');
  await page.getByRole('button', { name: 'Send', exact: true }).tap();
  await eventually(
    () => scene.server.sentTo(ANN),
    (sent) => sent.some(({ text }) => text === 'It is.'),
  );
  await page.getByRole('button', { name: 'Back to the list' }).tap();
  await page.getByRole('link', { name: 'Ann Weber', exact: true }).waitFor();
});

it('finds what the header has no room for under more actions', async () => {
  await openConversation();
  await page.getByRole('button', { name: 'More actions' }).tap();
  await page.getByRole('menuitem', { name: /Tomorrow morning/ }).tap();
  await eventually(conversation, ({ snoozed_until: until }) => until !== null);
  await page.getByRole('button', { name: 'More actions' }).tap();
  await page.getByRole('menuitem', { name: 'End the snooze now' }).tap();
  await eventually(conversation, ({ snoozed_until: until, status }) => until === null && status === 'open');
});

it('hides the navigation inside a conversation, and shows it again in the list', async () => {
  const navigation = page.getByRole('navigation', { name: 'Main menu' });
  await openConversation();
  expect(await navigation.isVisible()).toBe(false);
  await page.getByRole('button', { name: 'Back to the list' }).tap();
  await navigation.waitFor();
});

it('finds the other pages under More, which shows that one of them is open', async () => {
  const more = page.getByRole('button', { name: 'More', exact: true });
  expect(await page.getByRole('link', { name: 'Bookings' }).isVisible()).toBe(false);
  await more.tap();
  await page.getByRole('menuitem', { name: 'Bookings' }).tap();
  await page.getByRole('heading', { name: 'Bookings', exact: true }).waitFor();
  expect(await more.getAttribute('aria-current')).toBe('true');
  const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement);
  expect(scrollWidth).toBe(clientWidth);
});

it('moves a deal to another stage', async () => {
  await page.getByRole('link', { name: 'Deals' }).tap();
  await page.getByRole('button', { name: /Move .Oak table./ }).tap();
  await page.getByRole('menuitem', { name: 'Proposal' }).tap();
  const proposal = page.getByRole('region', { name: 'Proposal', exact: true });
  await proposal.getByRole('article').filter({ hasText: 'Oak table' }).waitFor();
});

it('shows contacts as cards, opens one and selects one', async () => {
  await page.getByRole('link', { name: 'Contacts' }).tap();
  await page.getByRole('list', { name: 'Contacts' }).waitFor();
  expect(await page.getByRole('table').count()).toBe(0);
  await page.getByText('1 contact', { exact: true }).waitFor();
  await page.getByRole('checkbox', { name: /Ann Weber/ }).tap();
  await page.getByRole('toolbar', { name: 'Selected rows' }).getByText('1 selected').waitFor();
  await page.getByRole('checkbox', { name: /Ann Weber/ }).tap();
  // The whole card leads to the contact, not its name alone.
  await page.getByRole('listitem').getByText(ANN).tap({ force: true });
  await page.getByRole('heading', { name: 'Ann Weber' }).waitFor();
});
