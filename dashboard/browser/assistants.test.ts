/** The inbox next to an assistant and a colleague: who answers, what needs a person, and replies that cross. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { eventually, useScene } from './scene';

const ANN = '+4915112345601';
const scene = useScene();
let page: Page;
let colleague: Page;
let assistant: { id: string; name: string };

const log = (on = page) => on.getByRole('log', { name: 'Messages' });
const reply = (on = page) => on.getByLabel('Reply to the customer');
const view = (name: string, on = page) =>
  on.getByRole('group', { name: 'Views' }).getByRole('button', { name: new RegExp(`^${name}`) });
const counts = (name: string, count: number, on = page) =>
  view(name, on)
    .and(on.getByRole('button', { name: new RegExp(`^${name} ?${count}$`) }))
    .waitFor();
const texts = async () => (await scene.server.sentTo(ANN)).map(({ text }) => text);

async function openAnn(on: Page): Promise<void> {
  await on.goto('/app/inbox');
  await on.getByRole('link', { name: 'Ann Weber', exact: true }).click();
  await reply(on).waitFor();
}

beforeAll(async () => {
  const { server } = scene;
  [assistant] = (await server.api<Array<{ id: string; name: string }>>('GET', '/assistants')) as [
    { id: string; name: string },
  ];
  await server.api('POST', '/contacts', { phone: ANN, name: 'Ann Weber' });
  page = await scene.owner();
  colleague = await scene.member('Bo Agent', 'bo@example.com');
});

it('lists what an assistant answers apart, and counts it as neither unread nor unassigned', async () => {
  await scene.server.customerSays(ANN, { text: 'Is the oak table still there?' });
  await page.getByRole('link', { name: 'Ann Weber', exact: true }).waitFor();
  await counts('With an assistant', 1);
  await counts('Unread', 0);
  await counts('Unassigned', 0);
  await view('With an assistant').focus();
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Ann Weber', exact: true }).waitFor();
  expect(await page.title()).not.toMatch(/^\(/);
});

it('shows who answered, with a way to the run', async () => {
  await openAnn(page);
  const bubble = log().getByRole('article').filter({ hasText: assistant.name }).first();
  await bubble.getByText('Assistant', { exact: false }).first().waitFor();
  await bubble.getByRole('link', { name: 'Show the run' }).click();
  await page.getByRole('heading', { name: `Run of ${assistant.name}` }).waitFor();
  await page.getByText('Sent a message').waitFor();
  await page.getByRole('button', { name: 'Back', exact: true }).click();
  await reply().waitFor();
});

it('marks a conversation that was handed off, live, until a person answers', async () => {
  await page.goto('/app/inbox');
  const [talk] = await scene.server.api<Array<{ id: string }>>('GET', '/conversations');
  await scene.server.api('POST', `/conversations/${talk?.id}/handover`, { to: 'human' });
  await counts('Needs a person', 1);
  await counts('With an assistant', 0);
  await view('Needs a person').click();
  const row = page.getByRole('listitem').filter({ hasText: 'Ann Weber' });
  await row.getByText('Needs a person').waitFor();
  await row.getByRole('link', { name: 'Ann Weber', exact: true }).click();
  await log().getByText('Handed over to a person').waitFor();
  await page.locator('header').getByText('Needs a person').waitFor();
  await reply().fill('A person is here.');
  await reply().press('Enter');
  await counts('Needs a person', 0);
  await page.locator('header').getByText('Needs a person').waitFor({ state: 'detached' });
});

it('writes lines for assigned, closed and reopened into the thread, also for a colleague', async () => {
  await openAnn(page);
  await openAnn(colleague);
  await reply().blur();
  await page.keyboard.press('m');
  await log().getByText('Owner assigned it to Owner').waitFor();
  await log(colleague).getByText('Owner assigned it to Owner').waitFor();
  await page.keyboard.press('e');
  await log().getByText('Owner closed the conversation').waitFor();
  await page.keyboard.press('e');
  await log().getByText('Owner reopened the conversation').waitFor();
  await log(colleague).getByText('Owner reopened the conversation').waitFor();
});

it('says before it is sent that a reply takes over from the assistant', async () => {
  const [talk] = await scene.server.api<Array<{ id: string }>>('GET', '/conversations');
  const to = { to: 'assistant', assistant_id: assistant.id };
  await scene.server.api('POST', `/conversations/${talk?.id}/handover`, to);
  await page.getByText(`${assistant.name} answers here. Your reply takes the conversation over.`).waitFor();
  await reply().fill('I take this one.');
  await page.getByRole('button', { name: 'Take over and send' }).click();
  await log().getByText('Owner took over from the assistant').waitFor();
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
});

it('shows what a colleague has sent while the member was writing before it sends', async () => {
  await reply().fill('It is sold, sorry.');
  await reply(colleague).fill('Yes, it is still there.');
  await reply(colleague).press('Enter');
  const strip = page.getByRole('alert').filter({ hasText: 'Bo Agent replied while you were writing:' });
  await strip.getByText('Yes, it is still there.').waitFor();
  await reply().press('Enter');
  expect(await reply().inputValue()).toBe('It is sold, sorry.');
  await page.getByRole('button', { name: 'Send anyway' }).waitFor();
  await strip.getByRole('button', { name: 'Understood' }).focus();
  await page.keyboard.press('Enter');
  await strip.waitFor({ state: 'detached' });
  expect(await texts()).not.toContain('It is sold, sorry.');
  await reply().fill('As my colleague says.');
  await reply().press('Enter');
  await eventually(texts, (sent) => sent.includes('As my colleague says.'));
});

it('does not send what was written without a connection past a colleague’s reply', async () => {
  await page.context().setOffline(true);
  await reply().fill('Written offline');
  await reply().press('Enter');
  await log().getByText('Not sent yet.').waitFor();
  await reply(colleague).fill('I was faster.');
  await reply(colleague).press('Enter');
  await eventually(texts, (sent) => sent.includes('I was faster.'));
  await page.context().setOffline(false);
  await log().getByText('Somebody else has replied meanwhile.').waitFor();
  await log().getByText('I was faster.').waitFor();
  expect(await texts()).not.toContain('Written offline');
  await log().getByRole('button', { name: 'Send anyway' }).click();
  await eventually(texts, (sent) => sent.includes('Written offline'));
});
