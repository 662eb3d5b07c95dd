/** The inbox with customers of the sandbox, both ways. */
import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { type Customer, eventually, useScene } from './scene';

const scene = useScene();
let page: Page;

const reply = () => page.getByLabel('Reply to the customer');
const thread = () => page.getByRole('region', { name: 'Conversation', exact: true });
// What was said. The composer may still have a text that is on screen already.
const log = () => thread().getByRole('log', { name: 'Messages' });
const row = (name: string) => page.getByRole('link', { name, exact: true });
const toast = (text: string | RegExp) => page.getByText(text).first();

/** The conversation of a new customer, open. */
async function openNew(): Promise<Customer> {
  const customer = await scene.customer();
  await openConversation(customer.name);
  return customer;
}

/** The number of unread conversations in the title. */
const unread = async () => Number(/^\((\d+)\)/.exec(await page.title())?.[1] ?? 0);

async function openConversation(name: string): Promise<void> {
  await row(name).click();
  await thread().getByRole('heading', { name }).waitFor();
}

beforeAll(async () => {
  await scene.server.silenceAssistants();
  page = await scene.owner();
});

beforeEach(async () => {
  await page.goto('/app/inbox');
  // The counts are there, so the title is right.
  await page.getByRole('button', { name: /^Unread ?\d/ }).waitFor();
});

it('shows what a customer writes without a reload, and counts it in the title', async () => {
  const before = await unread();
  const { name } = await scene.customer('Is the oak table still there?');
  await row(name).waitFor();
  await page.getByText('Is the oak table still there?').waitFor();
  await eventually(unread, (count) => count === before + 1);
  await openConversation(name);
  // Opening it reads it.
  await eventually(unread, (count) => count === before);
});

it('sends an answer, shows it at once and its statuses as they come', async () => {
  const { phone } = await openNew();
  await reply().fill('Yes, two are left.');
  await reply().press('Enter');
  await log().getByText('Yes, two are left.').waitFor();
  const sent = await eventually(
    () => scene.server.sentTo(phone),
    (messages) => messages.length === 1,
  );
  expect(sent[0]?.text).toBe('Yes, two are left.');
  await thread().getByLabel('Delivered').waitFor();
  await scene.server.sandbox('POST', `/messages/${sent[0]?.channel_message_id}/read`);
  await thread().getByLabel('Read', { exact: true }).waitFor();
});

it('shows pictures and reactions, and quotes a message', async () => {
  const { phone } = await openNew();
  await reply().fill('Yes, two are left.');
  await reply().press('Enter');
  await eventually(
    () => scene.server.sentTo(phone),
    (messages) => messages.length === 1,
  );
  await scene.server.customerSays(phone, { media: { kind: 'image', caption: 'For this room' } });
  await log().getByText('For this room').waitFor();
  await page.waitForFunction(() =>
    [...document.images].some((image) => image.src.includes('media') && image.naturalWidth > 0),
  );
  const [first] = await scene.server.sentTo(phone);
  const react = (emoji: string) =>
    scene.server.customerSays(phone, { reaction: { message_id: first?.channel_message_id ?? '', emoji } });
  await react('👍');
  await thread().getByText('👍').waitFor();
  await react('');
  await thread().getByText('👍').waitFor({ state: 'detached' });
  await react('❤️');
  await thread().getByText('❤️').waitFor();

  await log().getByText('For this room').hover();
  await thread()
    .getByRole('article')
    .filter({ hasText: 'For this room' })
    .getByRole('button', { name: 'Quote in a reply' })
    .click();
  await reply().fill('It fits well there.');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  const sent = await eventually(
    () => scene.server.sentTo(phone),
    (messages) => messages.length === 2,
  );
  expect(sent[1]?.reply_to ?? sent[0]?.reply_to).toBeTruthy();
});

/** Files as a person drops them, or pastes them from the clipboard. */
async function give(how: 'drop' | 'paste', name: string, words: string): Promise<void> {
  await reply().evaluate(
    (field, [how, name, words]) => {
      const data = new DataTransfer();
      data.items.add(new File([words ?? ''], name ?? '', { type: 'text/plain' }));
      const init = { bubbles: true, cancelable: true };
      if (how === 'drop') {
        field.dispatchEvent(new DragEvent('dragover', { ...init, dataTransfer: data }));
        field.dispatchEvent(new DragEvent('drop', { ...init, dataTransfer: data }));
      } else {
        field.dispatchEvent(new ClipboardEvent('paste', { ...init, clipboardData: data }));
      }
    },
    [how, name, words],
  );
}

