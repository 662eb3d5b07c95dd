import type { ImportResult } from '@/api/app';
import type { CustomField } from '@/api/schema';
import { t } from '@/i18n';
import { problemText } from './mapping';

const SHOWN_MAX = 50;

/** What was left out of rows that are imported all the same. */
export function Warnings({ results, fields }: { results: ImportResult[]; fields: readonly CustomField[] }) {
  return (
    <details className="mt-4 rounded-lg bg-canvas p-3" open={results.length <= 5}>
      <summary className="cursor-pointer font-semibold">
        {t('import.warnings', { count: results.length })}
      </summary>
      <ul className="mt-2 flex flex-col gap-1 text-sm">
        {results.slice(0, SHOWN_MAX).map((result) => (
          <li key={result.line}>
            <strong>{t('import.line', { line: result.line })}</strong>{' '}
            {result.warnings.map((problem) => problemText(problem, fields)).join('; ')}
          </li>
        ))}
        {results.length > SHOWN_MAX && (
          <li className="text-ink-soft">{t('import.moreWarnings', { count: results.length - SHOWN_MAX })}</li>
        )}
      </ul>
    </details>
  );
}
