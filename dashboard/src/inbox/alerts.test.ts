import { describe, expect, it } from 'vitest';
import type { InboxRow } from '@/api/app';
import { shouldAlert } from './alerts';

const row = (more: Partial<InboxRow['conversation']>) => ({
  conversation: { id: 'c', handler: 'human', assigned_user_id: null, ...more } as InboxRow['conversation'],
});
const context = { me: 'me', onlyMine: true, lookingAt: null };

describe('shouldAlert', () => {
  it('announces messages of customers for me or for nobody', () => {
    expect(shouldAlert({ direction: 'inbound' }, row({}), context)).toBe(true);
    expect(shouldAlert({ direction: 'inbound' }, row({ assigned_user_id: 'me' }), context)).toBe(true);
    expect(shouldAlert({ direction: 'inbound' }, row({ assigned_user_id: 'you' }), context)).toBe(false);
    expect(
      shouldAlert({ direction: 'inbound' }, row({ assigned_user_id: 'you' }), {
        ...context,
        onlyMine: false,
      }),
    ).toBe(true);
  });
  it('is silent about our own messages, what is on screen, and what an assistant handles', () => {
    expect(shouldAlert({ direction: 'outbound' }, row({}), context)).toBe(false);
    expect(shouldAlert({ direction: 'inbound' }, row({}), { ...context, lookingAt: 'c' })).toBe(false);
    expect(shouldAlert({ direction: 'inbound' }, row({ handler: 'assistant' }), context)).toBe(false);
  });
});
