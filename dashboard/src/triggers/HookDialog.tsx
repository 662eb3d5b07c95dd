import { t } from '@/i18n';
import { CodeBlock } from '@/ui/CodeBlock';
import { CopyField } from '@/ui/Copy';
import { Dialog } from '@/ui/Dialog';
import { hookCommand } from './hook';

/** The address of a webhook trigger, which the server shows once. */
export function HookDialog({ url, onClose }: { url: string | null; onClose: () => void }) {
  return (
    <Dialog
      open={url !== null}
      onClose={onClose}
      title={t('trigger.hook')}
      description={t('trigger.hookHelp')}
      wide
    >
      {url && (
        <div className="flex flex-col gap-4">
          <CopyField label={t('trigger.hook')} value={url} />
          <CodeBlock label={t('ui.curl')} code={hookCommand(url)} />
        </div>
      )}
    </Dialog>
  );
}
