import { screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { accountServer } from '@/testing/data';
import { button, choose, fill, renderApp } from '@/testing/render';

it('a segment is built by clicking, and its contacts are shown', async () => {
  const at = '2026-01-31T09:30:00.000Z';
  const server = accountServer().on('POST /segments', {
    data: {
      id: 'g1',
      name: 'Gold',
      match: 'any',
      rules: [],
      contact_count: 7,
      created_at: at,
      updated_at: at,
    },
  });
  const { router, user } = await renderApp(server, '/segments/new');
  await fill(user, 'Name', 'Gold');
  await choose(user, 'Contacts that fit', 'any of these rules');
  await choose(user, 'Rule 1: value', 'vip');
  await user.click(await button('Add a rule'));
  await choose(user, 'Rule 2: field', 'Created');
  await fill(user, 'Rule 2: value', '30');
  await user.click(await button('Save the segment'));
  await screen.findByText(/7 contacts are in the segment/);
  expect(server.last('POST /segments')?.body).toEqual({
    name: 'Gold',
    match: 'any',
    rules: [
      { field: 'tag', op: 'is', value: 'vip' },
      { field: 'created_at', op: 'within_days', value: 30 },
    ],
  });
  await waitFor(() => expect(server.last('GET /contacts')?.query.get('segment_id')).toBe('g1'));
  expect(router.state.location.pathname).toBe('/contacts');
});
