import { LoaderCircle } from 'lucide-react';
import { t } from '@/i18n';

/** Inside a button, or beside something that is being read again. */
export function Spinner() {
  return <LoaderCircle size={16} className="animate-spin" aria-hidden />;
}

const LINES = ['w-2/5', 'w-full', 'w-11/12', 'w-3/5', 'w-4/5'] as const;

/** Stands where content is about to appear, in its shape. */
export function Loading() {
  return (
    <div role="status" className="page-column flex flex-col gap-3">
      <span className="sr-only">{t('ui.loading')}</span>
      {LINES.map((width) => (
        <span key={width} aria-hidden className={`skeleton h-4 ${width}`} />
      ))}
    </div>
  );
}

/** Rows of a list that is about to appear: as high as they will be, so that nothing moves. */
export function LoadingRows({ rowPx, count = 8 }: { rowPx: number; count?: number }) {
  return (
    <div role="status" className="overflow-hidden">
      <span className="sr-only">{t('ui.loading')}</span>
      {Array.from({ length: count }, (_, index) => index).map((row) => (
        <div
          key={row}
          aria-hidden
          className="flex items-center gap-2.5 border-b border-line px-3"
          style={{ height: rowPx }}
        >
          <span className="skeleton size-9 shrink-0 rounded-full" style={{ maxHeight: rowPx - 12 }} />
          <span className="flex flex-1 flex-col gap-1.5">
            <span className="skeleton h-3.5 w-2/5" />
            {rowPx > 48 && <span className="skeleton h-3 w-4/5" />}
          </span>
        </div>
      ))}
    </div>
  );
}
