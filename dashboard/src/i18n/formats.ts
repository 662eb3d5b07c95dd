import { locale } from './index';

/**
 * A formatter is made once: making one takes longer than all the formatting on a page. It is made again after the
 * language or the viewer's time zone has changed.
 */
function kept<T>(make: (locale: string) => T): () => T {
  let made: { locale: string; offset: number; value: T } | undefined;
  return () => {
    const now = { locale: locale(), offset: new Date().getTimezoneOffset() };
    if (made?.locale !== now.locale || made.offset !== now.offset) made = { ...now, value: make(now.locale) };
    return made.value;
  };
}

/** Formats dates in one way. */
export function dateFormat(options: Intl.DateTimeFormatOptions): (date: Date) => string {
  const format = kept((locale) => new Intl.DateTimeFormat(locale, options));
  // Like `toLocaleString`, which does not throw.
  return (date) => (Number.isNaN(date.getTime()) ? String(date) : format().format(date));
}

export const relativeFormat = kept((locale) => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }));
export const compactFormat = kept((locale) => new Intl.NumberFormat(locale, { notation: 'compact' }));
