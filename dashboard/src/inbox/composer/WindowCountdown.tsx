import { Hourglass } from 'lucide-react';
import { t } from '@/i18n';
import { countdown } from './window';

/** How long free text can still be sent. */
export function WindowCountdown({ remainingMs, closing }: { remainingMs: number; closing: boolean }) {
  const { hours, minutes, seconds } = countdown(remainingMs);
  const text = hours > 0 ? t('window.hours', { hours, minutes }) : t('window.minutes', { minutes, seconds });
  return (
    <span
      role="timer"
      title={t('window.help')}
      className={`flex items-center gap-1 text-xs tabular-nums ${closing ? 'font-semibold text-warning' : 'text-ink-soft'}`}
    >
      <Hourglass size={12} aria-hidden />
      {text}
    </span>
  );
}
