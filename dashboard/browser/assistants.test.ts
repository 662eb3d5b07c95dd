/** The inbox next to an assistant and a colleague: who answers, what needs a person, and replies that cross. */
import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { type Customer, eventually, useScene } from './scene';

const scene = useScene();
let page: Page;
let colleague: Page;
let assistant: { id: string; name: string };

const log = (on = page) => on.getByRole('log', { name: 'Messages' });
const reply = (on = page) => on.getByLabel('Reply to the customer');
const view = (name: string) =>
  page.getByRole('group', { name: 'Views' }).getByRole('button', { name: new RegExp(`^${name}`) });
/** How many conversations a view has, as its button says. */
const count = async (name: string) => Number(/\d+$/.exec((await view(name).textContent()) ?? '')?.[0] ?? -1);
const becomes = (name: string, wanted: number) =>
  eventually(
    () => count(name),
    (now) => now === wanted,
  );
const texts = async (phone: string) => (await scene.server.sentTo(phone)).map(({ text }) => text);
const link = (name: string, on = page) => on.getByRole('link', { name, exact: true });

/** A customer of one test alone, who has written and was answered by the assistant. */
async function newCustomer(): Promise<Customer> {
  const customer = await scene.customer('Is the oak table still there?');
  await eventually(
    () => texts(customer.phone),
    (sent) => sent.length > 0,
  );
  return customer;
}

const handOver = ({ conversationId }: Customer, to: Record<string, unknown>) =>
  scene.server.api('POST', `/conversations/${conversationId}/handover`, to);

async function open(on: Page, { conversationId }: Customer): Promise<void> {
  await on.goto(`/app/inbox/${conversationId}`);
  await reply(on).waitFor();
}

/** A conversation that a person handles, open on both screens. */
async function openOnBoth(): Promise<Customer> {
  const customer = await newCustomer();
  await handOver(customer, { to: 'human' });
  await open(page, customer);
  await open(colleague, customer);
  return customer;
}

beforeAll(async () => {
  const { server } = scene;
  [assistant] = (await server.api<Array<{ id: string; name: string }>>('GET', '/assistants')) as [
    { id: string; name: string },
  ];
  [page, colleague] = await Promise.all([scene.owner(), scene.member('Bo Agent', 'bo@example.com')]);
});

beforeEach(async () => {
  await page.goto('/app/inbox');
  await view('Unread ?\\d').waitFor();
});

it('lists what an assistant answers apart, and counts it as neither unread nor unassigned', async () => {
  const [helped, unread, unassigned] = [
    await count('With an assistant'),
    await count('Unread'),
    await count('Unassigned'),
  ];
  const { name } = await newCustomer();
  await link(name).waitFor();
  await becomes('With an assistant', helped + 1);
  await becomes('Unread', unread);
  await becomes('Unassigned', unassigned);
  await view('With an assistant').focus();
  await page.keyboard.press('Enter');
  await link(name).waitFor();
});

it('shows who answered, with a way to the run', async () => {
  await open(page, await newCustomer());
  const bubble = log().getByRole('article').filter({ hasText: assistant.name }).first();
  await bubble.getByText('Assistant', { exact: false }).first().waitFor();
  await bubble.getByRole('link', { name: 'Show the run' }).click();
  await page.getByRole('heading', { name: `Run of ${assistant.name}` }).waitFor();
  await page.getByText('Sent a message').waitFor();
  await page.getByRole('button', { name: 'Back', exact: true }).click();
  await reply().waitFor();
});

it('marks a conversation that was handed off, live, until a person answers', async () => {
  const customer = await newCustomer();
  await link(customer.name).waitFor();
  const [waiting, helped] = [await count('Needs a person'), await count('With an assistant')];
  await handOver(customer, { to: 'human' });
  await becomes('Needs a person', waiting + 1);
  await becomes('With an assistant', helped - 1);
  await view('Needs a person').click();
  const row = page.getByRole('listitem').filter({ hasText: customer.name });
  await row.getByText('Needs a person').waitFor();
  await link(customer.name).click();
  await log().getByText('Handed over to a person').waitFor();
  await page.locator('header').getByText('Needs a person').waitFor();
  await reply().fill('A person is here.');
  await reply().press('Enter');
  await becomes('Needs a person', waiting);
  await page.locator('header').getByText('Needs a person').waitFor({ state: 'detached' });
});

it('writes lines for assigned, closed and reopened into the thread, also for a colleague', async () => {
  const customer = await openOnBoth();
  await reply().blur();
  await page.keyboard.press('m');
  await log().getByText('Owner assigned it to Owner').waitFor();
  await log(colleague).getByText('Owner assigned it to Owner').waitFor();
  await page.keyboard.press('e');
  await log(colleague).getByText('Owner closed the conversation').waitFor();
  // The owner's page has gone on to the next conversation.
  await open(page, customer);
  await log().getByText('Owner closed the conversation').waitFor();
  await reply().blur();
  await page.keyboard.press('e');
  await log().getByText('Owner reopened the conversation').waitFor();
  await log(colleague).getByText('Owner reopened the conversation').waitFor();
});

it('says before it is sent that a reply takes over from the assistant', async () => {
  await open(page, await newCustomer());
  await page.getByText(`${assistant.name} answers here. Your reply takes the conversation over.`).waitFor();
  await reply().fill('I take this one.');
  await page.getByRole('button', { name: 'Take over and send' }).click();
  await log().getByText('Owner took over from the assistant').waitFor();
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
});

it('shows what a colleague has sent while the member was writing before it sends', async () => {
  const { phone } = await openOnBoth();
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
  expect(await texts(phone)).not.toContain('It is sold, sorry.');
  await reply().fill('As my colleague says.');
  await reply().press('Enter');
  await eventually(
    () => texts(phone),
    (sent) => sent.includes('As my colleague says.'),
  );
});

it('does not send what was written without a connection past a colleague’s reply', async () => {
  const { phone } = await openOnBoth();
  await page.context().setOffline(true);
  await reply().fill('Written offline');
  await reply().press('Enter');
  await log().getByText('Not sent yet.').waitFor();
  await reply(colleague).fill('I was faster.');
  await reply(colleague).press('Enter');
  await eventually(
    () => texts(phone),
    (sent) => sent.includes('I was faster.'),
  );
  await page.context().setOffline(false);
  await log().getByText('Somebody else has replied meanwhile.').waitFor();
  await log().getByText('I was faster.').waitFor();
  expect(await texts(phone)).not.toContain('Written offline');
  await log().getByRole('button', { name: 'Send anyway' }).click();
  await eventually(
    () => texts(phone),
    (sent) => sent.includes('Written offline'),
  );
});
