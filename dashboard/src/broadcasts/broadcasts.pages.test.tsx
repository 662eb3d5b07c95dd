import { screen, within } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import type { Broadcast, NewBroadcast } from '@/api/schema';
import { broadcastCopy, broadcastPreview, broadcastReport } from '@/testing/broadcasts';
import { accountServer, broadcast, page, recipient, session } from '@/testing/data';
import { button, choose, fill, noText, renderApp, text } from '@/testing/render';
import { Refusal } from '@/testing/server';

const agent = {
  ...session,
  role: 'agent' as const,
  scopes: session.scopes.filter((s) => s !== 'broadcasts:send'),
};
const unreachable = () => new Refusal(503, { code: 'internal', message: 'Try again.' });

afterEach(() => localStorage.clear());

describe('the list of broadcasts', () => {
  it('filters by status, and says so when nothing matches', async () => {
    const server = accountServer().on('GET /broadcasts', ({ query }) =>
      page(query.get('status') === 'failed' ? [] : [broadcast]),
    );
    const { user } = await renderApp(server, '/broadcasts');
    await text('Spring sale');
    await user.click(await button('Failed'));
    await text('No broadcast matches');
  });

  it('is filled by the button of the empty page, which an agent does not get', async () => {
    const empty = () => accountServer().on('GET /broadcasts', page([]));
    await renderApp(empty(), '/broadcasts');
    await text('No broadcasts yet');
    expect(screen.getAllByRole('link', { name: 'New broadcast' })).toHaveLength(2);
  });

  it('offers an agent nothing that the role does not allow', async () => {
    const server = accountServer().on('GET /app/api/session', { data: agent });
    const { router } = await renderApp(server, '/broadcasts');
    await text('Spring sale');
    expect(screen.queryByRole('link', { name: 'New broadcast' })).toBeNull();
    await router.navigate({ to: '/broadcasts/$broadcastId', params: { broadcastId: 'b1' } });
    await text('Failures by reason');
    expect(screen.queryByRole('button', { name: 'Retry failed' })).toBeNull();
    expect(screen.queryByRole('link', { name: 'Copy' })).toBeNull();
    await router.navigate({ to: '/broadcasts/new' });
    await text('Your role does not allow this');
  });

  it('can be read again after a failure', async () => {
    const server = accountServer().on('GET /broadcasts', unreachable);
    const { user } = await renderApp(server, '/broadcasts');
    const again = await button('Try again');
    server.on('GET /broadcasts', page([broadcast]));
    await user.click(again);
    await text('Spring sale');
  });
});

