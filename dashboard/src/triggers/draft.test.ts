import { describe, expect, it } from 'vitest';
import type { Trigger } from '@/api/schema';
import { bodyOf, type Draft, draftOf, emptyDraft, isComplete, isSame, previewBodyOf } from './draft';

const ZONE = 'Europe/Berlin';
const draft: Draft = { ...emptyDraft('a1'), name: ' Monday ', goal: 'Ask.' };

describe('what is saved', () => {
  it('has the fields of its kind alone', () => {
    const once = { ...draft, kind: 'once' as const, runAt: '2026-07-01T09:30' };
    expect(bodyOf(once, ZONE)).toMatchObject({
      name: 'Monday',
      kind: 'once',
      run_at: '2026-07-01T07:30:00.000Z',
      period: null,
      send_time: null,
      day_of_week: null,
      event_key: null,
    });
    expect(bodyOf(draft, ZONE)).toMatchObject({
      period: 'weekly',
      send_time: '09:00',
      day_of_week: 1,
      day_of_month: null,
      run_at: null,
    });
  });
  it('has no audience where the event or the call names the contact', () => {
    const aimed = { ...draft, audience: 'segment' as const, segmentId: 's1' };
    expect(bodyOf(aimed, ZONE)).toMatchObject({ audience_type: 'segment', segment_id: 's1' });
    for (const kind of ['event', 'webhook'] as const)
      expect(bodyOf({ ...aimed, kind }, ZONE)).toMatchObject({ audience_type: 'none', segment_id: null });
  });
  it('is what was read when nothing was changed', () => {
    const body = bodyOf({ ...draft, kind: 'once', runAt: '2026-07-01T09:30' }, ZONE);
    const trigger = { ...body, id: 't1', last_error: null, last_fired_at: null } as unknown as Trigger;
    expect(bodyOf(draftOf(trigger, ZONE), ZONE)).toEqual(body);
    expect(isSame(draftOf(trigger, ZONE), draftOf(trigger, ZONE))).toBe(true);
  });
});

describe('a draft', () => {
  it('is complete when its kind and its audience have what they need', () => {
    expect(isComplete(draft)).toBe(true);
    expect(isComplete({ ...draft, goal: ' ' })).toBe(false);
    expect(isComplete({ ...draft, kind: 'once' })).toBe(false);
    expect(isComplete({ ...draft, audience: 'segment' })).toBe(false);
    expect(isComplete({ ...draft, kind: 'webhook', audience: 'segment' })).toBe(true);
  });
  it('asks what it would do as soon as it says when and for whom, whatever it is called', () => {
    expect(previewBodyOf({ ...draft, name: '', goal: '' }, ZONE)).toMatchObject({
      assistant_id: draft.assistantId,
      kind: 'recurring',
    });
    expect(previewBodyOf({ ...draft, name: '' }, ZONE)).not.toHaveProperty('name');
    expect(previewBodyOf({ ...draft, assistantId: '' }, ZONE)).toBeNull();
    expect(previewBodyOf({ ...draft, audience: 'segment' }, ZONE)).toBeNull();
    expect(previewBodyOf({ ...draft, kind: 'once' }, ZONE)).toBeNull();
  });
});
