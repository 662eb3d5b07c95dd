/** One visual language: sizes come from the tokens of styles.css. */
import { expect, it } from 'vitest';
import { FILES, textOf } from './testing/sources';

const SIZES = ['xs', 'sm', 'base', 'lg', 'xl', 'figure'];
const found = (pattern: RegExp) =>
  FILES.flatMap((file) => [...textOf(file).matchAll(pattern)].map(([match]) => `${file}: ${match}`));

it('text has one of the six sizes', () => {
  const sizes = found(/\btext-(?:xs|sm|base|lg|\d*xl|figure|\[\d[^\]]*\])(?![\w-])/g);
  expect(sizes.length).toBeGreaterThan(100);
  expect(sizes.filter((size) => !SIZES.some((name) => size.endsWith(`text-${name}`)))).toEqual([]);
});

it('pages have one of the two widths', () => {
  expect(found(/mx-auto[^"'`]*max-w-[3-7]xl/g).filter((match) => !match.startsWith('ui/Dialog'))).toEqual([]);
});

it('options are chosen in our own select', () => {
  expect(found(/<select\b/g)).toEqual([]);
});
