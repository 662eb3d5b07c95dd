import { act, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { accountServer, conversation, page, row } from '@/testing/data';
import { renderApp } from '@/testing/render';

beforeEach(() => localStorage.clear());

it('tells of a move to another conversation once', async () => {
  const server = accountServer().on(
    'GET /app/api/inbox',
    page([
      row,
      { ...row, conversation: { ...conversation, id: 'c2' }, contact: { ...row.contact, name: 'Ben Bell' } },
    ]),
  );
  const told = () =>
    server.asked
      .filter((asked) => asked.operation === 'POST /app/api/presence')
      .map((asked) => (asked.body as { conversation_id: string | null }).conversation_id);
  const { user } = await renderApp(server, '/inbox/c1');
  await waitFor(() => expect(told()).toEqual(['c1']));
  await user.click(await screen.findByRole('link', { name: 'Ben Bell' }));
  await waitFor(() => expect(told()).toEqual(['c1', 'c2']));
});

it('shows that a website visitor types, until they have written', async () => {
  const server = accountServer();
  await renderApp(server, '/inbox/c1');
  await screen.findByRole('log', { name: 'Messages' });
  act(() => server.notice('visitor_typing', { conversation_id: 'c1', typing: true }));
  await screen.findByText('The visitor is typing…');
  act(() => server.notice('visitor_typing', { conversation_id: 'c1', typing: false }));
  await waitFor(() => expect(screen.queryByText('The visitor is typing…')).toBeNull());
});