describe('a broadcast', () => {
  it('shows progress that an event and a message report, without a reload', async () => {
    let now: Broadcast = {
      ...broadcast,
      status: 'sending',
      counts: { ...broadcast.counts, sent: 0, failed: 0 },
    };
    const server = accountServer().on('GET /broadcasts/{id}', () => ({ data: now }));
    await renderApp(server, '/broadcasts/b1');
    await text('0 of 4 processed');
    now = { ...now, counts: { ...now.counts, sent: 2 } };
    server.emit({ event_id: 'e1', event_type: 'message.status_changed', data: { message: {} } });
    await text('2 of 4 processed');
    now = { ...now, status: 'sent', counts: { ...now.counts, sent: 4 } };
    server.emit({ event_id: 'e2', event_type: 'broadcast.completed', data: { broadcast: now } });
    await text('4 of 4 processed');
  });

  it('stops after a question, and says when that failed', async () => {
    const sending: Broadcast = { ...broadcast, status: 'sending' };
    const server = accountServer()
      .on('GET /broadcasts/{id}', { data: sending })
      .on('POST /broadcasts/{id}/cancel', unreachable);
    const { user } = await renderApp(server, '/broadcasts/b1');
    await user.click(await button('Stop'));
    const dialog = await screen.findByRole('dialog', { name: 'Stop this broadcast?' });
    await user.click(within(dialog).getByRole('button', { name: 'Stop' }));
    await within(dialog).findByRole('alert');
    server
      .on('GET /broadcasts/{id}', { data: broadcast })
      .on('POST /broadcasts/{id}/cancel', { data: broadcast });
    await user.click(within(dialog).getByRole('button', { name: 'Stop' }));
    await noText('Stop this broadcast?');
    await button('Retry failed');
  });

  it('counts its recipients by state and its failures by reason, also while it is being sent', async () => {
    const server = accountServer();
    await renderApp(server, '/broadcasts/b1');
    await text('Failures by reason');
    await text('The channel’s rate limit was reached.');
    await text('Can be retried');
    await button('Waiting 0');
    await button('Replied 1');
    await text('by Bo Agent');
    server.on('GET /app/api/broadcasts/{id}/report', {
      data: {
        ...broadcastReport,
        statuses: { ...broadcastReport.statuses, replied: 2 },
      },
    });
    const now = { ...broadcast, counts: { ...broadcast.counts, replied: 2 } };
    server.on('GET /broadcasts/{id}', { data: now });
    server.emit({ event_id: 'e1', event_type: 'message.received', data: { message: {} } });
    await button('Replied 2');
  });

  it('shows everything else when the report cannot be read', async () => {
    const server = accountServer().on('GET /app/api/broadcasts/{id}/report', unreachable);
    const { user } = await renderApp(server, '/broadcasts/b1');
    await text('4 of 4 processed');
    const again = await button('Try again');
    server.on('GET /app/api/broadcasts/{id}/report', { data: broadcastReport });
    await user.click(again);
    await text('Failures by reason');
  });

  it('retries those with an unknown outcome only when that is wanted', async () => {
    const server = accountServer().on('POST /broadcasts/{id}/retry', { data: broadcast });
    const { user } = await renderApp(server, '/broadcasts/b1');
    await user.click(await button('Retry failed'));
    const dialog = await screen.findByRole('dialog');
    await within(dialog).findByText('1 recipient gets it again.');
    await user.click(within(dialog).getByRole('checkbox', { name: /outcome is unknown/ }));
    await within(dialog).findByText('3 recipients get it again.');
    await user.click(within(dialog).getByRole('button', { name: 'Retry failed' }));
    await noText('Retry failed recipients?');
    expect(server.last('POST /broadcasts/{id}/retry')?.body).toEqual({ include_unknown: true });
  });

  it('gets another time in the account’s timezone', async () => {
    const scheduled: Broadcast = {
      ...broadcast,
      status: 'scheduled',
      scheduled_at: '2099-01-31T09:30:00.000Z',
    };
    const server = accountServer()
      .on('GET /broadcasts/{id}', { data: scheduled })
      .on('POST /broadcasts/{id}/schedule', { data: scheduled });
    const { user } = await renderApp(server, '/broadcasts/b1');
    await user.click(await button('Change the time'));
    const field = await screen.findByLabelText<HTMLInputElement>('Date and time (Europe/Berlin)');
    expect(field.value).toBe('2099-01-31T10:30');
    await user.click(await button('Schedule'));
    await noText('Date and time (Europe/Berlin)');
    expect(server.last('POST /broadcasts/{id}/schedule')?.body).toEqual({
      schedule_at: '2099-01-31T09:30:00.000Z',
    });
  });

  it('reads recipients of one state, and further pages only when they come into view', async () => {
    const rows = (count: number, from: string) =>
      Array.from({ length: count }, (_, index) => ({ ...recipient, id: `${from}${index}` }));
    const server = accountServer()
      .on('GET /broadcasts/{id}', { data: { ...broadcast, counts: { ...broadcast.counts, failed: 0 } } })
      .on('GET /broadcasts/{id}/recipients', ({ query }) => ({
        data: rows(100, query.get('cursor') ?? 'first'),
        meta: { next_cursor: 'more', has_more: true, limit: 100 },
      }));
    const { user } = await renderApp(server, '/broadcasts/b1');
    const list = await screen.findByRole('list', { name: 'Recipients' });
    expect(within(list).getAllByRole('listitem').length).toBeLessThan(60);
    expect(server.count('GET /broadcasts/{id}/recipients')).toBe(1);
    await user.click(await button(/^Replied/));
    await screen.findByRole('list', { name: 'Recipients' });
    expect(server.last('GET /broadcasts/{id}/recipients')?.query.get('status')).toBe('replied');
  });
});

