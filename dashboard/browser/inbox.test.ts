/** The inbox with customers of the sandbox, both ways. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { eventually, useScene } from './scene';

const ANN = '+4915112345601';
const BEN = '+14155550111';
const HOUR_SECONDS = 3_600;

const scene = useScene();
let page: Page;

const reply = () => page.getByLabel('Reply to the customer');
const thread = () => page.getByRole('region', { name: 'Conversation', exact: true });
// What was said. The composer may still have a text that is on screen already.
const log = () => thread().getByRole('log', { name: 'Messages' });
const row = (name: string) => page.getByRole('link', { name, exact: true });
const toast = (text: string | RegExp) => page.getByText(text).first();

async function openConversation(name: string): Promise<void> {
  await row(name).click();
  await thread().getByRole('heading', { name }).waitFor();
}

beforeAll(async () => {
  const { server } = scene;
  const assistants = await server.api<Array<{ id: string }>>('GET', '/assistants');
  for (const { id } of assistants) await server.api('PATCH', `/assistants/${id}`, { enabled: false });
  await server.api('POST', '/contacts', { phone: ANN, name: 'Ann Weber' });
  await server.api('POST', '/contacts', { phone: BEN, name: 'Ben Bell' });
  page = await scene.owner();
});

it('shows what a customer writes without a reload, and counts it in the title', async () => {
  await page.getByRole('heading', { name: 'No open conversations' }).waitFor();
  await scene.server.customerSays(ANN, { text: 'Is the oak table still there?' });
  await row('Ann Weber').waitFor();
  await page.getByText('Is the oak table still there?').waitFor();
  await page.waitForFunction(() => document.title.startsWith('(1)'));
  await openConversation('Ann Weber');
  // Opening it reads it.
  await page.waitForFunction(() => !document.title.startsWith('('));
});

it('sends an answer, shows it at once and its statuses as they come', async () => {
  await reply().fill('Yes, two are left.');
  await reply().press('Enter');
  await log().getByText('Yes, two are left.').waitFor();
  const sent = await eventually(
    () => scene.server.sentTo(ANN),
    (messages) => messages.length === 1,
  );
  expect(sent[0]?.text).toBe('Yes, two are left.');
  await thread().getByLabel('Delivered').waitFor();
  await scene.server.sandbox('POST', `/messages/${sent[0]?.channel_message_id}/read`);
  await thread().getByLabel('Read', { exact: true }).waitFor();
});

it('shows pictures and reactions, and quotes a message', async () => {
  await scene.server.customerSays(ANN, { media: { kind: 'image', caption: 'For this room' } });
  await log().getByText('For this room').waitFor();
  await page.waitForFunction(() =>
    [...document.images].some((image) => image.src.includes('media') && image.naturalWidth > 0),
  );
  const [first] = await scene.server.sentTo(ANN);
  const react = (emoji: string) =>
    scene.server.customerSays(ANN, { reaction: { message_id: first?.channel_message_id ?? '', emoji } });
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
    () => scene.server.sentTo(ANN),
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
  const before = (await scene.server.sentTo(ANN)).length;
  await give(how, `${how}.txt`, `brought by ${how}`);
  await page.getByRole('list', { name: 'Attached files' }).getByText(`${how}.txt`).waitFor();
  await reply().fill(`See the file (${how})`);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  const sent = await eventually(
    () => scene.server.sentTo(ANN),
    (messages) => messages.length === before + 1,
  );
  expect(sent.map((message) => message.type)).toContain('document');
  await log().getByText(`See the file (${how})`).waitFor();
  // The file that the customer's channel was given is the one from the page.
  const link = thread().getByRole('link', { name: `${how}.txt` });
  const response = await page.request.get((await link.getAttribute('href')) ?? '');
  expect(await response.text()).toBe(`brought by ${how}`);
});

it('keeps a draft per conversation', async () => {
  await scene.server.customerSays(BEN, { text: 'Where is my order?' });
  await row('Ben Bell').waitFor();
  await reply().fill('A draft for Ann');
  await openConversation('Ben Bell');
  expect(await reply().inputValue()).toBe('');
  await openConversation('Ann Weber');
  expect(await reply().inputValue()).toBe('A draft for Ann');
  await page.reload();
  await thread().waitFor();
  expect(await reply().inputValue()).toBe('A draft for Ann');
  await reply().fill('');
});

it('writes a private note that is never sent', async () => {
  const before = (await scene.server.sentTo(ANN)).length;
  await page.getByRole('tab', { name: 'Private note' }).click();
  await page.getByLabel('Private note, not sent to the customer').fill('Wants a discount');
  await page.getByRole('button', { name: 'Save the note' }).click();
  await log().getByText('Wants a discount').waitFor();
  expect((await scene.server.sentTo(ANN)).length).toBe(before);
  await page.getByRole('tab', { name: 'Reply' }).click();
});

it('fills in a canned reply by its shortcut', async () => {
  await scene.server.api('POST', '/canned-replies', {
    shortcut: 'hours',
    body: 'Hello {{contact.name}}, we open at nine.',
  });
  await page.reload();
  await reply().fill('/hou');
  await page.getByRole('option', { name: /hours/ }).waitFor();
  await reply().press('Enter');
  await page.waitForFunction(() =>
    [...document.querySelectorAll('textarea')].some(
      (box) => box.value === 'Hello Ann Weber, we open at nine.',
    ),
  );
  await reply().press('Enter');
  await log().getByText('Hello Ann Weber, we open at nine.').waitFor();
});

it('says why a message failed', async () => {
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
  await page.getByRole('heading', { name: 'Ann Weber' }).first().click({ trial: true });
  await reply().blur();
  await page.keyboard.press('m');
  await page.getByRole('button', { name: 'Assigned to: Owner. Change' }).waitFor();
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

it('marks a conversation as unread and finds conversations by their words', async () => {
  await reply().blur();
  await page.keyboard.press('u');
  await page.waitForFunction(() => document.title.startsWith('('));
  await page.getByLabel('Search conversations').fill('order');
  await row('Ann Weber').waitFor({ state: 'detached' });
  await row('Ben Bell').waitFor();
  await page.getByLabel('Search conversations').fill('');
  await row('Ann Weber').waitFor();
});

it('runs a command from the palette', async () => {
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder('Find a person, a conversation, a deal or a command').fill('deals');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Deals' }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('i');
  await row('Ann Weber').waitFor();
});

it('hands over to an assistant and back', async () => {
  const [assistant] = await scene.server.api<Array<{ id: string; name: string }>>('GET', '/assistants');
  await scene.server.api('PATCH', `/assistants/${assistant?.id}`, { enabled: true });
  await page.reload();
  await openConversation('Ben Bell');
  await page.getByRole('button', { name: 'Hand over to an assistant' }).click();
  await page.getByRole('menuitem', { name: assistant?.name ?? '' }).click();
  await page.getByRole('button', { name: 'Hand over to an assistant', pressed: true }).waitFor();
  await scene.server.customerSays(BEN, { text: 'Hello?' });
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
  await page.getByLabel('Select Ann Weber').check({ force: true });
  await page.getByLabel('Select Ben Bell').check({ force: true });
  await page.getByRole('toolbar', { name: 'Selected rows' }).getByRole('button', { name: 'Status' }).click();
  await page.getByRole('menuitem', { name: 'Close' }).click();
  await toast('2 changed.').waitFor();
  await page.getByRole('heading', { name: 'No open conversations' }).waitFor();
  await scene.server.customerSays(ANN, { text: 'One more thing' });
  await row('Ann Weber').waitFor();
});

it('offers a template once the 24 hours are over', async () => {
  await openConversation('Ann Weber');
  await page.clock.setSystemTime(await scene.server.advance(25 * HOUR_SECONDS));
  await page.reload();
  await page.getByText('The 24 hours after the customer’s last message are over.').waitFor();
  await page.getByRole('button', { name: 'Send a template' }).click();
  const dialog = page.getByRole('dialog', { name: 'Send a template' });
  await dialog.getByRole('combobox', { name: 'Template' }).fill('hello_world');
  await page
    .getByRole('option', { name: /hello_world/ })
    .first()
    .click();
  await dialog.getByRole('button', { name: 'Send the template' }).click();
  await thread().getByText('Template: hello_world').waitFor();
  await eventually(
    () => scene.server.sentTo(ANN),
    (messages) => messages.some((message) => message.template?.name === 'hello_world'),
  );
});

it('shows a lost connection, and what came meanwhile once it is back', async () => {
  await scene.server.stopProcess();
  await page.getByText('Connection lost.').waitFor();
  await scene.server.startAgain();
  await scene.server.customerSays(ANN, { text: 'While you were away' });
  await log().getByText('While you were away').waitFor();
  await page.getByText('Connection lost.').waitFor({ state: 'detached' });
});
