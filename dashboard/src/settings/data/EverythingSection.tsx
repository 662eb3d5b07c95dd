import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { downloadArchive, ExportRunning } from '@/api/archive';
import { t } from '@/i18n';
import { Button } from '@/ui/Button';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Section } from '@/ui/Page';

/** One archive with everything that the account owns. */
export function EverythingSection() {
  const run = useMutation({ mutationFn: () => downloadArchive('GET /app/api/admin/export') });
  return (
    <Section title={t('archive.title')}>
      <p className="mb-2 text-ink-soft">{t('archive.help')}</p>
      <p className="mb-3 text-ink-soft">{t('archive.secrets')}</p>
      {run.error instanceof ExportRunning ? (
        <p role="alert" className="mb-2 text-danger">
          {t('archive.running')}
        </p>
      ) : (
        run.isError && <ErrorNotice error={run.error} />
      )}
      <div className="flex flex-wrap items-center gap-3">
        <Button
          kind="primary"
          icon={<Download size={16} aria-hidden />}
          busy={run.isPending}
          onClick={() => run.mutate()}
        >
          {t('archive.action')}
        </Button>
        <p role="status" className="text-sm text-ink-soft">
          {run.isSuccess && t('archive.begun')}
        </p>
      </div>
    </Section>
  );
}
