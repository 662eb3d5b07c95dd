import { afterEach, expect, it, vi } from 'vitest';
import { dateFormat } from './formats';
import { loadLanguage } from './index';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

it('makes a formatter once, and anew for another language', async () => {
  let made = 0;
  class Counted extends Intl.DateTimeFormat {
    constructor(...options: ConstructorParameters<typeof Intl.DateTimeFormat>) {
      super(...options);
      made += 1;
    }
  }
  vi.stubGlobal('Intl', { DateTimeFormat: Counted });
  const languages = vi.spyOn(navigator, 'languages', 'get').mockReturnValue(['en-GB']);
  await loadLanguage();
  const month = dateFormat({ month: 'long' });
  const may = new Date(2026, 4, 1);
  expect([month(may), month(may)]).toEqual(['May', 'May']);
  expect(made).toBe(1);
  languages.mockReturnValue(['de-DE']);
  await loadLanguage();
  expect(month(may)).toBe('Mai');
  expect(made).toBe(2);
});

it('shows a broken date as such', () => {
  expect(dateFormat({ month: 'long' })(new Date('never'))).toBe('Invalid Date');
});
