import { Hourglass } from 'lucide-react';
import { t } from '@/i18n';
import { Button } from '@/ui/Button';

/** In place of the text field: text would be refused, a template is not. */
export function ClosedWindow({
  neverWrote,
  onTemplate,
}: {
  neverWrote: boolean;
  onTemplate: (() => void) | undefined;
}) {
  return (
    <div className="flex flex-wrap items-center gap-3 p-4">
      <Hourglass size={20} className="text-warning" aria-hidden />
      <p className="min-w-48 flex-1">
        {neverWrote ? t('window.never') : t('window.closed')}{' '}
        {onTemplate ? t('window.useTemplate') : t('window.wait')}
      </p>
      {onTemplate && (
        <Button kind="primary" onClick={onTemplate}>
          {t('composer.template')}
        </Button>
      )}
    </div>
  );
}
