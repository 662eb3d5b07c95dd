import { describe, expect, it } from 'vitest';
import { broadcast } from '@/testing/data';
import { actionsOf, funnelOf, progressOf } from './progress';

const counts = (more: Partial<typeof broadcast.counts>) => ({
  total: 0,
  sent: 0,
  delivered: 0,
  read: 0,
  replied: 0,
  failed: 0,
  ...more,
});

describe('progress', () => {
  it('counts what was accepted and what was refused', () => {
    expect(progressOf(counts({ total: 10, sent: 4, failed: 1 }))).toEqual({
      done: 5,
      total: 10,
      sentPercent: 40,
      failedPercent: 10,
    });
  });

  it('never exceeds the whole when messages fail after they were accepted', () => {
    expect(progressOf(counts({ total: 10, sent: 10, failed: 3 }))).toEqual({
      done: 10,
      total: 10,
      sentPercent: 100,
      failedPercent: 0,
    });
  });

  it('of nobody is empty', () => {
    expect(progressOf(counts({}))).toEqual({ done: 0, total: 0, sentPercent: 0, failedPercent: 0 });
    expect(funnelOf(counts({})).map(({ percent }) => percent)).toEqual([0, 0, 0, 0]);
  });
});

describe('actions', () => {
  it('are those that the API allows in the state', () => {
    const of = (status: typeof broadcast.status, failed = 0) =>
      actionsOf({ ...broadcast, status, counts: counts({ failed }) });
    expect(of('draft')).toEqual(['schedule']);
    expect(of('scheduled')).toEqual(['schedule', 'unschedule']);
    expect(of('sending', 2)).toEqual(['stop']);
    expect(of('sent')).toEqual([]);
    expect(of('sent', 2)).toEqual(['retry']);
    expect(of('failed', 2)).toEqual(['retry']);
  });
});