describe('a new broadcast', () => {
  const created: Broadcast = { ...broadcast, id: 'b2', name: 'May', status: 'sending' };
  const server = () => accountServer().on('POST /broadcasts', { data: created });
  const toMessage = async (user: Awaited<ReturnType<typeof renderApp>>['user']) => {
    await fill(user, 'Name', 'May');
    await user.click(await button('Next: Message'));
    await user.click(await screen.findByLabelText('Template'));
    await user.click(await screen.findByRole('option', { name: /order_update/ }));
  };

  it('goes from the audience over the message to the request', async () => {
    const fake = server();
    const { user, router } = await renderApp(fake, '/broadcasts/new');
    await text('1 person');
    await text('Nobody is left out.');
    await toMessage(user);
    await text('Hello {{1}}');
    await choose(user, 'Comes from', 'Name');
    await fill(user, 'If it is empty', 'friend');
    await text('Hello Ann Lee');
    await user.click(await button('Next: Check and send'));
    await fill(user, 'Price of a message (Utility)', '0,5');
    await text('At most €0.50');
    await user.click(await button('Send now'));
    await text('The broadcast has started.');
    expect(router.state.location.pathname).toBe('/broadcasts/b2');
    const body: NewBroadcast = {
      name: 'May',
      template: { name: 'order_update', language: 'en_US' },
      audience: { type: 'all' },
      variables: { 1: { type: 'field', value: 'name', fallback: 'friend' } },
    };
    expect(fake.last('POST /broadcasts')?.body).toEqual(body);
    expect(Object.keys(localStorage).filter((key) => key.includes('broadcast.draft'))).toEqual([]);
  });

  it('survives a reload, and a lost response is tried again with the same key', async () => {
    const fake = server().on('POST /broadcasts', unreachable);
    const first = await renderApp(fake, '/broadcasts/new?template=order_update&language=en_US');
    await fill(first.user, 'Name', 'May');
    await first.user.click(await button('Next: Message'));
    await fill(first.user, 'Text', 'all');
    await first.user.click(await button('Next: Check and send'));
    await first.user.click(await button('Send now'));
    await screen.findByRole('alert');
    // The address no longer asks for the template: a reload must not begin anew.
    expect(first.router.state.location.search).toEqual({});
    const { cleanup } = await import('@testing-library/react');
    cleanup();

    const second = await renderApp(fake.on('POST /broadcasts', { data: created }), '/broadcasts/new');
    expect((await screen.findByLabelText<HTMLInputElement>('Name')).value).toBe('May');
    await second.user.click(await button(/Check and send/));
    await second.user.click(await button('Send now'));
    await text('The broadcast has started.');
    const keys = fake.asked
      .filter(({ operation }) => operation === 'POST /broadcasts')
      .map(({ headers }) => headers.get('idempotency-key'));
    expect(keys).toHaveLength(2);
    expect(keys[0]).not.toBeNull();
    expect(new Set(keys).size).toBe(1);
  });

  it('keeps its key while the first request is under way', async () => {
    const conflict = () => new Refusal(409, { code: 'conflict', message: 'Still in flight.' });
    const fake = server().on('POST /broadcasts', conflict);
    const { user } = await renderApp(fake, '/broadcasts/new?template=order_update');
    await fill(user, 'Name', 'May');
    await user.click(await button('Next: Message'));
    await fill(user, 'Text', 'all');
    await user.click(await button('Next: Check and send'));
    await user.click(await button('Send now'));
    await text('It is being created already.');
    fake.on('POST /broadcasts', { data: created });
    await user.click(await button('Send now'));
    await text('The broadcast has started.');
    const sent = fake.asked.filter(({ operation }) => operation === 'POST /broadcasts');
    expect(new Set(sent.map(({ headers }) => headers.get('idempotency-key'))).size).toBe(1);
  });

  it('names what is missing, with the way there', async () => {
    const { user } = await renderApp(server(), '/broadcasts/new');
    await user.click(await button(/Check and send/));
    expect(await button('Send now')).toHaveProperty('disabled', true);
    await user.click(await button('A template'));
    await screen.findByLabelText('Template');
  });

  it('takes numbers, and names those that are none', async () => {
    const fake = server().on('POST /app/api/broadcasts/preview', {
      data: {
        ...broadcastPreview,
        recipients: { count: 2, is_more: false },
        left_out: { ...broadcastPreview.left_out, opted_out: 3, listed_twice: 1 },
        new_contacts: 2,
        broadcasts_left: 0,
      },
    });
    const { user } = await renderApp(fake, '/broadcasts/new');
    await user.click(await screen.findByRole('radio', { name: /list of numbers/ }));
    await fill(user, 'Phone numbers', '+49 151 12345601, Ann');
    await text('1 entry is not a phone number: Ann');
    await text('Choose whom it is for to see how many people that is.');
    await fill(user, 'Phone numbers', '+49 151 12345601, +49 151 12345602');
    await text('2 people');
    await text('3 have opted out');
    await text('1 entry names somebody again, who gets it once');
    await text('2 numbers are not known yet and become contacts.');
    await text('limit of broadcasts is reached');
    expect(fake.last('POST /app/api/broadcasts/preview')?.body).toEqual({
      audience: { type: 'phones', phones: ['+49 151 12345601', '+49 151 12345602'], country: 'DE' },
    });
  });

  it('says when the audience could not be counted, and goes on', async () => {
    const fake = server().on('POST /app/api/broadcasts/preview', unreachable);
    const { user } = await renderApp(fake, '/broadcasts/new');
    await screen.findByRole('alert');
    await toMessage(user);
    await text('Hello {{1}}');
  });

  it('begins with the name and the template of the broadcast that is copied', async () => {
    const fake = server();
    const { user } = await renderApp(fake, '/broadcasts/new?copy=b1');
    expect((await screen.findByLabelText<HTMLInputElement>('Name')).value).toBe('Copy of Spring sale');
    expect(await screen.findByRole('radio', { name: /By tags/ })).toHaveProperty('checked', true);
    await user.click(await button('Next: Message'));
    expect((await screen.findByLabelText<HTMLInputElement>('Template')).value).toBe('order_update (en_US)');
    await user.click(await button('Next: Check and send'));
    await user.click(await button('Send now'));
    await text('The broadcast has started.');
    expect(fake.last('POST /broadcasts')?.body).toEqual({
      name: 'Copy of Spring sale',
      template: { name: 'order_update', language: 'en_US' },
      audience: { type: 'tags', tag_ids: ['vip'] },
      variables: { 1: { type: 'field', value: 'name', fallback: 'friend' } },
    });
  });

  it('names the contacts of a copied list', async () => {
    const audience = {
      type: 'contacts' as const,
      tag_ids: [],
      exclude_tag_ids: [],
      segment_id: null,
      contact_ids: ['ann'],
    };
    const fake = server().on('GET /app/api/broadcasts/{id}/copy', { data: { ...broadcastCopy, audience } });
    await renderApp(fake, '/broadcasts/new?copy=b1');
    await within(await screen.findByRole('list', { name: 'Chosen contacts' })).findByText('Ann Lee');
  });

  it('asks for the audience when it could not be copied', async () => {
    const data = { ...broadcastCopy, audience: null };
    const fake = server().on('GET /app/api/broadcasts/{id}/copy', { data });
    const { user } = await renderApp(fake, '/broadcasts/new?copy=b1');
    await text('Choose whom it is for to see how many people that is.');
    await user.click(await button(/Check and send/));
    await button('Whom it is for');
  });

  it('gives back the draft that a copy has replaced', async () => {
    const { user, router } = await renderApp(server(), '/broadcasts/new');
    await fill(user, 'Name', 'Half done');
    await router.navigate({ to: '/broadcasts' });
    await router.navigate({ to: '/broadcasts/new', search: { copy: 'b1' } });
    await text('Your unfinished broadcast was replaced.');
    await user.click(await button('Undo'));
    expect((await screen.findByLabelText<HTMLInputElement>('Name')).value).toBe('Half done');
  });

  it('sends a test with the values of the preview to the member’s own number', async () => {
    const fake = server().on('POST /messages', () => ({ data: {} }) as never);
    const { user } = await renderApp(fake, '/broadcasts/new');
    await toMessage(user);
    await choose(user, 'Comes from', 'Name');
    await fill(user, 'Your WhatsApp number', '+4915112345699');
    await user.click(await button('Send a test'));
    await text('Sent. Look at your phone.');
    expect(fake.last('POST /messages')?.body).toEqual({
      type: 'template',
      to: { phone: '+4915112345699' },
      template: { name: 'order_update', language: 'en_US', body_params: ['Ann Lee'] },
    });
  });
});

describe('templates', () => {
  it('are read again from WhatsApp, and found by their words', async () => {
    const server = accountServer().on('POST /app/api/admin/connections/{id}/sync', {
      data: { templates: 7 },
    });
    const { user } = await renderApp(server, '/templates');
    await text('order_update');
    await user.click(await button('Read the templates again'));
    await text('7 templates read.');
    await fill(user, 'Search templates', 'goodbye');
    await text('No template matches');
  });
});
