import { screen, waitFor } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { InboxRow } from '@/api/app';
import { accountServer, conversation, message, page, row } from '@/testing/data';
import { button, fill, noText, renderApp, text } from '@/testing/render';
import { Refusal } from '@/testing/server';

beforeEach(() => localStorage.clear());
/** Time enough for a second request, were there one. */
const QUIET_MS = 200;
const REPLY = 'Reply to the customer';
const NOTE = 'Private note, not sent to the customer';
const sent = (text: string) =>
  message(`sent-${text}`, {
    direction: 'outbound',
    sender_type: 'agent',
    status: 'sent',
    text,
    author_user_id: 'bo',
    created_at: new Date().toISOString(),
  });

describe('a reply', () => {
  it('appears at once, and the draft is gone', async () => {
    let release: () => void = () => undefined;
    const server = accountServer().on('POST /messages', async () => {
      await new Promise<void>((done) => {
        release = done;
      });
      return { data: sent('On its way') };
    });
    const { user } = await renderApp(server, '/inbox/c1');
    await fill(user, REPLY, 'On its way');
    await user.click(await button('Send'));
    await text('Sending…');
    expect((await screen.findByLabelText<HTMLTextAreaElement>(REPLY)).value).toBe('');
    release();
    await noText('Sending…');
    await text('On its way');
    expect(server.last('POST /messages')?.headers.get('idempotency-key')).toBeTruthy();
  });

  it('shows why it was not sent, and goes out under a new key: the server has stored the refusal', async () => {
    const server = accountServer().on(
      'POST /messages',
      () => new Refusal(422, { code: 'channel_not_connected', message: 'No.' }),
    );
    const { user } = await renderApp(server, '/inbox/c1');
    await fill(user, REPLY, 'Hello');
    await user.click(await button('Send'));
    await text('The channel is not connected.');
    const first = server.last('POST /messages')?.headers.get('idempotency-key');
    server.on('POST /messages', { data: sent('Hello') });
    await user.click(await button('Try again'));
    await noText('Not sent.');
    const second = server.last('POST /messages')?.headers.get('idempotency-key');
    expect(second).toBeTruthy();
    expect(second).not.toBe(first);
    expect(server.last('POST /messages')?.headers.get('frontdesk-member')).toBe('bo');
  });

  it('that is not sent can be edited without losing what was typed since', async () => {
    const server = accountServer().on(
      'POST /messages',
      () => new Refusal(422, { code: 'channel_not_connected', message: 'No.' }),
    );
    const { user } = await renderApp(server, '/inbox/c1');
    await fill(user, REPLY, 'First');
    await user.click(await button('Send'));
    await text('The channel is not connected.');
    await fill(user, REPLY, 'Second');
    await user.click(await button('Edit'));
    await noText('Not sent.');
    expect((await screen.findByLabelText<HTMLTextAreaElement>(REPLY)).value).toBe('First\nSecond');
  });

  it('keeps its draft while another conversation is open', async () => {
    const server = accountServer().on(
      'GET /app/api/inbox',
      page([row, { ...row, conversation: { ...conversation, id: 'c2' } }]),
    );
    const { router, user } = await renderApp(server, '/inbox/c1');
    await fill(user, REPLY, 'Half a sen');
    await router.navigate({ to: '/inbox/$conversationId', params: { conversationId: 'c2' } });
    await waitFor(() => expect(screen.getByLabelText<HTMLTextAreaElement>(REPLY).value).toBe(''));
    await router.navigate({ to: '/inbox/$conversationId', params: { conversationId: 'c1' } });
    await screen.findByDisplayValue('Half a sen');
  });

  it('quotes a message', async () => {
    const server = accountServer().on('POST /messages', { data: sent('Yes') });
    const { user } = await renderApp(server, '/inbox/c1');
    await user.click(await button('Quote in a reply'));
    await fill(user, REPLY, 'Yes');
    await user.click(await button('Send'));
    await waitFor(() => expect(server.count('POST /messages')).toBe(1));
    expect(server.last('POST /messages')?.body).toMatchObject({ text: 'Yes', reply_to_message_id: 'm1' });
  });

  it('is filled in from a canned reply by its shortcut', async () => {
    const { user } = await renderApp(accountServer(), '/inbox/c1');
    const field = await screen.findByLabelText<HTMLTextAreaElement>(REPLY);
    await text('Ann Lee');
    await fill(user, REPLY, '/hel');
    await text('Hello {{contact.first_name}}!');
    await user.keyboard('{Enter}');
    await waitFor(() => expect(field.value).toBe('Hello Ann!'));
  });

  it('takes the files of a canned reply and sends them without another upload', async () => {
    const at = new Date().toISOString();
    const file = {
      id: 'f1',
      content_type: 'application/pdf',
      filename: 'map.pdf',
      size: 2_048,
      url: '/media/f1',
    };
    const canned = { id: 'r1', shortcut: 'visit', body: 'Here is the way.', created_at: at, updated_at: at };
    const server = accountServer()
      .on('GET /canned-replies', page([{ ...canned, media: [file] }]))
      .on('POST /messages', { data: message('m9', { direction: 'outbound' }) });
    const { user } = await renderApp(server, '/inbox/c1');
    await screen.findByLabelText(REPLY);
    await text('Ann Lee');
    await fill(user, REPLY, '/vis');
    await text('1 file');
    await user.keyboard('{Enter}');
    await text('map.pdf');
    await user.click(await button('Send'));
    await waitFor(() => expect(server.count('POST /messages')).toBe(1));
    expect(server.last('POST /messages')?.body).toEqual({
      type: 'media',
      to: { conversation_id: 'c1', last_seen_message_id: 'm1' },
      media: { kind: 'document', url: '/media/f1', filename: 'map.pdf', caption: 'Here is the way.' },
    });
  });
});

