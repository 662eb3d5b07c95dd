import { WifiOff } from 'lucide-react';
import { useEffect, useState } from 'react';
import { t } from '@/i18n';
import { useStreamState } from './state';

/** A short break is not worth a word. */
const PATIENCE_MS = 3_000;

/** Says that what is on screen may be out of date, and goes away by itself. */
export function ConnectionBanner() {
  const lost = useStreamState() === 'lost';
  const [shown, setShown] = useState(false);
  useEffect(() => {
    if (!lost) {
      setShown(false);
      return;
    }
    const timer = setTimeout(() => setShown(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [lost]);
  return (
    <div role="status">
      {shown && (
        <p className="flex items-center justify-center gap-2 bg-warning-soft px-3 py-1.5 text-sm text-warning">
          <WifiOff size={16} aria-hidden />
          {t('live.lost')}
        </p>
      )}
    </div>
  );
}
