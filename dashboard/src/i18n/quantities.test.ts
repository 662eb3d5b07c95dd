import { beforeAll, expect, it } from 'vitest';
import { loadLanguage } from '@/i18n';
import { cost, duration } from './quantities';

beforeAll(loadLanguage);

it('writes durations with as many digits as a person reads', () => {
  expect([0, 812, 1_500, 9_990, 42_600, 125_000, 11_400_000].map(duration)).toEqual([
    '0 ms',
    '812 ms',
    '1.5 s',
    '9.9 s',
    '42 s',
    '2 min 5 s',
    '3 h 10 min',
  ]);
});

it('shows what less than a cent is', () => {
  expect([0, 0.000432, 0.0099, 0.02, 1.5, 1_234].map(cost)).toEqual([
    '$0.00',
    '$0.00043',
    '$0.0099',
    '$0.02',
    '$1.50',
    '$1,234.00',
  ]);
});
