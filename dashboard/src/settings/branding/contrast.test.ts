import { expect, it } from 'vitest';
import { longHex, textOn } from './contrast';

it.each([
  ['#000', '#fff'],
  ['#fff', '#000'],
  ['#0a5', '#000'],
  ['#1f5eff', '#fff'],
  ['#ffd400', '#000'],
  ['#b45309', '#fff'],
])('writes on %s in %s', (color, text) => {
  expect(textOn(color)).toBe(text);
});

it('writes a short colour as the picker takes it', () => {
  expect(longHex('#0a5')).toBe('#00aa55');
  expect(longHex('#b45309')).toBe('#b45309');
});
