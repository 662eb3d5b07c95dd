/** Two members at once. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { type Customer, choosePassword, eventually, PASSWORD, sessionEnds, signIn, useScene } from './scene';

const scene = useScene();
let owner: Page;
let bo: Page;

const thread = (page: Page) => page.getByRole('region', { name: 'Conversation', exact: true });

beforeAll(async () => {
  await scene.server.silenceAssistants();
  [owner, bo] = await Promise.all([scene.owner(), scene.member('Bo Agent', 'bo@example.com')]);
});

/** The conversation of a new customer, open on both screens. */
async function openOnBoth(): Promise<Customer> {
  const customer = await scene.customer();
  for (const page of [owner, bo]) {
    await page.goto(`/app/inbox/${customer.conversationId}`);
    await page.getByLabel('Reply to the customer').waitFor();
  }
  return customer;
}

it('shows who else is there and who writes', async () => {
  await openOnBoth();
  await thread(owner).getByText('Bo Agent is looking at this conversation too.').waitFor();
  await bo.getByLabel('Reply to the customer').pressSequentially('Hello');
  await thread(owner).getByText('Bo Agent is typing…').waitFor();
});

it('brings what one member does to the other', async () => {
  const { name } = await openOnBoth();
  const list = owner.getByRole('region', { name: 'Conversations' });
  const row = list.getByRole('link', { name, exact: true });
  await bo.getByLabel('Reply to the customer').fill('Good morning, Ann.');
  await bo.getByLabel('Reply to the customer').press('Enter');
  const message = thread(owner).getByRole('article').filter({ hasText: 'Good morning, Ann.' });
  await message.getByText('Bo Agent').waitFor();

  await bo.getByRole('tab', { name: 'Private note' }).click();
  await bo.getByLabel('Private note, not sent to the customer').fill('She asked twice');
  await bo.getByRole('button', { name: 'Save the note' }).click();
  await thread(owner).getByText('She asked twice').waitFor();

  await bo.getByRole('button', { name: /^Assignee/ }).click();
  await bo.getByRole('menuitem', { name: 'Bo Agent' }).click();
  await owner.getByRole('button', { name: 'Assignee: Bo Agent. Change' }).waitFor();
  await owner.getByRole('button', { name: /^Unassigned/ }).click();
  await row.waitFor({ state: 'detached' });
  await owner.getByRole('button', { name: /^All/ }).click();
  await row.waitFor();
});

it('tells a member who is mentioned in a note', async () => {
  const { conversationId } = await scene.customer();
  await owner.goto('/app/deals');
  await owner.getByRole('region', { name: 'New', exact: true }).waitFor();
  await bo.goto(`/app/inbox/${conversationId}`);
  await bo.getByRole('tab', { name: 'Private note' }).click();
  await bo.getByLabel('Private note, not sent to the customer').fill('Please decide, @Own');
  await bo.getByRole('option', { name: 'Owner' }).click();
  await bo.getByRole('button', { name: 'Save the note' }).click();
  await owner.getByText('Bo Agent mentioned you in a note').waitFor();
  await owner.getByRole('button', { name: 'Open the conversation' }).click();
  await thread(owner).getByText('Please decide').waitFor();
});

it('keeps an agent out of the administration', async () => {
  await bo.goto('/app/settings');
  await bo.getByRole('link', { name: 'Preferences' }).waitFor();
  expect(await bo.getByRole('link', { name: 'Members' }).count()).toBe(0);
  await bo.goto('/app/settings/members');
  await bo.getByRole('heading', { name: 'For admins only' }).waitFor();
});

it('invites a member from the settings, changes the role and removes the member', async () => {
  await owner.goto('/app/settings/members');
  await owner.getByRole('button', { name: 'Invite a member' }).click();
  const dialog = owner.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Cy New');
  await dialog.getByLabel('Email').fill('cy@example.com');
  await dialog
    .getByRole('button', { name: /invite|make/i })
    .last()
    .click();
  const link = await owner.getByRole('textbox', { name: 'One-time link' }).inputValue();
  await owner.keyboard.press('Escape');

  const cy = await scene.open();
  await choosePassword(cy, link, 'seven quiet river stones');
  await signIn(cy, 'cy@example.com', 'seven quiet river stones');
  await cy.getByRole('link', { name: 'Inbox' }).waitFor();

  await owner.reload();
  const member = owner.getByRole('listitem').filter({ hasText: 'Cy New' });
  await member.getByRole('button').last().click();
  await owner.getByRole('menuitem', { name: /remove/i }).click();
  await owner
    .getByRole('dialog')
    .getByRole('button', { name: /remove/i })
    .click();
  await eventually(
    () => scene.server.api<Array<{ name: string; status: string }>>('GET', '/members'),
    (members) => members.some((each) => each.name === 'Cy New' && each.status !== 'active'),
  );
  await sessionEnds(cy);
});

it('lets a person who has a login join another account by signing in', async () => {
  const { server } = scene;
  const email = await scene.login('Jo');
  const account = JSON.parse(server.cli('--json', 'account', 'create', '--name', 'Beta')) as {
    account_id: string;
  };
  const options = ['--account', account.account_id, '--name', 'Jo', '--email', email];
  const added = JSON.parse(server.cli('--json', 'member', 'add', ...options)) as { user_id: string };

  const page = await scene.open();
  await page.goto(server.linkOf(added.user_id));
  await page.getByRole('heading', { name: 'Join Beta' }).waitFor();
  await page.getByText(`${email} has a login already.`).waitFor();
  await page.getByLabel('Password').fill('not the password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').getByText('Email or password is wrong').waitFor();
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: /Jo, Beta: menu/ }).waitFor();
});
