/** Where the server sends mails: invitations, lost passwords, and what a member gets mails about. */
import { afterAll, expect, it } from 'vitest';
import { seriousFindings } from './axe';
import { choosePassword, eventually, OWNER, signIn, useScene } from './scene';
import { SmtpServer } from './smtp';

const smtp = new SmtpServer();
const scene = useScene(undefined, () => smtp.start());
afterAll(() => smtp.stop());

/** The link in the newest mail to an address, once there are so many. */
async function linkTo(address: string, many = 1): Promise<string> {
  await eventually(
    async () => smtp.mails.filter(({ to }) => to === address).length,
    (count) => count >= many,
  );
  const link = /http\S+#token=[\w-]+/.exec(smtp.newest(address)?.text ?? '');
  if (!link) throw new Error(`No link: ${smtp.newest(address)?.text}`);
  return link[0];
}

it('invites a member by mail, who chooses a password and later a new one', async () => {
  const owner = await scene.owner();
  await owner.goto('/app/settings/members');
  await owner.getByRole('button', { name: 'Invite a member' }).click();
  const dialog = owner.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Cy New');
  await dialog.getByLabel('Email').fill('cy@example.com');
  await dialog.getByRole('button', { name: 'Invite a member' }).click();
  await owner.getByText('Cy New gets it by email. It works once, for 72 hours.').waitFor();
  expect(await owner.getByText('#token=').count()).toBe(0);

  const page = await scene.open();
  await choosePassword(page, await linkTo('cy@example.com'));
  await page.goto('/app/sign-in');
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await page.getByRole('heading', { name: 'Forgot your password?' }).waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByLabel('Email').fill('cy@example.com');
  await page.getByRole('button', { name: 'Send me a link' }).click();
  await page.getByText('a mail with a link is on its way').waitFor();
  const fresh = 'velvet lantern drifts nine';
  await choosePassword(page, await linkTo('cy@example.com', 2), fresh);
  await signIn(page, 'cy@example.com', fresh);
  await page.getByRole('link', { name: 'Inbox' }).waitFor();
});

it('lets a member decline mails of a kind', async () => {
  const owner = await scene.signedIn(OWNER);
  await owner.goto('/app/settings/preferences');
  const kind = owner.getByRole('checkbox', { name: 'A broadcast that has stopped' });
  await kind.click();
  await expect.poll(() => kind.isChecked()).toBe(false);
  await owner.reload();
  await kind.waitFor();
  expect(await kind.isChecked()).toBe(false);
  expect(await owner.getByRole('checkbox', { name: 'A channel that is disconnected' }).isChecked()).toBe(
    true,
  );
});
