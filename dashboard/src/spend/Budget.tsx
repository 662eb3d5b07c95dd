import type { AiUsage } from '@/api/schema';
import { locale, t } from '@/i18n';
import { Section } from '@/ui/Page';
import { cost } from './cost';
import { forecast, monthOf } from './spend';

const PERCENT_MAX = 100;

/** What was spent, what is left of the budget, and where the month is heading. */
export function Budget({ usage, today }: { usage: AiUsage; today: string }) {
  const { spent_usd: spent, budget_usd: budget, remaining_usd: remaining } = usage;
  const isCurrent = monthOf(usage.from) === monthOf(today);
  const expected = forecast(usage, today);
  const isOver = budget !== null && expected !== undefined && expected > budget;
  const facts: Array<[label: string, value: string]> = [
    [t('spend.spent'), cost(spent)],
    ...(isCurrent
      ? ([
          [t('spend.budget'), budget === null ? t('spend.noBudget') : cost(budget)],
          ...(remaining === null ? [] : [[t('spend.remaining'), cost(remaining)]]),
          [t('spend.forecast'), expected === undefined ? t('spend.noForecast') : cost(expected)],
        ] as Array<[string, string]>)
      : []),
    [t('spend.calls'), usage.calls.toLocaleString(locale())],
  ];
  return (
    <Section title={isCurrent ? t('spend.thisMonth') : t('spend.wholeMonth')}>
      <dl className="grid grid-cols-2 gap-4 sm:grid-cols-5">
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt className="text-sm text-ink-soft">{label}</dt>
            <dd className="text-xl font-semibold tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      {isCurrent && budget !== null && budget > 0 && (
        <Meter spent={spent} budget={budget} expected={expected} isOver={isOver} />
      )}
      {isCurrent && isOver && <p className="mt-2 text-warning">{t('spend.over')}</p>}
    </Section>
  );
}

interface MeterProps {
  spent: number;
  budget: number;
  expected: number | undefined;
  isOver: boolean;
}

function Meter({ spent, budget, expected, isOver }: MeterProps) {
  const percent = (value: number) => Math.min((value / budget) * PERCENT_MAX, PERCENT_MAX);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a meter element cannot show the forecast
    <div
      role="meter"
      aria-label={t('spend.meter')}
      aria-valuemin={0}
      aria-valuemax={PERCENT_MAX}
      aria-valuenow={Math.round(percent(spent))}
      aria-valuetext={t('spend.meterText', { spent: cost(spent), budget: cost(budget) })}
      className="mt-4"
    >
      <svg
        viewBox="0 0 100 3"
        preserveAspectRatio="none"
        className="block h-3 w-full rounded-full"
        aria-hidden
      >
        <rect width={100} height={3} className="fill-sunken" />
        {expected !== undefined && (
          <rect
            width={percent(expected)}
            height={3}
            className={isOver ? 'fill-warning opacity-40' : 'fill-accent opacity-30'}
          />
        )}
        <rect width={percent(spent)} height={3} className="fill-accent" />
      </svg>
    </div>
  );
}
