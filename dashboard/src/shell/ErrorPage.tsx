import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { CircleAlert, Compass, WifiOff } from 'lucide-react';
import { useEffect, useEffectEvent } from 'react';
import { describeError } from '@/api/describe';
import { ApiError } from '@/api/errors';
import { t } from '@/i18n';
import { Button } from '@/ui/Button';
import { ButtonLink } from '@/ui/ButtonLink';
import { EmptyState } from '@/ui/EmptyState';

/** A page that could not be shown. A new release replaces old scripts, so loading anew often helps. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = () => {
    reset();
    void router.invalidate();
  };
  if (error instanceof ApiError && error.code === 'unreachable') return <OfflinePage onRetry={retry} />;
  return (
    <div role="alert">
      <EmptyState
        icon={<CircleAlert size={40} />}
        title={t('error.title')}
        isPage
        action={
          <>
            <Button kind="primary" onClick={retry}>
              {t('ui.tryAgain')}
            </Button>
            <Button onClick={() => location.reload()}>{t('error.reload')}</Button>
          </>
        }
      >
        {describeError(error)}
      </EmptyState>
    </div>
  );
}

/** How often an offline page tries by itself. */
const RETRY_MS = 10_000;

/** The page is here, and the server is not: it goes on by itself. */
function OfflinePage({ onRetry }: { onRetry: () => void }) {
  const retry = useEffectEvent(onRetry);
  useEffect(() => {
    const again = () => retry();
    const timer = setInterval(again, RETRY_MS);
    window.addEventListener('online', again);
    return () => {
      clearInterval(timer);
      window.removeEventListener('online', again);
    };
  }, []);
  return (
    <main>
      <EmptyState
        icon={<WifiOff size={40} />}
        title={t('offline.title')}
        isPage
        action={
          <Button kind="primary" onClick={onRetry}>
            {t('ui.tryAgain')}
          </Button>
        }
      >
        <span role="status">{t('offline.help')}</span>
      </EmptyState>
    </main>
  );
}

export function NotFoundPage() {
  return (
    <main>
      <EmptyState
        icon={<Compass size={40} />}
        title={t('notFound.title')}
        isPage
        action={<ButtonLink to="/inbox">{t('notFound.home')}</ButtonLink>}
      >
        {t('notFound.help')}
      </EmptyState>
    </main>
  );
}
