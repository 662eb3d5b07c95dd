import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { seriousFindings } from './testing/accessibility';
import { accountServer } from './testing/data';
import { button, fill, renderApp } from './testing/render';

/** Where a dialog or menu opens, by which button, and what it then says. */
const OPENED: Array<[path: string, button: string, words: string]> = [
  ['/contacts', 'New contact', 'needs its country code'],
  ['/contacts/ann', 'Edit', 'Edit the contact'],
  ['/contacts/ann', 'More actions', 'Merge with another contact'],
  ['/deals', 'New deal', 'Expected to close'],
  ['/deals/d1', 'Lost', 'A reason helps you'],
  ['/inbox', 'Filters', 'Any channel'],
  ['/inbox/c1', 'Snooze', 'Tomorrow morning'],
  ['/inbox/c1', 'Hand over to an assistant', 'Helper'],
  ['/inbox/c1', 'Send a template', 'Templates were approved'],
  ['/settings/members', 'Invite a member', 'They get a link by email'],
  ['/developers', 'New webhook', 'Must be https'],
  ['/developers/webhooks/h1', 'Edit', 'Must be https'],
  ['/developers/webhooks/h1', 'contact.created', 'Out of order'],
  ['/developers/keys', 'New API key', 'Only from these addresses'],
  ['/settings/channels', 'Disconnect', 'neither sends nor receives'],
  ['/settings/forms', 'Create a form', 'Page after sending'],
  ['/settings/forms/f1', 'Delete', 'Its inquiries stay'],
  ['/settings/booking-sources', 'Connect Cal.com', 'another calendar'],
  ['/settings/booking-sources', 'Delete Cal.com', 'no longer arrive'],
  ['/settings/tags', 'New tag', 'Colour'],
  ['/settings/fields', 'New custom field', 'Type'],
  ['/settings/pipelines', 'New pipeline', 'four usual stages'],
  ['/settings/canned-replies', 'New canned reply', 'These are filled in'],
];

describe('every dialog', () => {
  it.each(OPENED)('of %s, %s, opens and is accessible', async (path, opener, words) => {
    const { user } = await renderApp(accountServer(), path);
    await user.click(await button(opener));
    await screen.findAllByText(words, { exact: false });
    expect(await seriousFindings()).toEqual([]);
  });

  it('that finds people, conversations and deals is accessible with what it found', async () => {
    const { user } = await renderApp(accountServer(), '/shortcuts');
    await screen.findByText('Everywhere');
    await user.keyboard('{Control>}k{/Control}');
    await fill(user, 'Find a person, a conversation, a deal or a command', 'ann');
    await screen.findByText('People');
    await screen.findByText('Forty chairs');
    expect(await seriousFindings()).toEqual([]);
  });

  it('closes by Escape', async () => {
    const { user } = await renderApp(accountServer(), '/settings/tags');
    await user.click(await button('New tag'));
    await screen.findByRole('dialog', { name: 'New tag' });
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });
});
