import { beforeEach, expect, it } from 'vitest';
import { accountServer, conversation, page, row } from '@/testing/data';
import { click, renderApp, waitFor } from '@/testing/render';

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
  await renderApp(server, '/inbox/c1');
  await waitFor(() => told().length === 1, 'a presence');
  await click('Ben Bell');
  await waitFor(() => told().length === 2, 'another presence');
  expect(told()).toEqual(['c1', 'c2']);
});
