/** Small things of the inbox: the counter near a message's limit, the contact panel, mentions. */
import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { type Customer, useScene } from './scene';

const WIDE = { width: 1400, height: 800 };
const scene = useScene();
let page: Page;
let customer: Customer;

const reply = () => page.getByLabel('Reply to the customer');

beforeAll(async () => {
  await scene.server.silenceAssistants();
  page = await scene.owner();
});

beforeEach(async () => {
  customer = await scene.customer();
  await page.setViewportSize(WIDE);
  await page.goto(`/app/inbox/${customer.conversationId}`);
  await reply().waitFor();
});

it('counts the characters near the limit of a message, and sends none that is too long', async () => {
  await reply().fill('x'.repeat(3_000));
  expect(await page.getByText(/characters? left/).count()).toBe(0);
  await reply().fill('x'.repeat(4_090));
  await page.getByText('6 characters left').waitFor();
  await reply().fill('x'.repeat(4_097));
  await page.getByText('1 character too many').waitFor();
  expect(await page.getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(true);
  await reply().press('Enter');
  expect((await reply().inputValue()).length).toBe(4_097);
  expect(await scene.server.sentTo(customer.phone)).toEqual([]);
});

it('opens no contact panel by itself when the window becomes narrow', async () => {
  const panel = page.getByRole('complementary', { name: 'Contact' });
  const toggle = page.getByRole('button', { name: 'Show or hide the contact' });
  await panel.waitFor();
  // Closed and opened by hand, it is still only beside the conversation.
  await toggle.click();
  await panel.waitFor({ state: 'detached' });
  await toggle.click();
  await panel.waitFor();
  await page.setViewportSize({ width: 1000, height: 800 });
  await panel.waitFor({ state: 'detached' });
  expect(await page.getByRole('dialog').count()).toBe(0);
  await toggle.click();
  await page.getByRole('dialog', { name: 'Contact' }).waitFor();
  await page.keyboard.press('Escape');
  await page.setViewportSize(WIDE);
  await panel.waitFor();
});

it('names the author of a note that mentions the member, also on a page that knows no members', async () => {
  const bo = await scene.member('Bo Agent', 'bo@example.com');
  await page.goto('/app/shortcuts');
  await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
  await bo.goto(`/app/inbox/${customer.conversationId}`);
  await bo.getByRole('tab', { name: 'Private note' }).click();
  const note = bo.getByLabel('Private note, not sent to the customer');
  await note.fill('Look at this, @Own');
  await bo.getByRole('option', { name: 'Owner' }).click();
  await bo.getByRole('button', { name: 'Save the note' }).click();
  await page.getByText('Bo Agent mentioned you').first().waitFor();
});
