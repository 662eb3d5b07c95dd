import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { ImportResult } from '@/api/app';
import type { CustomField } from '@/api/schema';
import { t, tDynamic } from '@/i18n';
import { Button } from '@/ui/Button';
import { ButtonLink } from '@/ui/ButtonLink';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Section } from '@/ui/Page';
import type { CsvRow } from './csv';
import type { MappingChoice } from './MappingForm';
import { summarise, toRow } from './mapping';
import { RejectedRows } from './RejectedRows';
import type { ImportFile } from './readFile';
import { runImport } from './runImport';
import { Warnings } from './Warnings';

interface ImportRunProps {
  file: ImportFile;
  fields: readonly CustomField[];
  choice: MappingChoice;
  onBack: () => void;
  onRestart: () => void;
}

type Phase = 'checking' | 'checked' | 'running' | 'done' | 'failed';
const OUTCOMES = ['created', 'updated', 'unchanged', 'rejected'] as const;
type Results = ReadonlyMap<number, ImportResult>;

/** The dry run, which changes nothing, and then the import itself. */
export function ImportRun({ file, fields, choice, onBack, onRestart }: ImportRunProps) {
  const client = useQueryClient();
  const [phase, setPhase] = useState<Phase>('checking');
  /** Whether the run that goes on or has failed is the dry run. */
  const [isDry, setIsDry] = useState(true);
  const [rows, setRows] = useState<ReadonlyMap<number, CsvRow>>(
    () => new Map(file.rows.map((row) => [row.line, row])),
  );
  const [results, setResults] = useState<Results>(new Map());
  const [corrected, setCorrected] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const abort = useRef<AbortController | null>(null);

  /** Sends rows, and adds what came of them to the results. */
  const send = (dryRun: boolean, sent: Iterable<CsvRow>, signal: AbortSignal) =>
    runImport({
      dry_run: dryRun,
      match_by: choice.matchBy,
      update_existing: choice.updateExisting,
      country: choice.country,
      rows: Array.from(sent, (row) => toRow(row, choice.mapping)),
      onResults: (found) =>
        setResults(
          (before) => new Map([...before, ...found.map((result) => [result.line, result] as const)]),
        ),
      signal,
    }).finally(() => {
      if (!dryRun) void client.invalidateQueries({ queryKey: ['contacts'] });
    });

  /** Runs all rows, or goes on with those of which nothing is known yet. */
  const run = async (dryRun: boolean, known: Results) => {
    const controller = new AbortController();
    abort.current = controller;
    setPhase(dryRun ? 'checking' : 'running');
    setIsDry(dryRun);
    setResults(known);
    setError(null);
    try {
      await send(
        dryRun,
        [...rows.values()].filter((row) => !known.has(row.line)),
        controller.signal,
      );
      setPhase(dryRun ? 'checked' : 'done');
    } catch (cause) {
      if (controller.signal.aborted) return;
      setError(cause);
      setPhase('failed');
    }
  };
  const retry = async (row: CsvRow) => {
    setRows((before) => new Map(before).set(row.line, row));
    setCorrected(true);
    await send(phase !== 'done', [row], new AbortController().signal);
  };
  const started = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the dry run starts once
  useEffect(() => {
    if (!started.current) void run(true, new Map());
    started.current = true;
  }, []);
  const goOn = () => void run(isDry, results);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the phase says whether there is something to go on with
  useEffect(() => {
    if (phase !== 'failed') return;
    window.addEventListener('online', goOn);
    return () => window.removeEventListener('online', goOn);
  }, [phase]);
  useEffect(() => {
    const guard = (event: BeforeUnloadEvent) =>
      (phase === 'running' || (phase === 'checked' && corrected)) && event.preventDefault();
    window.addEventListener('beforeunload', guard);
    return () => window.removeEventListener('beforeunload', guard);
  }, [phase, corrected]);

  const ordered = [...rows.keys()].flatMap((line) => results.get(line) ?? []);
  const summary = summarise(ordered);
  const rejected = ordered.filter((result) => result.outcome === 'rejected');
  const warned = ordered.filter((result) => result.outcome !== 'rejected' && result.warnings.length > 0);
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
          <progress
            className="w-full accent-accent"
            max={rows.size}
            value={ordered.length}
            aria-label={title}
          />
          <p aria-live="polite">{t('import.progress', { done: ordered.length, total: rows.size })}</p>
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
          <p>
            {isDry
              ? t('import.checkFailedHelp')
              : t('import.failedHelp', { done: ordered.length, total: rows.size })}
          </p>
        </>
      )}
      {(phase === 'checked' || phase === 'done') && (
        <>
          {phase === 'checked' && <p className="mb-3 text-ink-soft">{t('import.dryRunHelp')}</p>}
          <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4" aria-live="polite">
            {OUTCOMES.map((outcome) => (
              <div
                key={outcome}
                className={`rounded-lg p-3 ${outcome === 'rejected' && summary.rejected > 0 ? 'bg-danger-soft' : 'bg-canvas'}`}
              >
                <dt className="text-sm text-ink-soft">
                  {tDynamic(phase === 'done' ? 'importDone' : 'importWould', outcome)}
                </dt>
                <dd className="text-figure font-semibold tabular-nums">{summary[outcome]}</dd>
              </div>
            ))}
          </dl>
          {warned.length > 0 && <Warnings results={warned} fields={fields} />}
          {rejected.length > 0 && (
            <RejectedRows
              file={file}
              rows={rows}
              results={rejected}
              mapping={choice.mapping}
              fields={fields}
              onRetry={retry}
            />
          )}
        </>
      )}
      <div className="mt-4 flex flex-wrap justify-end gap-2">
        {(phase === 'checked' || phase === 'failed') && <Button onClick={onBack}>{t('ui.back')}</Button>}
        {phase === 'checked' && (
          <Button
            kind="primary"
            disabled={summary.created + summary.updated === 0}
            onClick={() => void run(false, new Map())}
          >
            {t('import.start', { count: summary.created + summary.updated })}
          </Button>
        )}
        {phase === 'failed' && (
          <Button kind="primary" onClick={goOn}>
            {t('import.goOn')}
          </Button>
        )}
        {phase === 'done' && (
          <>
            <Button onClick={onRestart}>{t('import.another')}</Button>
            <ButtonLink to="/contacts" kind="primary">
              {t('import.toContacts')}
            </ButtonLink>
          </>
        )}
      </div>
    </Section>
  );
}
