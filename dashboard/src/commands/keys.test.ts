import { describe, expect, it } from 'vitest';
import { isTyping, KeySequence, keyLabels, matches, SEQUENCE_MS_MAX } from './keys';
import { KEYS } from './shortcuts';

const press = (
  key: string,
  more: Partial<Record<'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey', boolean>> = {},
) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...more,
});

describe('matches', () => {
  it('takes Ctrl and Command for Mod', () => {
    expect(matches('Mod+K', press('k', { ctrlKey: true }))).toBe(true);
    expect(matches('Mod+K', press('k', { metaKey: true }))).toBe(true);
    expect(matches('Mod+K', press('k'))).toBe(false);
  });
  it('leaves the browser its own combinations', () => {
    expect(matches('r', press('r', { ctrlKey: true }))).toBe(false);
  });
  it('reads a character that needs Shift on some keyboards', () => {
    expect(matches('?', press('?', { shiftKey: true }))).toBe(true);
    expect(matches('?', press('?'))).toBe(true);
  });
  it('tells a letter from the same letter with Shift', () => {
    expect(matches('u', press('U', { shiftKey: true }))).toBe(false);
    expect(matches('Shift+U', press('U', { shiftKey: true }))).toBe(true);
  });
});

describe('KeySequence', () => {
  const shortcuts = ['g i', 'g c', 'i', 'c', '?'];
  it('completes a sequence', () => {
    const keys = new KeySequence();
    expect(keys.press(press('g'), shortcuts, 0)).toBeUndefined();
    expect(keys.press(press('i'), shortcuts, 500)).toBe('g i');
    expect(keys.press(press('i'), shortcuts, 600)).toBe('i');
  });
  it('forgets the beginning of a sequence after a while', () => {
    const keys = new KeySequence();
    keys.press(press('g'), shortcuts, 0);
    expect(keys.press(press('i'), shortcuts, SEQUENCE_MS_MAX + 1)).toBe('i');
  });
  it('takes a key that does not continue the sequence for itself', () => {
    const keys = new KeySequence();
    keys.press(press('g'), shortcuts, 0);
    expect(keys.press(press('?'), shortcuts, 10)).toBe('?');
  });
});

describe('isTyping', () => {
  it('is true in fields and false elsewhere', () => {
    expect(isTyping(document.createElement('textarea'))).toBe(true);
    expect(isTyping(document.createElement('input'))).toBe(true);
    expect(isTyping(Object.assign(document.createElement('input'), { type: 'checkbox' }))).toBe(false);
    expect(isTyping(document.createElement('button'))).toBe(false);
  });
});

it('shows keys as the platform writes them', () => {
  expect(keyLabels('Mod+K', 'Win32')).toEqual(['Ctrl', 'K']);
  expect(keyLabels('Mod+K', 'MacIntel')).toEqual(['⌘', 'K']);
  expect(keyLabels('g i', 'Win32')).toEqual(['G', 'I']);
});

it('no two pages are reached by the same keys', () => {
  const pages = Object.entries(KEYS).filter(([name]) => name.startsWith('go'));
  const keys = pages.map(([, key]) => key);
  expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
});
