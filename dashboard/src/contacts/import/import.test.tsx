import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { ImportBatch, ImportRow } from '@/api/app';
import { accountServer } from '@/testing/data';
import { button, renderApp } from '@/testing/render';

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
  const { user } = await renderApp(server, '/contacts/import');
  await button('Choose a file');
  const file = new File(['Vorname;Handy;Plan\nAnn;+14155550123;gold\nBo;12;\n'], 'people.csv', {
    type: 'text/csv',
  });
  await user.upload(screen.getByLabelText('Choose a file', { selector: 'input' }), file);
  await screen.findByText(/The file has 2 rows\./);
  await user.click(await button('Check without importing'));
  await screen.findByText(/Nothing has been changed yet\./);
  await screen.findByText(/Phone “12” is not a phone number/);
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
  await user.click(await button('Import 1 contact'));
  await screen.findByText(/Import finished/);
  expect(server.last('POST /app/api/contacts/import')?.body).toMatchObject({ dry_run: false });
  await button('Download the rejected rows');
});
