/** The editor of assistants in Chromium: what is saved, what is kept, and two people at once. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { seriousFindings } from './axe';
import { choose, eventually, useScene } from './scene';

interface Assistant {
  id: string;
  name: string;
  system_prompt: string;
  schedule: { mode: string; hours: Record<string, string[][]> | null };
  tool_access: Record<string, boolean>;
  gated_tools: string[];
  targets: string[];
  delegation: { enabled: boolean; max_children_per_run: number };
  voice_replies: boolean;
}

const PHONE = { width: 390, height: 800 };
const scene = useScene();
let page: Page;
let assistants = 0;

const prompt = (on = page) => on.getByLabel('Prompt');
const bar = (on = page) => on.getByRole('region', { name: 'Unsaved changes' });
const save = (on = page) => bar(on).getByRole('button', { name: /^Save/ });
const stored = (id: string) => scene.server.api<Assistant>('GET', `/assistants/${id}`);
const becomes = (id: string, isRight: (assistant: Assistant) => boolean) =>
  eventually(() => stored(id), isRight);

async function open(id: string, on = page): Promise<void> {
  await on.goto(`/app/assistants/${id}`);
  await prompt(on).waitFor();
}

/** An assistant of one test alone, which answers nobody. */
async function assistant(): Promise<Assistant> {
  assistants += 1;
  const body = { name: `Marlow ${assistants}.`, system_prompt: 'Be brief.' };
  return scene.server.api<Assistant>('POST', '/assistants', body);
}

beforeAll(async () => {
  page = await scene.owner();
});

it('makes an assistant by keys alone', async () => {
  await page.goto('/app/inbox');
  await page.getByRole('link', { name: 'Inbox' }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('o');
  await page.getByRole('heading', { name: 'Assistants', level: 1 }).waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await page.keyboard.press('c');
  await page.getByLabel('Name').waitFor();
  await page.keyboard.type('Conrad');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: /^Conrad/ }).waitFor();
  const id = page.url().split('/').at(-1) ?? '';
  await prompt().focus();
  await page.keyboard.type('You are Conrad. Be brief.');
  await bar().getByText('1 unsaved change').waitFor();
  await page.keyboard.press('Control+s');
  await becomes(id, ({ system_prompt: text }) => text === 'You are Conrad. Be brief.');
  await bar().waitFor({ state: 'detached' });
});

it('saves tools, channels, hours, voice and delegation together', async () => {
  const { id } = await assistant();
  await open(id);
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByRole('switch', { name: 'Delete a deal' }).check();
  await page.getByText('A person always approves this').waitFor();
  await page.getByLabel('Add a tag: ask a person each time').check();
  await page.getByLabel('Web chat').check();
  await choose(page.getByLabel('Hours', { exact: true }), 'At these hours');
  await page.getByRole('button', { name: 'Remove 09:00 to 17:00 on Friday' }).click();
  await page.getByRole('switch', { name: 'Reply with voice notes' }).check();
  await page.getByRole('switch', { name: 'May give parts of its work to sub-runs' }).check();
  await page.getByLabel('Sub-runs of one run, at most').fill('7');
  expect(await seriousFindings(page)).toEqual([]);
  await save().click();
  const now = await becomes(id, ({ delegation }) => delegation.enabled);
  await bar().waitFor({ state: 'detached' });
  const after = await stored(id);
  expect(after.tool_access).toEqual({ delete_deal: true });
  expect(after.gated_tools).toEqual(['add_tag']);
  expect(now.targets).toEqual(['web_chat']);
  expect(Object.keys(now.schedule.hours ?? {}).sort()).toEqual(['mon', 'thu', 'tue', 'wed']);
  expect([now.voice_replies, now.delegation.max_children_per_run]).toEqual([true, 7]);
});

