import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { ImportResult } from '@/api/app';
import { t, tDynamic } from '@/i18n';
import { Button } from '@/ui/Button';
import { download } from '@/ui/download';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Section } from '@/ui/Page';
import type { ImportFile } from './ImportPage';
import type { MappingChoice } from './MappingForm';
import { rejectedCsv, summarise, toRow } from './mapping';
import { runImport } from './runImport';

interface ImportRunProps {
  file: ImportFile;
  choice: MappingChoice;
  onBack: () => void;
  onRestart: () => void;
}

type Phase = 'checking' | 'checked' | 'running' | 'done' | 'failed';
const OUTCOMES = ['created', 'updated', 'unchanged', 'rejected'] as const;
const SHOWN_MAX = 50;

/** The dry run, which changes nothing, and then the import itself. */
export function ImportRun({ file, choice, onBack, onRestart }: ImportRunProps) {
  const client = useQueryClient();
  const [phase, setPhase] = useState<Phase>('checking');
  const [done, setDone] = useState(0);
  const [results, setResults] = useState<ImportResult[]>([]);
  const [error, setError] = useState<unknown>(null);
  const abort = useRef<AbortController | null>(null);
  const rows = useMemo(() => file.rows.map((row) => toRow(row, choice.mapping)), [file, choice]);

  const run = async (dryRun: boolean) => {
    const controller = new AbortController();
    abort.current = controller;
    setPhase(dryRun ? 'checking' : 'running');
    setDone(0);
    setError(null);
    try {
      const found = await runImport({
        dry_run: dryRun,
        match_by: choice.matchBy,
        update_existing: choice.updateExisting,
        rows,
        onProgress: setDone,
        signal: controller.signal,
      });
      setResults(found);
      setPhase(dryRun ? 'checked' : 'done');
    } catch (cause) {
      if (controller.signal.aborted) return;
      setError(cause);
      setPhase('failed');
    } finally {
      if (!dryRun) void client.invalidateQueries({ queryKey: ['contacts'] });
    }
  };
  const started = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the dry run starts once
  useEffect(() => {
    if (!started.current) void run(true);
    started.current = true;
  }, []);
  useEffect(() => {
    const guard = (event: BeforeUnloadEvent) => phase === 'running' && event.preventDefault();
    window.addEventListener('beforeunload', guard);
    return () => window.removeEventListener('beforeunload', guard);
  }, [phase]);

  const summary = summarise(results);
  const rejected = results.filter((result) => result.outcome === 'rejected');
  const busy = phase === 'checking' || phase === 'running';
  const title =
    phase === 'done'
      ? t('import.done')
      : phase === 'running'
        ? t('import.running')
        : phase === 'failed'
          ? t('import.failed')
          : t('import.dryRun');
  return (
    <Section title={title}>
      {busy && (
        <div className="flex flex-col gap-2">
          <progress className="w-full accent-accent" max={rows.length} value={done} aria-label={title} />
          <p aria-live="polite">{t('import.progress', { done, total: rows.length })}</p>
          <div>
            <Button
              onClick={() => {
                abort.current?.abort();
                onBack();
              }}
            >
              {t('import.stop')}
            </Button>
          </div>
        </div>
      )}
      {phase === 'failed' && (
        <>
          <ErrorNotice error={error} />
          <p>{t('import.failedHelp')}</p>
        </>
      )}
      {(phase === 'checked' || phase === 'done') && (
        <>
          {phase === 'checked' && <p className="mb-3 text-ink-soft">{t('import.dryRunHelp')}</p>}
          <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
            {OUTCOMES.map((outcome) => (
              <div
                key={outcome}
                className={`rounded-lg p-3 ${outcome === 'rejected' && summary.rejected > 0 ? 'bg-danger-soft' : 'bg-canvas'}`}
              >
                <dt className="text-sm text-ink-soft">
                  {tDynamic(phase === 'done' ? 'importDone' : 'importWould', outcome)}
                </dt>
                <dd className="text-2xl font-semibold tabular-nums">{summary[outcome]}</dd>
              </div>
            ))}
          </dl>
          {rejected.length > 0 && <Rejected file={file} results={rejected} />}
        </>
      )}
      <div className="mt-4 flex flex-wrap justify-end gap-2">
        {(phase === 'checked' || phase === 'failed') && <Button onClick={onBack}>{t('ui.back')}</Button>}
        {phase === 'checked' && (
          <Button
            kind="primary"
            disabled={summary.created + summary.updated === 0}
            onClick={() => void run(false)}
          >
            {t('import.start', { count: summary.created + summary.updated })}
          </Button>
        )}
        {phase === 'failed' && (
          <Button kind="primary" onClick={() => void run(true)}>
            {t('import.checkAgain')}
          </Button>
        )}
        {phase === 'done' && (
          <>
            <Button onClick={onRestart}>{t('import.another')}</Button>
            <Link
              to="/contacts"
              className="inline-flex min-h-9.5 items-center rounded-lg bg-accent px-3 font-medium text-on-accent"
            >
              {t('import.toContacts')}
            </Link>
          </>
        )}
      </div>
    </Section>
  );
}

function Rejected({ file, results }: { file: ImportFile; results: ImportResult[] }) {
  const save = () =>
    download(
      `rejected-${file.name}`,
      rejectedCsv(file.headings, file.rows, results, t('import.reason')),
      'text/csv',
    );
  return (
    <div className="mt-4">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="flex-1 font-semibold">{t('import.rejectedRows')}</h3>
        <Button onClick={save}>{t('import.downloadRejected')}</Button>
      </div>
      <ul className="mt-2 flex flex-col gap-1 text-sm">
        {results.slice(0, SHOWN_MAX).map((result) => (
          <li key={result.line}>
            <strong>{t('import.line', { line: result.line })}</strong>{' '}
            {result.errors.map((problem) => `${problem.path}: ${problem.message}`).join('; ')}
          </li>
        ))}
        {results.length > SHOWN_MAX && (
          <li className="text-ink-soft">{t('import.moreRejected', { count: results.length - SHOWN_MAX })}</li>
        )}
      </ul>
    </div>
  );
}
