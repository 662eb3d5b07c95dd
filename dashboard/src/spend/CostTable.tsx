import { locale, t } from '@/i18n';
import { cost } from './cost';

interface Costs {
  spent_usd: number;
  calls: number;
  tokens_in: number;
  tokens_out: number;
}

interface CostTableProps<T extends Costs> {
  caption: string;
  /** Of the first column. */
  heading: string;
  rows: readonly T[];
  keyOf: (row: T) => string;
  nameOf: (row: T) => string;
  /** A bar in each row shows its part of the largest. */
  bars?: boolean;
}

/** The numbers behind a plot. The dearest comes first, as the server lists them. */
export function CostTable<T extends Costs>(props: CostTableProps<T>) {
  const { caption, heading, rows, keyOf, nameOf, bars = false } = props;
  if (rows.length === 0) return <p className="text-ink-soft">{t('spend.nothing')}</p>;
  const largest = Math.max(...rows.map(({ spent_usd: spent }) => spent));
  const columns = [t('spend.cost'), t('spend.calls'), t('spend.tokensIn'), t('spend.tokensOut')];
  return (
    <section
      aria-label={caption}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className="overflow-x-auto"
    >
      <table className="w-full min-w-md text-start">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr className="border-b border-line text-sm text-ink-soft">
            <th scope="col" className="py-1.5 text-start font-medium">
              {heading}
            </th>
            {columns.map((column) => (
              <th key={column} scope="col" className="py-1.5 ps-4 text-end font-medium">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} className="border-b border-line last:border-b-0">
              <th scope="row" className="py-1.5 text-start font-normal">
                {nameOf(row)}
                {bars && <Bar part={largest > 0 ? row.spent_usd / largest : 0} />}
              </th>
              <td className="ps-4 text-end tabular-nums">{cost(row.spent_usd)}</td>
              {[row.calls, row.tokens_in, row.tokens_out].map((value, index) => (
                <td key={columns[index + 1]} className="ps-4 text-end text-ink-soft tabular-nums">
                  {value.toLocaleString(locale())}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Bar({ part }: { part: number }) {
  return (
    <svg
      viewBox="0 0 100 4"
      preserveAspectRatio="none"
      className="mt-1 block h-1.5 w-full max-w-72"
      aria-hidden
    >
      <rect width={100} height={4} rx={1} className="fill-sunken" />
      <rect width={100 * part} height={4} rx={1} className="fill-accent" />
    </svg>
  );
}