it('writes an instruction and binds it, and remembers a fact', async () => {
  const { id } = await assistant();
  await open(id);
  await page.getByRole('button', { name: 'New instruction' }).click();
  await page.getByLabel('Title').fill('Refunds');
  await page.getByLabel('Text', { exact: true }).fill('Within 30 days.');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await save().click();
  const bound = await eventually(
    () => scene.server.api<Array<{ title: string }>>('GET', `/assistants/${id}/instructions`),
    (list) => list.length === 1,
  );
  expect(bound[0]?.title).toBe('Refunds');
  await page.getByLabel('What should it remember?').fill('Closed on Mondays.');
  await page.keyboard.press('Enter');
  await page.getByText('By a member').waitFor();
  await page.getByRole('button', { name: 'Forget this: Closed on Mondays.' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Forget this' }).click();
  await page.getByText('It has kept nothing yet.').waitFor();
});

it('keeps unsaved changes over a reload, and asks before the page is left and before they go', async () => {
  const { id, name } = await assistant();
  await open(id);
  await prompt().fill('A draft of mine.');
  await bar().waitFor();
  await page.reload();
  await prompt().waitFor();
  expect(await prompt().inputValue()).toBe('A draft of mine.');
  await page.getByRole('link', { name: 'Contacts' }).click();
  await page.getByRole('dialog', { name: 'Leave with unsaved changes?' }).waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await page.keyboard.press('Escape');
  expect(page.url()).toContain(id);
  await page.getByRole('link', { name: 'Back to assistants' }).click();
  await page.getByRole('button', { name: 'Leave, keep the changes' }).click();
  const link = page.getByRole('link', { name });
  await page.getByRole('listitem').filter({ has: link }).getByText('Unsaved changes').waitFor();
  await link.click();
  expect(await prompt().inputValue()).toBe('A draft of mine.');
  await bar().getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
  await bar().waitFor({ state: 'detached' });
  expect((await stored(id)).system_prompt).toBe('Be brief.');
});

it('shows a colleague’s change, and says when both changed the same field before it is replaced', async () => {
  const admin = await scene.member('Ada Admin', 'ada@example.com', 'admin');
  const { id } = await assistant();
  await open(id);
  await open(id, admin);
  await admin.getByLabel('Name', { exact: true }).fill('Marlow Reed');
  await save(admin).click();
  await becomes(id, ({ name }) => name === 'Marlow Reed');
  await prompt(admin).fill('Be quick.');
  await prompt().fill('Be kind.');
  await save().click();
  const both = await becomes(id, ({ system_prompt: text }) => text === 'Be kind.');
  expect(both.name).toBe('Marlow Reed');
  await page.getByRole('heading', { name: 'Marlow Reed' }).waitFor();
  await admin.getByText('Somebody else has changed this too: Prompt.').waitFor();
  expect(await prompt(admin).inputValue()).toBe('Be quick.');
  await save(admin).click();
  await becomes(id, ({ system_prompt: text }) => text === 'Be quick.');
});

it('shows why it was not saved, and loses nothing', async () => {
  const { id } = await assistant();
  await open(id);
  await prompt().fill('Try me.');
  await page.route(`**/api/v1/assistants/${id}`, (route) =>
    route.request().method() === 'PATCH' ? route.abort() : route.continue(),
  );
  await save().click();
  await bar().getByRole('alert').waitFor();
  await page.unrouteAll({ behavior: 'wait' });
  expect(await prompt().inputValue()).toBe('Try me.');
  await save().click();
  await becomes(id, ({ system_prompt: text }) => text === 'Try me.');
});

it('is there to read for an agent', async () => {
  const agent = await scene.member('Bo Agent', 'bo@example.com');
  const { name } = await assistant();
  await agent.goto('/app/assistants');
  await agent.getByRole('link', { name }).click();
  await agent.getByText('Only owners and admins can change assistants.').waitFor();
  expect(await prompt(agent).isDisabled()).toBe(true);
  expect(await agent.getByRole('button', { name: 'Delete the assistant' }).count()).toBe(0);
  expect(await seriousFindings(agent)).toEqual([]);
});

it('answers in the chat with the unsaved version, and only simulates what would change something', async () => {
  const { id } = await assistant();
  await open(id);
  const before = await stored(id);
  await prompt().fill('Only in this browser.');
  await page.getByLabel('Message of a customer').focus();
  await page.keyboard.type('call add_tag {"tag": "VIP"}');
  await page.keyboard.press('Enter');
  const chat = page.getByRole('list', { name: 'Conversation with the assistant' });
  await chat.getByText('Simulated', { exact: true }).waitFor();
  await chat.getByText('Add a tag', { exact: true }).waitFor();
  await chat
    .getByText(/ in, .* out/)
    .first()
    .waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  expect(await stored(id)).toEqual(before);
  await bar().getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
  await bar().waitFor({ state: 'detached' });
});

it('goes back to an earlier version and to the later one again', async () => {
  const first = await assistant();
  const changed = { name: `${first.name} Reed`, system_prompt: 'Be kind.' };
  await scene.server.api('PATCH', `/assistants/${first.id}`, changed);
  await open(first.id);
  await page.getByRole('button', { name: 'Versions' }).click();
  const dialog = page.getByRole('dialog', { name: 'Versions' });
  await dialog.getByRole('button', { name: /^Version 1\b/ }).click();
  await dialog
    .getByRole('region', { name: /^Comparison/ })
    .getByText(changed.name)
    .waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Restore version 1' }).click();
  await becomes(first.id, ({ name, system_prompt: text }) => name === first.name && text === 'Be brief.');
  await page.getByRole('heading', { name: first.name, exact: true }).waitFor();
  await page.getByRole('button', { name: 'Versions' }).click();
  await dialog.getByText('Version 1 restored').waitFor();
  // The one before the newest is chosen at first.
  await dialog.getByRole('button', { name: /^Restore version/ }).click();
  await becomes(
    first.id,
    ({ name, system_prompt: text }) => name === changed.name && text === changed.system_prompt,
  );
});

it('fits a phone', async () => {
  const phone = await scene.owner({ viewport: PHONE, isMobile: true, hasTouch: true });
  const { id } = await assistant();
  await open(id, phone);
  await prompt(phone).fill('Written on a phone.');
  await bar(phone).waitFor();
  expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
  expect(await seriousFindings(phone)).toEqual([]);
  await save(phone).tap();
  await becomes(id, ({ system_prompt: text }) => text === 'Written on a phone.');
  await phone.context().close();
});

it('deletes it after its name was typed', async () => {
  const { id, name } = await assistant();
  await open(id);
  await page.getByRole('button', { name: 'Delete the assistant' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill(name);
  await dialog.getByRole('button', { name: 'Delete the assistant' }).click();
  await page.getByRole('heading', { name: 'Assistants', level: 1 }).waitFor();
  await page.getByRole('link', { name }).waitFor({ state: 'detached' });
});
