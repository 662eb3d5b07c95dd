import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { ImportResult } from '@/api/app';
import type { CustomField } from '@/api/schema';
import { t } from '@/i18n';
import { Button } from '@/ui/Button';
import { download } from '@/ui/download';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { TextField } from '@/ui/Field';
import type { CsvRow } from './csv';
import { columnsToCorrect, labelOf, type Mapping, problemText, rejectedCsv } from './mapping';
import type { ImportFile } from './readFile';

const SHOWN_ROWS = 50;

interface RejectedRowsProps {
  file: ImportFile;
  /** The rows of the file as they were corrected so far, by line. */
  rows: ReadonlyMap<number, CsvRow>;
  results: ImportResult[];
  mapping: Mapping;
  fields: readonly CustomField[];
  /** Tries a corrected row again. */
  onRetry: (row: CsvRow) => Promise<void>;
}

/** The rejected rows: each with its reasons and its cells, to be corrected and tried again. */
export function RejectedRows({ file, rows, results, mapping, fields, onRetry }: RejectedRowsProps) {
  const [shown, setShown] = useState(SHOWN_ROWS);
  const list = useRef<HTMLUListElement>(null);
  const count = useRef(results.length);
  // A row that was corrected is gone. The next one takes the focus, so that the keyboard goes on from there.
  useEffect(() => {
    if (results.length < count.current && document.activeElement === document.body)
      list.current?.querySelector('input')?.focus();
    count.current = results.length;
  }, [results.length]);
  const save = () =>
    download(
      `rejected-${file.name}`.replace(/(\.xlsx .*)?$/, '').replace(/(\.csv)?$/, '.csv'),
      rejectedCsv(file.headings, [...rows.values()], results, t('import.reason')),
      'text/csv',
    );
  return (
    <div className="mt-4">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="flex-1 font-semibold">{t('import.rejectedRows')}</h3>
        <Button onClick={save}>{t('import.downloadRejected')}</Button>
      </div>
      <p className="text-sm text-ink-soft">{t('import.rejectedHelp')}</p>
      <ul ref={list} className="mt-2 flex flex-col gap-3">
        {results.slice(0, shown).map((result) => {
          const row = rows.get(result.line);
          return (
            row && (
              <li key={result.line} className="rounded-lg border border-line p-3">
                <RejectedRow {...{ row, result, mapping, fields, file, onRetry }} />
              </li>
            )
          );
        })}
      </ul>
      {results.length > shown && (
        <Button onClick={() => setShown(shown + SHOWN_ROWS)}>
          {t('import.moreRejected', { count: results.length - shown })}
        </Button>
      )}
    </div>
  );
}

interface RejectedRowProps extends Omit<RejectedRowsProps, 'rows' | 'results'> {
  row: CsvRow;
  result: ImportResult;
}

function RejectedRow({ row, result, mapping, fields, file, onRetry }: RejectedRowProps) {
  const columns = columnsToCorrect(result, mapping);
  const retry = useMutation({
    mutationFn: (form: FormData) => {
      const cells = [...row.cells];
      for (const index of columns) cells[index] = String(form.get(String(index)) ?? '');
      return onRetry({ line: row.line, cells: Array.from(cells, (cell) => cell ?? '') });
    },
  });
  return (
    <form
      aria-label={t('import.line', { line: row.line })}
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        retry.mutate(new FormData(event.currentTarget));
      }}
    >
      <p>
        <strong>{t('import.line', { line: row.line })}</strong>{' '}
        <span className="text-ink-soft">
          {row.cells.filter(Boolean).slice(0, 3).join(' · ').slice(0, 120)}
        </span>
      </p>
      <ul role="alert" className="text-sm text-danger">
        {result.errors.map((problem) => (
          <li key={problem.path}>{problemText(problem, fields)}</li>
        ))}
      </ul>
      <div className="flex flex-col gap-2 sm:flex-row sm:flex-wrap sm:items-end">
        {columns.map((index) => (
          <TextField
            key={index}
            label={file.headings[index] || labelOf(mapping[index] ?? 'skip', fields)}
            name={String(index)}
            defaultValue={row.cells[index] ?? ''}
          />
        ))}
        {columns.length > 0 && (
          <Button type="submit" busy={retry.isPending}>
            {t('import.retry')}
          </Button>
        )}
      </div>
      {retry.isError && <ErrorNotice error={retry.error} />}
    </form>
  );
}
