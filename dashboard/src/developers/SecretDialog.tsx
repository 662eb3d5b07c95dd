import { t } from '@/i18n';
import { CopyField } from '@/ui/Copy';
import { Dialog } from '@/ui/Dialog';
import { VerifySnippets } from './VerifySnippets';

interface SecretDialogProps {
  /** Null while there is nothing to show. */
  secret: string | null;
  onClose: () => void;
}

/** The signing secret, which the server shows once, and what to do with it. */
export function SecretDialog({ secret, onClose }: SecretDialogProps) {
  return (
    <Dialog
      open={secret !== null}
      onClose={onClose}
      title={t('webhooks.secret')}
      description={t('webhooks.secretHelp')}
      wide
    >
      {secret && (
        <div className="flex flex-col gap-4">
          <CopyField label={t('webhooks.secret')} value={secret} />
          <h3 className="font-semibold">{t('webhooks.verify')}</h3>
          <VerifySnippets />
        </div>
      )}
    </Dialog>
  );
}