describe('a private note', () => {
  it('goes to the notes and never to the customer', async () => {
    const at = new Date().toISOString();
    const server = accountServer().on('POST /conversations/{id}/notes', {
      data: {
        id: 'n2',
        conversation_id: 'c1',
        body: 'Is a friend',
        author_user_id: 'bo',
        created_at: at,
        updated_at: at,
      },
    });
    const { user } = await renderApp(server, '/inbox/c1');
    await fill(user, REPLY, 'A reply');
    await user.click(await screen.findByRole('tab', { name: 'Private note' }));
    expect((await screen.findByLabelText<HTMLTextAreaElement>(NOTE)).value).toBe('');
    await fill(user, NOTE, 'Is a friend');
    await user.click(await button('Save the note'));
    await waitFor(() => expect(server.count('POST /conversations/{id}/notes')).toBe(1));
    expect(server.count('POST /messages')).toBe(0);
    await user.click(await screen.findByRole('tab', { name: 'Reply' }));
    expect((await screen.findByLabelText<HTMLTextAreaElement>(REPLY)).value).toBe('A reply');
  });
});

it('mentions a member by @ and a few letters', async () => {
  const server = accountServer().on(
    'POST /conversations/{id}/notes',
    () => new Refusal(500, { code: 'internal', message: 'x' }),
  );
  const { user } = await renderApp(server, '/inbox/c1');
  await user.click(await screen.findByRole('tab', { name: 'Private note' }));
  const field = await screen.findByLabelText<HTMLTextAreaElement>(NOTE);
  await text('Nobody');
  await fill(user, NOTE, 'Ask @ag');
  await screen.findByRole('option', { name: 'Bo Agent' });
  await user.keyboard('{Enter}');
  await waitFor(() => expect(field.value).toBe('Ask @Bo Agent '));
  await user.click(await button('Save the note'));
  await text('The server had a problem.');
  expect(server.last('POST /conversations/{id}/notes')?.body).toEqual({
    body: 'Ask @Bo Agent',
    mentioned_user_ids: ['bo'],
  });
  expect(field.value).toBe('Ask @Bo Agent ');
});

describe('the 24-hour window', () => {
  it('offers a template instead of text once it is over, and sends it', async () => {
    const closed: InboxRow = {
      ...row,
      conversation: { ...conversation, unread_count: 0, window_expires_at: '2020-01-01T00:00:00.000Z' },
    };
    const server = accountServer()
      .on('GET /app/api/inbox/{conversation_id}', { data: closed })
      .on('GET /app/api/inbox', page([closed]));
    const { user } = await renderApp(server, '/inbox/c1');
    await text('Only a template can be sent');
    expect(screen.queryByLabelText(REPLY)).toBeNull();
    await user.click(await button('Send a template'));
    await fill(user, 'Template', 'order');
    await user.click(await screen.findByRole('option', { name: 'order_update (en_US)' }));
    await fill(user, 'Value for 1', 'Ann Lee');
    await text('Hello Ann Lee');
    server.on('POST /messages', { data: sent('Hello Ann Lee') });
    await user.click(await button('Send the template'));
    await waitFor(() => expect(server.count('POST /messages')).toBe(1));
    expect(server.last('POST /messages')?.body).toEqual({
      type: 'template',
      to: { conversation_id: 'c1', last_seen_message_id: 'm1' },
      template: { name: 'order_update', language: 'en_US', body_params: ['Ann Lee'] },
    });
  });

  it('counts down while it is open', async () => {
    await renderApp(accountServer(), '/inbox/c1');
    await text('4 h 59 min left');
  });
});

