import { describe, expect, it } from 'vitest';
import { ariaSort, isSorted, ORDERS, parseOrder, pressed } from './order';

describe('the order of contacts', () => {
  it('is read from the address, where the usual one is not named', () => {
    for (const order of ORDERS) expect(parseOrder(order)).toBe(order === '-created_at' ? undefined : order);
    for (const none of ['phone', '', '--name', 7, undefined]) expect(parseOrder(none)).toBeUndefined();
  });

  it('is turned round by a second press on the same heading', () => {
    expect(pressed('-created_at', 'name')).toBe('name');
    expect(pressed('name', 'name')).toBe('-name');
    expect(pressed('-name', 'name')).toBe('name');
    expect(pressed('name', 'updated_at')).toBe('-updated_at');
    expect(pressed('-created_at', 'created_at')).toBe('created_at');
  });

  it('is told at the column that it is by', () => {
    expect(ariaSort('-name', 'name')).toBe('descending');
    expect(ariaSort('name', 'name')).toBe('ascending');
    expect(ariaSort('name', 'company')).toBe('none');
    expect([isSorted('company'), isSorted('phone'), isSorted('field:7')]).toEqual([true, false, false]);
  });
});
