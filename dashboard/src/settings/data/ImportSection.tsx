import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Upload } from 'lucide-react';
import { useRef, useState } from 'react';
import { call } from '@/api/client';
import { t, tDynamic } from '@/i18n';
import { Button } from '@/ui/Button';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Section } from '@/ui/Page';
import { readAll } from './exports';
import {
  FILE_BYTES_MAX,
  IMPORTABLE,
  type Importable,
  type ImportFile,
  type ImportOutcome,
  parseExport,
  runImport,
  UnreadableExport,
} from './imports';

const CREATE = {
  tags: 'POST /tags',
  custom_fields: 'POST /custom-fields',
  pipelines: 'POST /pipelines',
  canned_replies: 'POST /canned-replies',
  instructions: 'POST /instructions',
} as const satisfies Record<Importable, string>;

/** The lists that an import may have changed. */
const CHANGED = ['tags', 'custom-fields', 'pipelines', 'canned-replies', 'instructions'];

async function readFile(file: File): Promise<ImportFile> {
  if (file.size > FILE_BYTES_MAX) throw new UnreadableExport('too large');
  return parseExport(await file.text());
}

/** Takes the setup of another account, from a file that was exported there. */
export function ImportSection() {
  const client = useQueryClient();
  const picker = useRef<HTMLInputElement>(null);
  const [done, setDone] = useState(0);
  const read = useMutation({ mutationFn: readFile });
  const run = useMutation({
    mutationFn: async (file: ImportFile) => {
      setDone(0);
      const quiet = { signal: new AbortController().signal, onRows: () => undefined };
      const existing = await readAll(IMPORTABLE, quiet);
      return runImport(file, {
        existing,
        // Each row has a shape that the server checks: a file may have been changed by hand.
        create: (kind, body) => call(CREATE[kind] as 'POST /tags', { body: body as { name: string } }),
        onRow: setDone,
      });
    },
    onSettled: () =>
      Promise.all(CHANGED.map((queryKey) => client.invalidateQueries({ queryKey: [queryKey] }))),
  });
  const file = read.data;
  return (
    <Section title={t('data.import')}>
      <p className="mb-3 text-ink-soft">{t('data.importHelp')}</p>
      <input
        ref={picker}
        type="file"
        accept=".json,application/json"
        hidden
        aria-label={t('data.choose')}
        onChange={(event) => {
          run.reset();
          if (event.target.files?.[0]) read.mutate(event.target.files[0]);
          event.target.value = '';
        }}
      />
      {read.error instanceof UnreadableExport ? (
        <p role="alert" className="mb-2 text-danger">
          {t('data.unreadable')}
        </p>
      ) : (
        read.isError && <ErrorNotice error={read.error} />
      )}
      {file && !run.isSuccess && (
        <ul className="mb-3 list-disc ps-5">
          {IMPORTABLE.filter((kind) => file[kind]).map((kind) => (
            <li key={kind}>
              {t('data.found', { kind: tDynamic('dataKind', kind), count: file[kind]?.length ?? 0 })}
            </li>
          ))}
        </ul>
      )}
      {run.isError && <ErrorNotice error={run.error} />}
      {run.data && <Outcome outcome={run.data} />}
      <div className="flex flex-wrap items-center gap-3">
        <Button
          icon={<Upload size={16} aria-hidden />}
          disabled={run.isPending}
          busy={read.isPending}
          onClick={() => picker.current?.click()}
        >
          {t('data.choose')}
        </Button>
        {file && !run.isSuccess && (
          <Button kind="primary" busy={run.isPending} onClick={() => run.mutate(file)}>
            {t('data.importAction')}
          </Button>
        )}
        {run.isPending && (
          <p role="status" className="text-sm text-ink-soft">
            {t('data.rows', { count: done })}
          </p>
        )}
      </div>
    </Section>
  );
}

function Outcome({ outcome }: { outcome: ImportOutcome }) {
  return (
    <div role="status" className="mb-3">
      <p>
        {t('data.created', { count: outcome.created })} {t('data.kept', { count: outcome.kept })}
      </p>
      <ul className="mt-1 list-disc ps-5 text-danger empty:hidden">
        {outcome.failed.map(({ kind, name, why }) => (
          <li key={`${kind} ${name}`}>{t('data.failed', { kind: tDynamic('dataKind', kind), name, why })}</li>
        ))}
      </ul>
    </div>
  );
}
