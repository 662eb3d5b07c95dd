import { describe, expect, it } from 'vitest';
import type { Event } from '@/api/schema';
import { EVENTS_KEPT_MAX, EventLog, filterEvents } from './eventLog';

const event = (number: number, type = 'contact.created'): Event =>
  ({
    event_id: `evt_${String(number).padStart(8, '0')}`,
    event_type: type,
    created_at: new Date(number * 1_000).toISOString(),
    account_id: 'acme',
    api_version: 'v1',
    data: { contact: { name: `Customer ${number}` } },
  }) as unknown as Event;
const events = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => event(from + index));
const numbers = (log: EventLog) => log.read().events.map(({ event_id: id }) => Number(id.slice(4)));

function openLog() {
  const log = new EventLog();
  const close = log.subscribe(() => undefined);
  return { log, close };
}

describe('the event log', () => {
  it('shows the newest event first', () => {
    const { log } = openLog();
    log.push(events(1, 3));
    log.push([event(3)]);
    expect(numbers(log)).toEqual([3, 2, 1]);
  });

  it('keeps a bounded number of events', () => {
    const { log } = openLog();
    for (let batch = 0; batch < 20; batch += 1) log.push(events(batch * 100, batch * 100 + 100));
    expect(log.read().events).toHaveLength(EVENTS_KEPT_MAX);
    expect(numbers(log)[0]).toBe(1_999);
  });

  it('collects nothing while nobody looks, and forgets when it is closed', () => {
    const { log, close } = openLog();
    log.push(events(0, 5));
    close();
    expect(log.read().events).toEqual([]);
    log.push(events(5, 9));
    expect(log.read().events).toEqual([]);
  });

  it('holds back what comes during a pause, and shows it after', () => {
    const { log } = openLog();
    log.push([event(1)]);
    log.pause();
    log.push(events(2, 4));
    expect(numbers(log)).toEqual([1]);
    expect(log.read().waiting).toBe(2);
    log.resume();
    expect(numbers(log)).toEqual([3, 2, 1]);
    expect(log.read()).toMatchObject({ paused: false, waiting: 0 });
  });

  it('keeps a bounded number during a pause, and counts all', () => {
    const { log } = openLog();
    log.pause();
    for (let batch = 0; batch < 30; batch += 1) log.push(events(batch * 100, batch * 100 + 100));
    expect(log.read().waiting).toBe(3_000);
    log.resume();
    expect(log.read().events).toHaveLength(EVENTS_KEPT_MAX);
    expect(numbers(log)[0]).toBe(2_999);
  });

  it('takes stored events once, below those of the stream', () => {
    const { log } = openLog();
    log.push([event(7)]);
    log.addStored([event(7), event(6), event(5)]);
    log.addStored([event(6)]);
    expect(numbers(log)).toEqual([7, 6, 5]);
  });
});

describe('the filter', () => {
  const all = [event(3, 'deal.closed'), event(2), event(1)];
  it('finds by type and by words of the payload, in any case', () => {
    expect(filterEvents(all, { type: 'deal.closed', words: '' })).toEqual([all[0]]);
    expect(filterEvents(all, { words: ' CUSTOMER 1 ' })).toEqual([all[2]]);
    expect(filterEvents(all, { type: 'deal.closed', words: 'customer 1' })).toEqual([]);
  });
  it('returns the same list when there is nothing to filter by', () => {
    expect(filterEvents(all, { words: ' ' })).toBe(all);
  });
});
