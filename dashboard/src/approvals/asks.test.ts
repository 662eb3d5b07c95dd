import { describe, expect, it } from 'vitest';
import type { Ask } from '@/api/schema';
import { ask, page } from '@/testing/data';
import { type AskPages, asksOf, mayApprove, neighbour, openCount, parseAskSearch, upsertAsk } from './asks';

const pages = (...asks: Ask[]): AskPages => ({ pages: [page(asks)], pageParams: [undefined] });
const shape = (list: AskPages) => asksOf(list).map(({ id, status }) => `${id} ${status}`);
const one = (id: string, status: Ask['status'] = 'pending') => ({ ...ask, id, status });

describe('upsertAsk', () => {
  it('puts a new ask first', () => {
    expect(shape(upsertAsk(pages(one('a')), one('b'), 'waiting'))).toEqual(['b pending', 'a pending']);
  });

  it('keeps an answered ask in its place, with its answer', () => {
    const list = upsertAsk(pages(one('b'), one('a')), one('b', 'approved'), 'waiting');
    expect(shape(list)).toEqual(['b approved', 'a pending']);
    expect(openCount(list)).toBe(1);
  });

  it('does not add an answered ask to those that wait', () => {
    expect(shape(upsertAsk(pages(one('a')), one('b', 'declined'), 'waiting'))).toEqual(['a pending']);
    expect(shape(upsertAsk(pages(one('a')), one('b', 'declined'), 'all'))).toEqual([
      'b declined',
      'a pending',
    ]);
  });

  it('does not let a late event open an answered ask again', () => {
    expect(shape(upsertAsk(pages(one('a', 'approved')), one('a'), 'waiting'))).toEqual(['a approved']);
  });
});

describe('neighbour', () => {
  const asks = [one('a'), one('b', 'approved'), one('c'), one('d')];

  it('skips what is answered', () => {
    expect(neighbour(asks, 'a', 1)?.id).toBe('c');
    expect(neighbour(asks, 'c', -1)?.id).toBe('a');
  });

  it('goes on from the first after the last', () => {
    expect(neighbour(asks, 'd', 1)?.id).toBe('a');
    expect(neighbour(asks, 'a', -1)).toBeUndefined();
    expect(neighbour([one('a')], 'a', 1)).toBeUndefined();
  });

  it('begins with the first', () => {
    expect(neighbour(asks, undefined, 1)?.id).toBe('a');
  });
});

it('lets a role approve only what it may do itself', () => {
  const agent = (scope: string) => ['asks:answer', 'deals:write'].includes(scope);
  expect(mayApprove({ tool: 'delete_deal' }, agent)).toBe(true);
  expect(mayApprove({ tool: 'start_broadcast' }, agent)).toBe(false);
  expect(mayApprove({ tool: 'start_broadcast' }, () => true)).toBe(true);
  expect(mayApprove({ tool: 'delete_deal' }, () => false)).toBe(false);
});

it('reads the view from the address', () => {
  expect(parseAskSearch({ view: 'all' })).toEqual({ view: 'all' });
  expect(parseAskSearch({ view: 'other' })).toEqual({ view: undefined });
});
