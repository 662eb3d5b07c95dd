/** The 24 hours after a customer's message. On a server of its own, because its clock is moved. */
import { it } from 'vitest';
import { eventually, useScene } from './scene';

const ANN = '+4915112345601';
const HOUR_SECONDS = 3_600;
const scene = useScene();

it('offers a template once the 24 hours are over', async () => {
  await scene.server.api('POST', '/contacts', { phone: ANN, name: 'Ann Weber' });
  await scene.server.customerSays(ANN, { text: 'Is the oak table still there?' });
  const page = await scene.owner();
  await page.getByRole('link', { name: 'Ann Weber', exact: true }).click();
  const thread = page.getByRole('region', { name: 'Conversation', exact: true });
  await thread.waitFor();
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
  await thread.getByText('Template: hello_world').waitFor();
  await eventually(
    () => scene.server.sentTo(ANN),
    (messages) => messages.some((message) => message.template?.name === 'hello_world'),
  );
});
