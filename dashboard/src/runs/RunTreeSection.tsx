import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Run, RunEvent } from '@/api/schema';
import { t } from '@/i18n';
import { cost } from '@/i18n/quantities';
import { Section } from '@/ui/Page';
import { type RunTree, runTreeQuery } from './queries';
import { RunStatusBadge } from './StatusBadge';

/** The tree of sub-runs that a run belongs to. Most runs have none, and nothing is read for them. */
export function RunTreeSection({ run, steps }: { run: Run; steps: readonly RunEvent[] }) {
  const client = useQueryClient();
  const belongs = run.parent_run_id !== null || steps.some((step) => step.type === 'delegated');
  const tree = useQuery({ ...runTreeQuery(client, run.id), enabled: belongs }).data;
  if (!tree) return null;
  return (
    <Section title={t('run.tree')}>
      <ul>
        <Branch tree={tree} current={run.id} />
      </ul>
    </Section>
  );
}

function Branch({ tree: { run, children }, current }: { tree: RunTree; current: string }) {
  const isCurrent = run.id === current;
  return (
    <li>
      <div
        className={`relative flex items-center gap-2 rounded-lg px-2 py-1.5 ${isCurrent ? 'bg-selected' : 'hover:bg-sunken'}`}
      >
        <Link
          to="/runs/$runId"
          params={{ runId: run.id }}
          aria-current={isCurrent ? 'page' : undefined}
          dir="auto"
          className="min-w-0 flex-1 truncate font-medium after:absolute after:inset-0"
        >
          {run.goal || t('run.heading')}
          {isCurrent && <span className="sr-only"> ({t('run.thisRun')})</span>}
        </Link>
        <RunStatusBadge status={run.status} />
        <span className="w-16 text-end text-sm tabular-nums">{cost(run.cost_usd)}</span>
      </div>
      {children.length > 0 && (
        <ul className="ms-3 border-s border-line ps-3">
          {children.map((child) => (
            <Branch key={child.run.id} tree={child} current={current} />
          ))}
        </ul>
      )}
    </li>
  );
}
