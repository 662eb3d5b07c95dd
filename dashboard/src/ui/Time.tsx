import { fullTime, mediumTime, relativeTime, shortTime } from '@/i18n/time';
import { useNow } from './useNow';

const STYLES = { short: shortTime, relative: relativeTime, medium: mediumTime } as const;
const REFRESH_MS = 30_000;

/** A time in the viewer's zone; the full date is in its tooltip. */
export function Time({ at, style = 'short' }: { at: string; style?: keyof typeof STYLES }) {
  const now = useNow(REFRESH_MS);
  return (
    <time dateTime={at} title={fullTime(at)}>
      {STYLES[style](at, now)}
    </time>
  );
}
