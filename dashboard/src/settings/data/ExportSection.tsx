import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { locale, t, tDynamic } from '@/i18n';
import { useCan, useSession } from '@/session/session';
import { Button } from '@/ui/Button';
import { download } from '@/ui/download';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Checkbox } from '@/ui/Field';
import { Section } from '@/ui/Page';
import { KIND_NAMES, KINDS, type Kind, ROWS_MAX, readAll, TooManyRows } from './exports';

/** One JSON file with the lists that were chosen. */
export function ExportSection() {
  const can = useCan();
  const { account } = useSession();
  const offered = KIND_NAMES.filter((kind) => can(KINDS[kind].scope));
  const [chosen, setChosen] = useState<ReadonlySet<Kind>>(() => new Set(offered));
  const [progress, setProgress] = useState<{ kind: Kind; count: number } | null>(null);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const run = useMutation({
    mutationFn: async () => {
      const control = new AbortController();
      stop.current = control;
      const lists = await readAll(
        offered.filter((kind) => chosen.has(kind)),
        { signal: control.signal, onRows: (kind, count) => setProgress({ kind, count }) },
      );
      const at = new Date().toISOString();
      const file = { exported_at: at, account: { id: account.id, name: account.name }, ...lists };
      download(`frontdesk-${at.slice(0, 10)}.json`, JSON.stringify(file, null, 2), 'application/json');
    },
    onSettled: () => setProgress(null),
  });
  const toggle = (kind: Kind) => {
    const next = new Set(chosen);
    if (!next.delete(kind)) next.add(kind);
    setChosen(next);
  };
  const isStopped = run.error instanceof DOMException && run.error.name === 'AbortError';
  return (
    <Section title={t('data.export')}>
      <p className="mb-3 text-ink-soft">{t('data.exportHelp')}</p>
      <fieldset disabled={run.isPending}>
        <legend className="sr-only">{t('data.what')}</legend>
        <div className="grid gap-x-4 sm:grid-cols-2 lg:grid-cols-3">
          {offered.map((kind) => (
            <Checkbox
              key={kind}
              label={tDynamic('dataKind', kind)}
              checked={chosen.has(kind)}
              onChange={() => toggle(kind)}
            />
          ))}
        </div>
      </fieldset>
      {run.error instanceof TooManyRows ? (
        <p role="alert" className="mt-2 text-danger">
          {t('data.tooMany', { kind: tDynamic('dataKind', run.error.kind), count: ROWS_MAX })}
        </p>
      ) : (
        run.isError && !isStopped && <ErrorNotice error={run.error} />
      )}
      <div className="mt-3 flex flex-wrap items-center gap-3">
        <Button
          kind="primary"
          icon={<Download size={16} aria-hidden />}
          busy={run.isPending}
          disabled={chosen.size === 0}
          onClick={() => run.mutate()}
        >
          {t('data.exportAction')}
        </Button>
        {run.isPending && <Button onClick={() => stop.current?.abort()}>{t('ui.cancel')}</Button>}
        <p role="status" className="text-sm text-ink-soft">
          {progress && `${tDynamic('dataKind', progress.kind)}: ${progress.count.toLocaleString(locale())}`}
          {run.isSuccess && t('data.exported')}
        </p>
      </div>
    </Section>
  );
}
