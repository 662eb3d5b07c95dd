import { describe, expect, it, vi } from 'vitest';
import { ApiError } from '@/api/errors';
import { parseExport, runImport, UnreadableExport } from './imports';

describe('an exported file', () => {
  it('gives the rows that have a name, of the kinds that can be imported', () => {
    const text = JSON.stringify({
      tags: [{ name: 'VIP' }, {}, null, 7],
      deals: [{ title: 'x' }],
      pipelines: 'no',
    });
    expect(parseExport(text)).toEqual({ tags: [{ name: 'VIP' }] });
  });

  it.each(['', '{', 'null', '[]', '7', '{"deals": []}', '{"tags": []}'])('is not %j', (text) => {
    expect(() => parseExport(text)).toThrow(UnreadableExport);
  });
});

describe('an import', () => {
  it('creates what is missing with what its kind needs, and keeps what is there', async () => {
    const create = vi.fn(async () => undefined);
    const outcome = await runImport(
      {
        tags: [
          { id: 'old', name: 'VIP', color: '#111111' },
          { name: 'new', color: '#222222' },
          { name: 'New', color: '#333333' },
        ],
        pipelines: [{ name: 'Sales', stages: [{ id: 's', name: 'Lead', position: 0, probability: 20 }] }],
      },
      { existing: { tags: [{ name: 'vip' }] }, create, onRow: () => undefined },
    );
    expect(outcome).toEqual({ created: 2, kept: 2, failed: [] });
    expect(create.mock.calls).toEqual([
      ['tags', { name: 'new', color: '#222222' }],
      ['pipelines', { name: 'Sales', stages: [{ name: 'Lead', probability: 20 }] }],
    ]);
  });

  it('goes on after a row that is refused, and says why', async () => {
    const onRow = vi.fn();
    const outcome = await runImport(
      { tags: [{ name: 'a' }, { name: 'b' }] },
      {
        existing: {},
        onRow,
        create: async (_, { name }) => {
          if (name === 'a')
            throw new ApiError({ status: 400, code: 'validation_error', message: 'Wrong colour.' });
        },
      },
    );
    expect(outcome).toEqual({
      created: 1,
      kept: 0,
      failed: [{ kind: 'tags', name: 'a', why: 'Wrong colour.' }],
    });
    expect(onRow.mock.calls).toEqual([[1], [2]]);
  });
});
