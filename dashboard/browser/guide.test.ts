/** The guide of a new account: each step is done before the eyes of whoever looks at it. It needs an account without members. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { useScene } from './scene';

const CUSTOMER = '+4915112345699';

const scene = useScene();

const step = (page: Page, name: string) => page.getByRole('listitem', { name });
const menu = (page: Page) => page.getByRole('navigation', { name: 'Main menu' });

it('shows each step when it is done, whoever has done it, and is put away', async () => {
  const { server } = scene;
  const owner = await scene.owner();
  await owner.goto('/app/');
  await owner.getByRole('heading', { name: 'First steps' }).waitFor();
  const isDone = (name: string) => step(owner, name).getByText('Done', { exact: true });

  // The assistant answers a customer of the sandbox.
  expect(await isDone('Try the assistant').count()).toBe(0);
  await server.customerSays(CUSTOMER, { text: 'Do you have oak tables?' });
  await isDone('Try the assistant').waitFor();

  // A contact who has not written was entered or imported.
  expect(await isDone('Import contacts').count()).toBe(0);
  await server.api('POST', '/contacts', { name: 'Ann Weber', phone: '+4915112345601' });
  await isDone('Import contacts').waitFor();

  // A colleague is invited by way of the guide.
  await step(owner, 'Invite a colleague').getByRole('link', { name: 'Invite a colleague' }).click();
  await owner.getByRole('button', { name: 'Invite a member' }).click();
  const dialog = owner.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Zoe New');
  await dialog.getByLabel('Email').fill('zoe@example.com');
  await dialog.getByRole('button', { name: 'Invite a member' }).click();
  await owner.getByRole('textbox', { name: 'One-time link' }).waitFor();
  await owner.keyboard.press('Escape');
  await menu(owner).getByRole('link', { name: 'First steps' }).click();
  await isDone('Invite a colleague').waitFor();

  // Another admin connects a channel, and the owner sees it. The sandbox did not count.
  expect(await isDone('Connect a channel').count()).toBe(0);
  const ada = await scene.member('Ada Admin', 'ada@example.com', 'admin');
  await ada.goto('/app/settings/channels/new?channel=web_chat');
  await ada.getByRole('button', { name: 'Connect a channel' }).click();
  await ada.getByRole('heading', { name: 'As visitors see it' }).waitFor();
  await isDone('Connect a channel').waitFor();
  await owner.getByText('Everything is done').waitFor();

  await owner.getByRole('button', { name: 'Put the guide away' }).click();
  await owner.waitForURL('**/app/inbox');
  await menu(owner).getByRole('link', { name: 'First steps' }).waitFor({ state: 'detached' });
  await owner.goto('/app/');
  await owner.waitForURL('**/app/inbox');
  expect(await menu(owner).getByRole('link', { name: 'First steps' }).count()).toBe(0);
  // It is found again by its keys.
  await owner.keyboard.press('g');
  await owner.keyboard.press('f');
  await owner.getByRole('heading', { name: 'First steps' }).waitFor();
});
