import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight, Download } from 'lucide-react';
import { useState } from 'react';
import type { AiUsage, AssistantUsage, DayUsage, ModelUsage } from '@/api/schema';
import { writeCsv } from '@/contacts/import/csv';
import { locale, t } from '@/i18n';
import { calendarDate, dateIn } from '@/i18n/time';
import { useAssistantName } from '@/session/assistants';
import { useSession } from '@/session/session';
import { AdminOnly } from '@/settings/AdminOnly';
import { Button } from '@/ui/Button';
import { download } from '@/ui/download';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Page, Section } from '@/ui/Page';
import { Loading } from '@/ui/Spinner';
import { useNow } from '@/ui/useNow';
import { Budget } from './Budget';
import { BudgetDialog } from './BudgetDialog';
import { CostTable } from './CostTable';
import { DayPlot } from './DayPlot';
import { DearestRuns } from './DearestRuns';
import { usageQuery } from './queries';
import { addMonths, everyDay, type Month, monthOf, tableOf } from './spend';

const route = getRouteApi('/shell/spend');
const TODAY_REFRESH_MS = 60_000;

export function SpendPage() {
  return (
    <AdminOnly>
      <Spend />
    </AdminOnly>
  );
}

function monthName(month: Month): string {
  return new Date(`${month}-15T12:00:00`).toLocaleDateString(locale(), { month: 'long', year: 'numeric' });
}

/** What assistants cost in a month. */
function Spend() {
  const { account } = useSession();
  const today = dateIn(account.timezone, useNow(TODAY_REFRESH_MS));
  const current = monthOf(today);
  const { month = current } = route.useSearch();
  const query = useQuery(usageQuery(month === current ? undefined : month));
  const [editing, setEditing] = useState(false);
  return (
    <Page
      title={t('nav.spend')}
      actions={<Button onClick={() => setEditing(true)}>{t('spend.changeBudget')}</Button>}
    >
      <div className="page-column flex flex-col gap-4">
        <Months month={month} current={current} />
        {query.isPending && <Loading />}
        {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
        {query.data && <Report usage={query.data} month={month} today={today} />}
        <DearestRuns month={month === current ? undefined : month} />
      </div>
      <BudgetDialog
        open={editing}
        budget={query.data?.budget_usd ?? null}
        onClose={() => setEditing(false)}
      />
    </Page>
  );
}

function Months({ month, current }: { month: Month; current: Month }) {
  const arrow =
    'inline-flex size-control items-center justify-center rounded-lg hover:bg-sunken aria-disabled:opacity-40';
  return (
    <nav aria-label={t('spend.month')} className="flex items-center gap-1">
      <Link
        to="/spend"
        search={{ month: addMonths(month, -1) }}
        aria-label={t('spend.before')}
        className={arrow}
      >
        <ChevronLeft size={18} aria-hidden className="rtl:rotate-180" />
      </Link>
      <h2 className="min-w-40 text-center text-lg font-semibold" aria-live="polite">
        {monthName(month)}
      </h2>
      {month < current && (
        <Link
          to="/spend"
          search={{ month: addMonths(month, 1) }}
          aria-label={t('spend.after')}
          className={arrow}
        >
          <ChevronRight size={18} aria-hidden className="rtl:rotate-180" />
        </Link>
      )}
    </nav>
  );
}

function Report({ usage, month, today }: { usage: AiUsage; month: Month; today: string }) {
  const assistantName = useAssistantName();
  const days = everyDay(usage);
  const ofAssistant = ({ assistant_id: id }: AssistantUsage) => assistantName(id);
  return (
    <>
      <Budget usage={usage} today={today} />
      <Section
        title={t('spend.byDay')}
        actions={<Csv name={`${month}-days`} rows={tableOf('date', days, ({ date }) => date)} />}
      >
        <DayPlot key={month} days={days} />
        <details className="mt-3">
          <summary className="w-fit cursor-pointer font-medium text-accent">{t('spend.asTable')}</summary>
          <CostTable<DayUsage>
            caption={t('spend.byDay')}
            heading={t('spend.day')}
            rows={days.toReversed()}
            keyOf={({ date }) => date}
            nameOf={({ date }) => calendarDate(date)}
          />
        </details>
      </Section>
      <Section
        title={t('spend.byModel')}
        actions={
          <Csv name={`${month}-models`} rows={tableOf('model', usage.by_model, ({ model }) => model)} />
        }
      >
        <CostTable<ModelUsage>
          caption={t('spend.byModel')}
          heading={t('spend.model')}
          rows={usage.by_model}
          keyOf={({ model }) => model}
          nameOf={({ model }) => model}
          bars
        />
      </Section>
      <Section
        title={t('spend.byAssistant')}
        actions={
          <Csv name={`${month}-assistants`} rows={tableOf('assistant', usage.by_assistant, ofAssistant)} />
        }
      >
        <CostTable<AssistantUsage>
          caption={t('spend.byAssistant')}
          heading={t('spend.assistant')}
          rows={usage.by_assistant}
          keyOf={({ assistant_id: id }) => id}
          nameOf={ofAssistant}
          bars
        />
      </Section>
    </>
  );
}

function Csv({ name, rows }: { name: string; rows: string[][] }) {
  return (
    <Button
      icon={<Download size={16} aria-hidden />}
      aria-label={t('spend.csvNamed', { name })}
      onClick={() => download(`ai-spend-${name}.csv`, writeCsv(rows), 'text/csv')}
    >
      CSV
    </Button>
  );
}
