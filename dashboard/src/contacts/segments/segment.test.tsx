import { expect, it } from 'vitest';
import { accountServer } from '@/testing/data';
import { click, control, renderApp, text, type, waitFor } from '@/testing/render';

async function choose(label: string, value: string): Promise<void> {
  const field = await control<HTMLSelectElement>('select', label);
  Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, 'value')?.set?.call(field, value);
  field.dispatchEvent(new Event('change', { bubbles: true }));
}

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
  const { router } = await renderApp(server, '/segments/new');
  await type('Name', 'Gold');
  await choose('Contacts that fit', 'any');
  await choose('Rule 1: value', 'vip');
  await click('Add a rule', 'button');
  await choose('Rule 2: field', 'created_at');
  await type('Rule 2: value', '30');
  await click('Save the segment', 'button');
  await text('7 contacts are in the segment');
  expect(server.last('POST /segments')?.body).toEqual({
    name: 'Gold',
    match: 'any',
    rules: [
      { field: 'tag', op: 'is', value: 'vip' },
      { field: 'created_at', op: 'within_days', value: 30 },
    ],
  });
  await waitFor(() => server.last('GET /contacts')?.query.get('segment_id') === 'g1', 'the filtered list');
  expect(router.state.location.pathname).toBe('/contacts');
});
