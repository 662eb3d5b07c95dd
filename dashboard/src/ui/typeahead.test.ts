import { expect, it } from 'vitest';
import { TYPING_MS_MAX, Typeahead } from './typeahead';

const choices = ['Every day', 'Every week', 'The contacts', 'This one'].map((label) => ({
  value: label,
  label,
}));
const type = (text: string, gapMs = 10) => {
  const typeahead = new Typeahead();
  return [...text].map((key, index) => typeahead.press(key, index * gapMs, choices)?.label).at(-1);
};

it('finds an option by its first letters, also with a space', () => {
  expect(type('t')).toBe('The contacts');
  expect(type('thi')).toBe('This one');
  expect(type('EVERY W')).toBe('Every week');
});

it('begins anew after a pause', () => {
  expect(type('et', TYPING_MS_MAX + 1)).toBe('The contacts');
});

it('leaves other keys alone', () => {
  const typeahead = new Typeahead();
  expect(typeahead.press('ArrowDown', 0, choices)).toBeUndefined();
  expect(typeahead.press(' ', 0, choices)).toBeUndefined();
  expect(typeahead.press('x', 0, choices)).toBeNull();
});
