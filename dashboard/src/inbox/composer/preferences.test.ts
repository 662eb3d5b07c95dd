import { expect, it } from 'vitest';
import { sends } from './preferences';

const press = (more: Partial<Parameters<typeof sends>[0]> = {}) => ({
  key: 'Enter',
  shiftKey: false,
  ctrlKey: false,
  metaKey: false,
  isComposing: false,
  ...more,
});

it('sends by the key that the member has chosen', () => {
  expect(sends(press(), 'enter')).toBe(true);
  expect(sends(press(), 'mod-enter')).toBe(false);
  expect(sends(press({ ctrlKey: true }), 'mod-enter')).toBe(true);
  expect(sends(press({ metaKey: true }), 'enter')).toBe(true);
});
it('never sends with Shift or in the middle of a character', () => {
  expect(sends(press({ shiftKey: true }), 'enter')).toBe(false);
  expect(sends(press({ isComposing: true }), 'enter')).toBe(false);
});
