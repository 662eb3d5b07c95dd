import { expect, it } from 'vitest';
import type { ImportBatch, ImportRow } from '@/api/app';
import { accountServer } from '@/testing/data';
import { click, renderApp, text, waitFor } from '@/testing/render';

it('maps columns, shows what would happen, imports and gives rejected rows back', async () => {
  const server = accountServer().on('POST /app/api/contacts/import', ({ body }) => ({
    data: {
      results: ((body as ImportBatch).rows as ImportRow[]).map((row) =>
        row.phone?.startsWith('+')
          ? { line: row.line, outcome: 'created' as const, contact_id: 'x', errors: [], warnings: [] }
          : {
              line: row.line,
              outcome: 'rejected' as const,
              contact_id: null,
              errors: [{ path: 'phone', message: 'is not a phone number', value: row.phone ?? null }],
              warnings: [],
            },
      ),
    },
  }));
  await renderApp(server, '/contacts/import');
  const input = await waitFor(
    () => document.querySelector<HTMLInputElement>('input[type="file"]'),
    'the file field',
  );
  const file = new File(['Vorname;Handy;Plan\nAnn;+14155550123;gold\nBo;12;\n'], 'people.csv', {
    type: 'text/csv',
  });
  Object.defineProperty(input, 'files', { value: [file] });
  input.dispatchEvent(new Event('change', { bubbles: true }));
  await text('The file has 2 rows.');
  await click('Check without importing');
  await text('Nothing has been changed yet.');
  await text('Phone “12” is not a phone number');
  expect(server.last('POST /app/api/contacts/import')?.body).toEqual({
    dry_run: true,
    match_by: 'phone',
    update_existing: true,
    country: 'DE',
    rows: [
      { line: 2, name: 'Ann', phone: '+14155550123', custom_fields: { plan: 'gold' } },
      { line: 3, name: 'Bo', phone: '12' },
    ],
  });
  await click('Import 1 contact');
  await text('Import finished');
  expect(server.last('POST /app/api/contacts/import')?.body).toMatchObject({ dry_run: false });
  await text('Download the rejected rows');
});