describe('a list of ten thousand conversations', () => {
  const many = Array.from(
    { length: 10_000 },
    (_, index): InboxRow => ({
      ...row,
      conversation: { ...conversation, id: `x${index}` },
      contact: { ...row.contact, name: `Customer ${index}` },
      last_activity_at: new Date(Date.UTC(2026, 0, 31) - index * 1_000).toISOString(),
    }),
  );

  it('puts only the rows in view into the page, and a new message on top', async () => {
    const server = accountServer().on('GET /app/api/inbox', page(many));
    await renderApp(server, '/inbox');
    await text('Customer 0');
    expect(screen.getAllByRole('listitem').length).toBeLessThan(60);
    const last = many.at(-1) ?? row;
    const arrived = message('m9', {
      conversation_id: last.conversation.id,
      text: 'Out of the blue',
      created_at: new Date().toISOString(),
    });
    server.notice('inbox_row', {
      ...last,
      last_message: arrived,
      last_activity_at: arrived.created_at,
    });
    server.emit({ event_id: 'evt_1', event_type: 'message.received', data: { message: arrived } });
    await text('Out of the blue');
    expect(screen.getAllByRole('listitem')[0]?.textContent).toContain('Customer 9999');
  });
});

describe('live', () => {
  it('shows a message of the customer in the thread and in the list, and marks it read', async () => {
    const server = accountServer();
    await renderApp(server, '/inbox/c1');
    await text('Prefers mornings.');
    vi.spyOn(document, 'hasFocus').mockReturnValue(true);
    const arrived = message('m2', { text: 'Are you there?', created_at: new Date().toISOString() });
    const next: InboxRow = {
      ...row,
      conversation: { ...conversation, unread_count: 1 },
      last_message: arrived,
      last_activity_at: arrived.created_at,
    };
    server.notice('inbox_row', next);
    server.emit({ event_id: 'evt_1', event_type: 'message.received', data: { message: arrived } });
    await waitFor(() => expect(screen.getAllByText('Are you there?').length).toBeGreaterThan(1));
    await waitFor(() => expect(server.count('POST /conversations/{id}/read')).toBeGreaterThan(0));
  });

  it('shows what a colleague has changed', async () => {
    const server = accountServer();
    await renderApp(server, '/inbox');
    await text('Is it still available?');
    const change = (changed: Partial<InboxRow['conversation']>) => {
      const updated = { ...conversation, ...changed };
      server.notice('inbox_row', { ...row, conversation: updated });
      server.emit({
        event_id: `evt_${updated.status}`,
        event_type: 'conversation.updated',
        data: { conversation: updated },
      });
    };
    change({ assigned_user_id: 'bo' });
    await text('Bo Agent');
    change({ status: 'closed' });
    await text('No open conversations');
  });
});

it('asks only once to mark a conversation read when the server refuses', async () => {
  const server = accountServer().on(
    'POST /conversations/{id}/read',
    () => new Refusal(500, { code: 'internal', message: 'x' }),
  );
  vi.spyOn(document, 'hasFocus').mockReturnValue(true);
  await renderApp(server, '/inbox/c1');
  await text('Prefers mornings.');
  await waitFor(() => expect(server.count('POST /conversations/{id}/read')).toBe(1));
  await new Promise((done) => setTimeout(done, QUIET_MS));
  expect(server.count('POST /conversations/{id}/read')).toBe(1);
});

it('says in words who is assigned, in the header and in the row', async () => {
  const assigned = { ...row, conversation: { ...conversation, assigned_user_id: 'bo' } };
  const server = accountServer()
    .on('GET /app/api/inbox/{conversation_id}', { data: assigned })
    .on('GET /app/api/inbox', page([assigned]));
  await renderApp(server, '/inbox/c1');
  await text('Assignee: Bo Agent');
  await waitFor(() => expect(screen.getAllByRole('listitem')[0]?.textContent).toContain('Bo Agent'));
});

