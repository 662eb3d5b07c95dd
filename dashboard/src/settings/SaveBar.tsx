import { useBlocker } from '@tanstack/react-router';
import { Save } from 'lucide-react';
import { useCommands } from '@/commands/commands';
import { KeyCaps } from '@/commands/KeyCaps';
import { KEYS } from '@/commands/shortcuts';
import { t } from '@/i18n';
import { Button } from '@/ui/Button';
import { ConfirmDialog } from '@/ui/Dialog';
import { ErrorNotice } from '@/ui/ErrorNotice';

interface SaveBarProps {
  /** What is saved, for the list of commands. */
  group: string;
  isChanged: boolean;
  isOutdated: boolean;
  busy: boolean;
  error: Error | null;
  onSave: () => void;
  onDiscard: () => void;
}

/** Saves or discards what was changed on a page, and asks before the page is left without either. */
export function SaveBar(props: SaveBarProps) {
  const { group, isChanged, isOutdated, busy, error, onSave, onDiscard } = props;
  const save = () => {
    if (isChanged && !busy) onSave();
  };
  useCommands([{ id: 'settings.save', group, label: t('ui.save'), shortcut: KEYS.save, run: save }]);
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isChanged && current.pathname !== next.pathname,
    withResolver: true,
    enableBeforeUnload: () => isChanged,
  });
  return (
    <>
      {isChanged && (
        <section
          aria-label={t('ui.save')}
          className="sticky bottom-0 z-10 flex flex-col gap-2 border-t border-line bg-surface py-3"
        >
          {isOutdated && (
            <p role="alert" className="text-warning">
              {t('settings.outdated')}
            </p>
          )}
          {error !== null && <ErrorNotice error={error} />}
          <div className="flex flex-wrap justify-end gap-2">
            <Button onClick={onDiscard}>{t('ui.discard')}</Button>
            <Button kind="primary" busy={busy} icon={<Save size={16} aria-hidden />} onClick={save}>
              {t('ui.save')}
              <KeyCaps shortcut={KEYS.save} />
            </Button>
          </div>
        </section>
      )}
      <ConfirmDialog
        open={blocker.status === 'blocked'}
        onClose={() => blocker.reset?.()}
        title={t('ui.discardTitle')}
        description={t('ui.discardHelp')}
        action={t('ui.discard')}
        onConfirm={async () => blocker.proceed?.()}
      />
    </>
  );
}