it.each(['drop', 'paste'] as const)('sends a file by %s', async (how) => {
  const { phone } = await openNew();
  await give(how, `${how}.txt`, `brought by ${how}`);
  await page.getByRole('list', { name: 'Attached files' }).getByText(`${how}.txt`).waitFor();
  await reply().fill(`See the file (${how})`);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  const sent = await eventually(
    () => scene.server.sentTo(phone),
    (messages) => messages.length === 1,
  );
  expect(sent.map((message) => message.type)).toContain('document');
  await log().getByText(`See the file (${how})`).waitFor();
  // The file that the customer's channel was given is the one from the page.
  const link = thread().getByRole('link', { name: `${how}.txt` });
  const response = await page.request.get((await link.getAttribute('href')) ?? '');
  expect(await response.text()).toBe(`brought by ${how}`);
});

it('keeps a draft per conversation', async () => {
  const other = await scene.customer();
  const { name } = await openNew();
  await reply().fill('A draft');
  await openConversation(other.name);
  expect(await reply().inputValue()).toBe('');
  await openConversation(name);
  expect(await reply().inputValue()).toBe('A draft');
  await page.reload();
  await thread().waitFor();
  expect(await reply().inputValue()).toBe('A draft');
});

it('writes a private note that is never sent', async () => {
  const { phone } = await openNew();
  await page.getByRole('tab', { name: 'Private note' }).click();
  await page.getByLabel('Private note, not sent to the customer').fill('Wants a discount');
  await page.getByRole('button', { name: 'Save the note' }).click();
  await log().getByText('Wants a discount').waitFor();
  expect(await scene.server.sentTo(phone)).toEqual([]);
});

it('fills in a canned reply by its shortcut', async () => {
  await scene.server.api('POST', '/canned-replies', {
    shortcut: 'hours',
    body: 'Hello {{contact.name}}, we open at nine.',
  });
  await page.reload();
  const { name } = await openNew();
  const filled = `Hello ${name}, we open at nine.`;
  await reply().fill('/hou');
  await page.getByRole('option', { name: /hours/ }).waitFor();
  await reply().press('Enter');
  await eventually(
    () => reply().inputValue(),
    (value) => value === filled,
  );
  await reply().press('Enter');
  await log().getByText(filled).waitFor();
});

it('says why a message failed', async () => {
  await openNew();
  await scene.server.sandbox('PUT', '/faults', {
    faults: [{ on: 'webhook', kind: 'error', code: 131026, times: 1 }],
  });
  await reply().fill('This cannot arrive');
  await reply().press('Enter');
  await thread()
    .getByText(/Code of the channel: 131026/)
    .waitFor();
  await scene.server.sandbox('DELETE', '/faults');
});

it('assigns, snoozes, closes and reopens by keyboard', async () => {
  const { conversationId } = await openNew();
  await reply().blur();
  await page.keyboard.press('m');
  await page.getByRole('button', { name: 'Assignee: Owner. Change' }).waitFor();
  await page.keyboard.press('s');
  await page.getByRole('menuitem', { name: /In an hour/ }).click();
  await thread()
    .getByText(/Snoozed until/)
    .waitFor();
  await page.keyboard.press('s');
  await page.getByRole('menuitem', { name: 'End the snooze now' }).click();
  await thread()
    .getByText(/Snoozed until/)
    .waitFor({ state: 'detached' });
  await page.keyboard.press('e');
  await page.waitForURL((url) => !url.pathname.endsWith(conversationId));
  await page.goto(`/app/inbox/${conversationId}`);
  await page.getByRole('button', { name: 'Reopen' }).waitFor();
  await page.keyboard.press('e');
  await thread().getByRole('button', { name: 'Close', exact: true }).waitFor();
  // Keys do nothing while somebody writes.
  await reply().fill('me');
  await reply().press('e');
  expect(await reply().inputValue()).toBe('mee');
  await thread().getByRole('button', { name: 'Close', exact: true }).waitFor();
  await reply().fill('');
});

