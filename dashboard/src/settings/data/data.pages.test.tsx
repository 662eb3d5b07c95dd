import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { accountServer, deal, page } from '@/testing/data';
import { button, renderApp, text } from '@/testing/render';
import { Refusal } from '@/testing/server';

const AT = '2026-01-31T09:30:00.000Z';
const saved = vi.hoisted(() => vi.fn());
vi.mock('@/ui/download', () => ({ download: saved }));

const file = (content: unknown) =>
  new File([typeof content === 'string' ? content : JSON.stringify(content)], 'setup.json', {
    type: 'application/json',
  });

async function pick(user: Awaited<ReturnType<typeof renderApp>>['user'], picked: File) {
  await button('Choose a file');
  await user.upload(screen.getByLabelText('Choose a file', { selector: 'input' }), picked);
}

describe('an export', () => {
  it('is one file with everything that was ticked', async () => {
    saved.mockClear();
    const { user } = await renderApp(accountServer(), '/settings/data');
    for (const box of await screen.findAllByRole('checkbox'))
      if (!['Deals', 'Tags'].includes(box.closest('label')?.textContent ?? '')) await user.click(box);
    await user.click(await button('Export as JSON'));
    await text('The file is in your downloads.');
    const [name, content] = saved.mock.calls[0] as [string, string];
    expect(name).toMatch(/^frontdesk-\d{4}-\d\d-\d\d\.json$/);
    expect(JSON.parse(content)).toEqual({
      exported_at: expect.any(String),
      account: { id: 'acme', name: 'Acme' },
      tags: [expect.objectContaining({ name: 'vip' })],
      deals: [deal],
    });
  });

  it('says why it failed, and saves no half of a file', async () => {
    saved.mockClear();
    const server = accountServer().on(
      'GET /triggers',
      () => new Refusal(500, { code: 'internal', message: 'Broken.' }),
    );
    const { user } = await renderApp(server, '/settings/data');
    await user.click(await button('Export as JSON'));
    await text('The server had a problem.');
    expect(saved).not.toHaveBeenCalled();
  });
});

describe('an import', () => {
  it('creates what is missing, and says what is here already', async () => {
    const server = accountServer().on('POST /tags', {
      data: { id: 't2', name: 'new', color: '#222222', created_at: AT, updated_at: AT },
    });
    const { user } = await renderApp(server, '/settings/data');
    await pick(user, file({ tags: [{ name: 'VIP' }, { name: 'new', color: '#222222' }] }));
    await text('Tags: 2');
    await user.click(await button('Import'));
    await text('1 was created. 1 was here already.');
    expect(server.count('POST /tags')).toBe(1);
    expect(server.last('POST /tags')?.body).toEqual({ name: 'new', color: '#222222' });
  });

  it('lists the rows that the server refused', async () => {
    const server = accountServer().on(
      'POST /canned-replies',
      () => new Refusal(400, { code: 'validation_error', message: 'The body is too long.' }),
    );
    const { user } = await renderApp(server, '/settings/data');
    await pick(user, file({ canned_replies: [{ shortcut: 'hours', body: 'x' }] }));
    await user.click(await button('Import'));
    await text('Canned replies, hours: The body is too long.');
  });

  it.each(['{', '{"deals":[]}'])('takes no other file: %s', async (content) => {
    const server = accountServer();
    const { user } = await renderApp(server, '/settings/data');
    await pick(user, file(content));
    await text('This is not a file that was exported here');
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Import' })).toBeNull());
    expect(server.asked.filter(({ operation }) => operation.startsWith('POST /tags'))).toEqual([]);
  });
});

it('leads to the import and the export of contacts', async () => {
  await renderApp(accountServer().on('GET /deals', page([])), '/settings/data');
  const read = async (name: string) => (await screen.findByRole('link', { name })).getAttribute('href');
  expect(await read('Import contacts')).toBe('/app/contacts/import');
  expect(await read('Export contacts')).toBe('/app/api/contacts/export.csv');
});
