import { LoaderCircle } from 'lucide-react';
import { t } from '@/i18n';

export function Spinner() {
  return <LoaderCircle size={16} className="animate-spin" aria-hidden />;
}

/** Stands where content is about to appear. */
export function Loading() {
  return (
    <div role="status" className="flex items-center justify-center gap-2 p-8 text-ink-soft">
      <Spinner />
      {t('ui.loading')}
    </div>
  );
}
