import { expect, it } from 'vitest';
import { usableColumns } from './columns';

const field = (id: string) => ({
  id,
  name: id,
  type: 'text' as const,
  options: [],
  created_at: '',
  updated_at: '',
});

it('keeps columns in order and drops fields that are gone', () => {
  expect(usableColumns(['field:b', 'tags', 'phone', 'field:gone'], [field('a'), field('b')])).toEqual([
    'phone',
    'tags',
    'field:b',
  ]);
});
