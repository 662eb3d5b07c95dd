import type { StatusError } from '@/api/schema';
import { t, tDynamic } from '@/i18n';

/** Why a message did not go out. Reasons that we know are explained in the member's language. */
export function FailureReason({ error }: { error: StatusError | null }) {
  if (!error) return <p className="mt-1 text-sm text-danger">{t('failure.unknown')}</p>;
  const explained = tDynamic('failure', error.reason);
  const known = explained !== error.reason.replaceAll('_', ' ');
  return (
    <p className="mt-1 text-sm text-danger">
      {known ? explained : error.message}
      <span className="block text-xs text-ink-soft">{t('failure.code', { code: error.code })}</span>
    </p>
  );
}
