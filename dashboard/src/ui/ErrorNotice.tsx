import { CircleAlert } from 'lucide-react';
import { describeError } from '@/api/describe';
import { ApiError } from '@/api/errors';
import { t } from '@/i18n';
import { Button } from './Button';

interface ErrorNoticeProps {
  error: unknown;
  /** What is missing because of it, where that is a part of the page. */
  title?: string;
  onRetry?: () => void;
}

/** Says what went wrong and how to go on. */
export function ErrorNotice({ error, title, onRetry }: ErrorNoticeProps) {
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  return (
    <div role="alert" className="my-2 flex items-start gap-2 rounded-lg bg-danger-soft p-3">
      <CircleAlert size={18} className="mt-0.5 shrink-0 text-danger" aria-hidden />
      <div className="min-w-0 flex-1">
        {title && <p className="font-medium">{title}</p>}
        <p>{describeError(error)}</p>
        {requestId && <p className="text-xs text-ink-soft">{t('error.requestId', { id: requestId })}</p>}
      </div>
      {onRetry && <Button onClick={onRetry}>{t('ui.tryAgain')}</Button>}
    </div>
  );
}
