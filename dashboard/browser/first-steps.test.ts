/** The first steps of a new user: the link of the first start, a password, a customer, an invitation. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { seriousFindings } from './axe';
import { choosePassword, eventually, OWNER, PASSWORD, signIn, useScene } from './scene';

const CUSTOMER = '+4915112345699';
const PHONE = { width: 375, height: 700 };

const scene = useScene();

it('leads a browser from the root to the dashboard', async () => {
  const page = await scene.open();
  await page.goto('/');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(page.url()).toContain('/app/sign-in');
});

it('lets the owner of the first start set a password without a current one, and answers the first customer', async () => {
  const page = await scene.open();
  await page.goto(scene.server.ownerLink);
  // The guide opens by itself, and says that the password is missing.
  await page.getByRole('heading', { name: 'First steps' }).waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Set a password' }).waitFor();
  // The empty inbox says where to write as a customer.
  await page.getByRole('link', { name: 'Inbox' }).click();
  await page.getByText('Write as a customer in the sandbox').waitFor();
  const link = page.getByRole('link', { name: 'Open the sandbox' });
  expect(await link.getAttribute('href')).toBe(`${scene.server.url}/sandbox`);
  const [sandbox] = await Promise.all([page.context().waitForEvent('page'), link.click()]);
  await sandbox.waitForLoadState();
  expect(sandbox.url()).toBe(`${scene.server.url}/sandbox`);
  await sandbox.close();

  await page.goto('/app/settings');
  await page.getByRole('heading', { name: 'Set a password' }).waitFor();
  await page.getByText('Set a password first.').waitFor();
  expect(await page.getByLabel('Current password').count()).toBe(0);
  await page.getByLabel('New password').fill('short');
  await page.getByRole('button', { name: 'Set a password' }).click();
  // The browser refuses it, and nothing is sent.
  await page.getByRole('heading', { name: 'Set a password' }).waitFor();
  await page.getByLabel('New password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByText('Your password is set.').waitFor();
  await page.getByLabel('Current password').waitFor();
  await page.getByRole('button', { name: 'Set up an authenticator app' }).waitFor();
  await page.reload();
  await page.getByLabel('Current password').waitFor();

  const other = await scene.open();
  await signIn(other, OWNER);
  await other.getByRole('link', { name: 'Inbox' }).waitFor();

  // The assistant answers a customer who writes first.
  await scene.server.customerSays(CUSTOMER, { text: 'Do you have oak tables?' });
  await eventually(
    () => scene.server.sentTo(CUSTOMER),
    (sent) => sent.length === 1,
  );
  const [conversation] = await scene.server.api<Array<{ id: string; handler: string }>>(
    'GET',
    '/conversations',
  );
  expect(conversation?.handler).toBe('assistant');
  await other.goto(`/app/inbox/${conversation?.id}`);
  await other.getByRole('log', { name: 'Messages' }).getByText('You said: Do you have oak tables?').waitFor();
});

it('shows the account, the inviter and the address on the page of an invitation', async () => {
  const bea = await scene.member('Bea Admin', 'bea@example.com', 'admin');
  await bea.setViewportSize(PHONE);
  await bea.goto('/app/settings/members');
  await bea.getByRole('button', { name: 'Invite a member' }).click();
  const dialog = bea.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Zoe New');
  await dialog.getByLabel('Email').fill('zoe@example.com');
  await dialog.getByRole('button', { name: /Invite/ }).click();
  const link = await bea.getByRole('textbox', { name: 'One-time link' }).inputValue();

  const zoe = await scene.open({ viewport: PHONE });
  await zoe.goto(link);
  const summary = zoe.getByRole('main').locator('dl');
  await summary.getByText('zoe@example.com').waitFor();
  const shown = await summary.innerText();
  for (const words of ['Demo', 'Bea Admin', 'zoe@example.com']) expect(shown).toContain(words);
  await choosePassword(zoe, link);

  const kim = await scene.open();
  await kim.goto(scene.server.invite('Kim', 'kim@example.com'));
  await kim.getByText('whoever runs this server').waitFor();
});

const guideStep = (page: Page, name: string) => page.getByRole('listitem', { name });

it('guides an agent to what an agent may do, on a phone and by keyboard', async () => {
  const email = await scene.login('Bo Agent');
  const bo = await scene.signedIn(email, { viewport: PHONE, hasTouch: true, isMobile: true });
  await bo.goto('/app/first-steps');
  await guideStep(bo, 'Try the assistant').waitFor();
  await guideStep(bo, 'Import contacts').waitFor();
  expect(await bo.getByRole('main').getByRole('listitem').count()).toBe(2);
  expect(await bo.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width);
  expect(await seriousFindings(bo)).toEqual([]);

  const putAway = bo.getByRole('button', { name: 'Put away: Import contacts' });
  if ((await putAway.count()) > 0) {
    await putAway.focus();
    await bo.keyboard.press('Enter');
    await guideStep(bo, 'Import contacts').getByText('Put away').waitFor();
    await bo.reload();
    await guideStep(bo, 'Import contacts').getByRole('button', { name: 'Bring it back' }).waitFor();
  }
  await bo.getByRole('button', { name: 'More' }).click();
  await bo.getByRole('menuitem', { name: 'First steps' }).waitFor();
});

it('says that the steps of the guide cannot be read, and tries again', async () => {
  const page = await scene.signedIn(await scene.login('Cy Agent'));
  await page.route('**/v1/runs?*', (route) => route.abort());
  await page.goto('/app/first-steps');
  await page.getByText('The server cannot be reached.').waitFor();
  await page.unroute('**/v1/runs?*');
  await page.getByRole('main').getByRole('button', { name: 'Try again' }).click();
  await page.getByText('The server cannot be reached.').waitFor({ state: 'detached' });
});
