import { screen } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { seriousFindings } from './testing/accessibility';
import { accountServer } from './testing/data';
import { renderApp } from './testing/render';

const PAGES: Array<[path: string, words: string]> = [
  ['/inbox', 'Is it still available?'],
  ['/inbox/c1', 'Prefers mornings.'],
  ['/contacts', 'ann@example.com'],
  ['/contacts/ann', 'Timeline'],
  ['/contacts/import', 'Choose a CSV file'],
  ['/segments/new', 'Who is in the segment'],
  ['/deals', 'Forty chairs'],
  ['/deals/d1', 'Timeline'],
  ['/broadcasts', 'Spring sale'],
  ['/broadcasts/b1', 'rate limit was reached'],
  ['/broadcasts/new', 'Who receives it'],
  ['/templates', 'order_update'],
  ['/inquiries', 'Do you ship to Norway?'],
  ['/inquiries/i1', 'Do you ship to Norway?'],
  ['/bookings', 'Consultation'],
  ['/assistants', 'Takes no new conversations'],
  ['/assistants/a1', 'Likes oak.'],
  ['/approvals', 'Nothing waits for you'],
  ['/runs', 'Answer the customer.'],
  ['/runs/r1', 'Asked the model'],
  ['/shortcuts', 'Keyboard shortcuts'],
  ['/settings', 'Where you are signed in'],
  ['/settings/preferences', 'Alerts for new messages'],
  ['/settings/canned-replies', '/hello'],
  ['/settings/tags', 'vip'],
  ['/settings/fields', 'Plan'],
  ['/settings/pipelines', 'Offer'],
  ['/settings/account', 'Country of phone numbers'],
  ['/settings/members', 'bo@example.com'],
  ['/settings/channels', 'Main number'],
  ['/settings/channels/new', 'Ready at once, without a vendor'],
  ['/settings/channels/new?channel=whatsapp', 'It is not the phone number.'],
  ['/settings/channels/w1', 'The first message has arrived'],
  ['/settings/channels/gone', 'There is no such channel'],
  ['/settings/forms', 'https://shop.example'],
  ['/settings/forms/gone', 'There is no such form'],
  ['/settings/booking-sources', 'Cal.com'],
  ['/settings/data', 'Canned replies'],
  ['/first-steps', 'Import contacts'],
  ['/triggers', 'Every Monday at 09:00'],
  ['/triggers/t1', '2 runs, one for each contact.'],
  ['/triggers/new', 'When its address is called'],
  ['/spend', 'gpt-5-mini'],
  ['/developers', 'https://shop.example/hook'],
  ['/developers/webhooks/h1', 'Given up'],
  ['/developers/events', 'contact.created'],
  ['/developers/keys', 'Shop'],
  ['/settings/audit-log', 'Created an API key'],
  ['/nowhere', 'There is no such page'],
];

describe('every page', () => {
  it.each(PAGES)('%s shows its content, is accessible, and asks for nothing unknown', async (path, words) => {
    const server = accountServer();
    const errors = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    await renderApp(server, path);
    await screen.findAllByText(words, { exact: false });
    expect(await seriousFindings()).toEqual([]);
    expect(server.unknown).toEqual([]);
    expect(errors.mock.calls.map((call) => String(call[0]))).toEqual([]);
  });
});
