import { act, renderHook } from '@testing-library/react';
import { expect, it } from 'vitest';
import { useSettingsDraft } from './useSettingsDraft';

const begin = () =>
  renderHook(({ stored }) => useSettingsDraft(stored), {
    initialProps: { stored: { name: 'Acme', color: '#000' } },
  });

it('shows what a colleague stores until something is changed', () => {
  const { result, rerender } = begin();
  rerender({ stored: { name: 'Shop', color: '#000' } });
  expect(result.current.draft.name).toBe('Shop');
  expect(result.current.isChanged).toBe(false);
});

it('keeps what was changed here beside what a colleague changes elsewhere', () => {
  const { result, rerender } = begin();
  act(() => result.current.set({ name: 'Mine' }));
  rerender({ stored: { name: 'Acme', color: '#fff' } });
  expect(result.current.draft).toEqual({ name: 'Mine', color: '#fff' });
  expect([result.current.isChanged, result.current.isOutdated]).toEqual([true, false]);
});

it('says that a colleague has stored something else in its place', () => {
  const { result, rerender } = begin();
  act(() => result.current.set({ name: 'Mine' }));
  rerender({ stored: { name: 'Shop', color: '#000' } });
  act(() => result.current.set({ color: '#fff' }));
  expect(result.current.draft).toEqual({ name: 'Mine', color: '#fff' });
  expect(result.current.isOutdated).toBe(true);
  act(() => result.current.discard());
  expect(result.current.draft).toEqual({ name: 'Shop', color: '#000' });
});

it('has nothing to save once everything is as it was', () => {
  const { result } = begin();
  act(() => result.current.set({ name: 'Mine' }));
  act(() => result.current.set({ name: 'Acme' }));
  expect(result.current.isChanged).toBe(false);
});
