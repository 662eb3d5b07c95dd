import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { CircleAlert, Compass } from 'lucide-react';
import { describeError } from '@/api/describe';
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
