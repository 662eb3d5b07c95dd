import { expect, it } from 'vitest';
import { addSpan, changeSpan, removeSpan, usualHours } from './hours';

it('adds a span after the last one of the day', () => {
  expect(addSpan({}, 'sat')).toEqual({ sat: [['09:00', '17:00']] });
  expect(addSpan({ mon: [['09:00', '12:00']] }, 'mon').mon).toEqual([
    ['09:00', '12:00'],
    ['12:00', '23:59'],
  ]);
});

it('closes a day with its last span', () => {
  expect(removeSpan({ mon: [['09:00', '12:00']], tue: [['10:00', '11:00']] }, 'mon', 0)).toEqual({
    tue: [['10:00', '11:00']],
  });
});

it('changes one span of a day', () => {
  const hours = {
    mon: [
      ['09:00', '12:00'],
      ['13:00', '18:00'],
    ] as [string, string][],
  };
  expect(changeSpan(hours, 'mon', 1, ['14:00', '18:00']).mon?.[1]).toEqual(['14:00', '18:00']);
});

it('begins with Monday to Friday', () => {
  expect(Object.keys(usualHours())).toEqual(['mon', 'tue', 'wed', 'thu', 'fri']);
});
