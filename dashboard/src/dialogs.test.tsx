import { describe, expect, it } from 'vitest';
import { seriousFindings } from './testing/accessibility';
import { accountServer } from './testing/data';
import { click, press, renderApp, text, type, waitFor } from './testing/render';

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
  ['/settings/members', 'Invite a member', 'You get a link'],
  ['/settings/keys', 'New API key', 'Only from these addresses'],
  ['/settings/channels', 'Connect a channel', 'Phone number ID'],
  ['/settings/tags', 'New tag', 'Colour'],
  ['/settings/fields', 'New custom field', 'Type'],
  ['/settings/pipelines', 'New pipeline', 'four usual stages'],
  ['/settings/canned-replies', 'New canned reply', 'These are filled in'],
];

describe('every dialog', () => {
  it.each(OPENED)('of %s, %s, opens and is accessible', async (path, button, words) => {
    await renderApp(accountServer(), path);
    await click(button, 'button');
    await text(words);
    expect(await seriousFindings()).toEqual([]);
  });

  it('that finds people, conversations and deals is accessible with what it found', async () => {
    await renderApp(accountServer(), '/shortcuts');
    await text('Everywhere');
    await press('k', { ctrlKey: true });
    await type('Find a person, a conversation, a deal or a command', 'ann');
    await text('People');
    await text('Forty chairs');
    expect(await seriousFindings()).toEqual([]);
  });

  it('closes by Escape', async () => {
    await renderApp(accountServer(), '/settings/tags');
    await click('New tag', 'button');
    await text('Colour');
    await press('Escape', {}, document.activeElement ?? document.body);
    await waitFor(() => document.querySelector('[role="dialog"]') === null, 'no dialog');
  });
});
