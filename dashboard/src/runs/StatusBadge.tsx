import { Ban, CircleAlert, CircleCheck, CircleDashed, Hand, LoaderCircle } from 'lucide-react';
import type { ReactNode } from 'react';
import type { RunStatus } from '@/api/schema';
import { tDynamic } from '@/i18n';

const ICON = { size: 15, 'aria-hidden': true } as const;

const LOOKS: Record<RunStatus, [icon: ReactNode, color: string]> = {
  queued: [<CircleDashed key="queued" {...ICON} />, 'text-ink-soft'],
  running: [<LoaderCircle key="running" {...ICON} className="animate-spin" />, 'text-accent-strong'],
  waiting: [<Hand key="waiting" {...ICON} />, 'text-warning'],
  succeeded: [<CircleCheck key="succeeded" {...ICON} />, 'text-success'],
  failed: [<CircleAlert key="failed" {...ICON} />, 'text-danger'],
  cancelled: [<Ban key="cancelled" {...ICON} />, 'text-ink-soft'],
};

/** A run's status, by icon, colour and word. */
export function RunStatusBadge({ status }: { status: RunStatus }) {
  const [icon, color] = LOOKS[status];
  return (
    <span className={`inline-flex items-center gap-1.5 text-sm font-medium whitespace-nowrap ${color}`}>
      {icon}
      {tDynamic('runStatus', status)}
    </span>
  );
}
