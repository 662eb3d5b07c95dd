import { describe, expect, it } from 'vitest';
import { byIds } from '@/ui/bulk';
import { asChoice } from './subjects';

describe('all that match, as bulk changes take it', () => {
  it('names the member for the own conversations', () => {
    expect(asChoice({ assigned: 'me', status: 'open' }, 'bo')).toEqual({
      assigned_user_id: 'bo',
      status: 'open',
    });
    expect(asChoice({ unread: true, channel: 'whatsapp' }, 'bo')).toEqual({
      unread: true,
      handler: 'human',
      channel: 'whatsapp',
    });
  });

  it('never widens a filter that bulk changes do not have', () => {
    expect(asChoice({ assigned: 'nobody', status: 'open' }, 'bo')).toBeNull();
    expect(asChoice({ q: 'ann' }, 'bo')).toBeNull();
    expect(asChoice({ needs_person: true }, 'bo')).toBeNull();
    expect(asChoice({ connection_id: 'x' }, 'bo')).toBeNull();
  });

  it('splits long lists of ids', () => {
    const ids = Array.from({ length: 2_500 }, (_, index) => String(index));
    expect(byIds(ids).map((job) => job.ids.length)).toEqual([1_000, 1_000, 500]);
    expect(byIds([])).toEqual([]);
  });
});