it('leads to the next conversation when one is closed; a key that is held down closes no other', async () => {
  const [third, second, first] = [await scene.customer(), await scene.customer(), await scene.customer()];
  await openConversation(first.name);
  await reply().blur();
  await page.keyboard.down('e');
  await page.keyboard.down('e');
  await page.keyboard.up('e');
  await thread().getByRole('heading', { name: second.name }).waitFor();
  // The same by the button, whose place belongs to the next conversation then.
  await thread().getByRole('button', { name: 'Close', exact: true }).focus();
  await page.keyboard.press('Enter');
  await thread().getByRole('heading', { name: third.name }).waitFor();
  await page.keyboard.press('Enter');
  await row(second.name).waitFor({ state: 'detached' });
  await row(third.name).first().waitFor();
  // The message that it was closed can take it back.
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await row(second.name).waitFor();
});

it('marks a conversation as unread and finds conversations by their words', async () => {
  const before = await unread();
  const { name } = await scene.customer('Where is my order 4711?');
  const other = await openNew();
  // The first is unread, the other was read by opening it.
  await eventually(unread, (count) => count === before + 1);
  await reply().blur();
  await page.keyboard.press('u');
  await eventually(unread, (count) => count === before + 2);
  await page.getByLabel('Search conversations').fill('order 4711');
  await row(other.name).waitFor({ state: 'detached' });
  await row(name).waitFor();
  await page.getByLabel('Search conversations').fill('');
  await row(other.name).waitFor();
});

it('runs a command from the palette', async () => {
  const { name } = await scene.customer();
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder('Find a person, a conversation, a deal or a command').fill('deals');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Deals', level: 1 }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('i');
  await row(name).waitFor();
});

it('hands over to an assistant and back', async () => {
  const [assistant] = await scene.server.api<Array<{ id: string; name: string }>>('GET', '/assistants');
  const { name, phone } = await scene.customer();
  const enable = (enabled: boolean) =>
    scene.server.api('PATCH', `/assistants/${assistant?.id}`, { enabled }).then(() => undefined);
  await enable(true);
  onTestFinished(() => enable(false));
  await page.reload();
  await openConversation(name);
  await page.getByRole('button', { name: 'Hand over to an assistant' }).click();
  await page.getByRole('menuitem', { name: assistant?.name ?? '' }).click();
  await page.getByRole('button', { name: 'Hand over to an assistant', pressed: true }).waitFor();
  await scene.server.customerSays(phone, { text: 'Hello?' });
  await log()
    .getByText(assistant?.name ?? '')
    .first()
    .waitFor();
  await log().getByRole('link', { name: 'Show the run' }).first().waitFor();
  await page.getByRole('button', { name: 'Hand over to an assistant' }).click();
  await page.getByRole('menuitem', { name: 'Take over from the assistant' }).click();
  await page.getByRole('button', { name: 'Hand over to an assistant', pressed: false }).waitFor();
});

it('changes many conversations at once', async () => {
  const both = [await scene.customer(), await scene.customer()];
  for (const { name } of both) {
    await row(name).waitFor();
    await page.getByLabel(`Select ${name}`).check({ force: true });
  }
  await page.getByRole('toolbar', { name: 'Selected rows' }).getByRole('button', { name: 'Status' }).click();
  await page.getByRole('menuitem', { name: 'Close' }).click();
  await toast('2 changed.').waitFor();
  for (const { name } of both) await row(name).waitFor({ state: 'detached' });
  await scene.server.customerSays(both[0]?.phone ?? '', { text: 'One more thing' });
  await row(both[0]?.name ?? '').waitFor();
});

it('shows a lost connection, and what came meanwhile once it is back', async () => {
  const { phone } = await openNew();
  await scene.server.stopProcess();
  await page.getByText('Connection lost.').waitFor();
  await scene.server.startAgain();
  await scene.server.customerSays(phone, { text: 'While you were away' });
  await log().getByText('While you were away').waitFor();
  await page.getByText('Connection lost.').waitFor({ state: 'detached' });
});