describe('actions', () => {
  it('are undone with a message when the server refuses', async () => {
    const server = accountServer().on(
      'PATCH /conversations/{id}',
      () => new Refusal(500, { code: 'internal', message: 'Oops.' }),
    );
    const { user } = await renderApp(server, '/inbox/c1');
    const close = async () => (await screen.findAllByRole('button', { name: 'Close' }))[0] as HTMLElement;
    await user.click(await close());
    await text('The conversation was not changed.');
    // It is in the list again.
    await screen.findByRole('link', { name: 'Ann Lee' });
  });

  it('lead to the next conversation when one is closed, and from the last one to the list', async () => {
    const ben = { ...row.contact, id: 'ben', name: 'Ben Oak' };
    const second = { ...row, contact: ben, conversation: { ...conversation, id: 'c2', contact_id: 'ben' } };
    const server = accountServer()
      .on('GET /app/api/inbox', page([row, second]))
      .on('GET /app/api/inbox/{conversation_id}', ({ path }) => ({
        data: path.endsWith('c2') ? second : row,
      }))
      .on('PATCH /conversations/{id}', ({ path }) => ({
        data: { ...conversation, id: path.split('/').at(-1) ?? '', status: 'closed' as const },
      }));
    const { user, router } = await renderApp(server, '/inbox/c1');
    await text('Prefers mornings.');
    await user.keyboard('e');
    await waitFor(() => expect(router.state.location.pathname).toBe('/inbox/c2'));
    expect(server.last('PATCH /conversations/{id}')?.body).toEqual({ status: 'closed' as const });
    await screen.findByRole('heading', { name: 'Ben Oak' });
    await user.keyboard('e');
    await waitFor(() => expect(router.state.location.pathname).toBe('/inbox'));
    expect(server.last('PATCH /conversations/{id}')?.path).toContain('c2');
  });

  it('work by keyboard, but not while typing', async () => {
    const server = accountServer().on('PATCH /conversations/{id}', {
      data: { ...conversation, assigned_user_id: 'bo' },
    });
    const { user } = await renderApp(server, '/inbox/c1');
    const field = await screen.findByLabelText<HTMLTextAreaElement>(REPLY);
    await user.type(field, 'm');
    expect(server.count('PATCH /conversations/{id}')).toBe(0);
    await user.click(document.body);
    await user.keyboard('m');
    await waitFor(() => expect(server.count('PATCH /conversations/{id}')).toBe(1));
    expect(server.last('PATCH /conversations/{id}')?.body).toEqual({ assigned_user_id: 'bo' });
  });

  it('are found in the command palette', async () => {
    const { user } = await renderApp(accountServer(), '/inbox/c1');
    await text('Prefers mornings.');
    await user.keyboard('{Control>}k{/Control}');
    await screen.findByRole('combobox', { name: 'Find a person, a conversation, a deal or a command' });
    await text('Mark as unread');
  });
});

describe('the pages of a website visitor', () => {
  const chat = { ...row, conversation: { ...conversation, channel: 'web_chat' as const } };
  const seen = (id: string, url: string, title: string | null) => ({
    id,
    url,
    title,
    seen_at: '2026-01-31T09:30:00.000Z',
  });

  it('are beside the conversation, the latest first, and live', async () => {
    const server = accountServer()
      .on('GET /app/api/inbox/{conversation_id}', { data: chat })
      .on('GET /app/api/inbox', page([chat]))
      .on(
        'GET /app/api/conversations/{id}/pages',
        page([
          seen('p2', 'https://shop.example/chairs', 'Chairs'),
          // The server stores no such address. If it did, it would still be no link.
          seen('p1', 'javascript:alert(1)', null),
        ]),
      );
    const { user } = await renderApp(server, '/inbox/c1');
    await user.click(await button('Show or hide the contact'));
    await screen.findByRole('heading', { name: 'On the website' });
    const link = await screen.findByRole('link', { name: 'Chairs' });
    expect(link.getAttribute('href')).toBe('https://shop.example/chairs');
    expect(link.getAttribute('rel')).toContain('noopener');
    await text('shop.example/chairs');
    expect((await screen.findByText('javascript:alert(1)')).getAttribute('href')).toBeNull();
    server.on('GET /app/api/conversations/{id}/pages', page([seen('p3', 'https://shop.example/', 'Home')]));
    server.notice('changed', { resource: 'visited-pages', id: 'c1' });
    await screen.findByRole('link', { name: 'Home' });
    expect(screen.queryByRole('link', { name: 'Chairs' })).toBeNull();
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  it('are asked for of web chats alone', async () => {
    const server = accountServer();
    const { user } = await renderApp(server, '/inbox/c1');
    await user.click(await button('Show or hide the contact'));
    await screen.findByRole('dialog', { name: 'Contact' });
    await screen.findByRole('heading', { name: 'Deals' });
    expect(server.count('GET /app/api/conversations/{id}/pages')).toBe(0);
  });
});
