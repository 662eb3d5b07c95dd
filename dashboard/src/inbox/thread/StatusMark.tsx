import { useQuery } from '@tanstack/react-query';
import { Check, CheckCheck, CircleAlert, Clock } from 'lucide-react';
import { useState } from 'react';
import type { MessageStatus } from '@/api/schema';
import { t, tDynamic } from '@/i18n';
import { mediumTime } from '@/i18n/time';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Popover } from '@/ui/Popover';
import { Loading } from '@/ui/Spinner';
import { messageStatusesQuery } from '../queries';

const MARKS: Record<MessageStatus, { icon: typeof Check; tone: string }> = {
  sending: { icon: Clock, tone: '' },
  sent: { icon: Check, tone: '' },
  delivered: { icon: CheckCheck, tone: '' },
  read: { icon: CheckCheck, tone: 'text-accent' },
  failed: { icon: CircleAlert, tone: 'text-danger' },
};

/** The tick of a message. It opens the times of every step. */
export function StatusMark({ messageId, status }: { messageId: string; status: MessageStatus }) {
  const [open, setOpen] = useState(false);
  const { icon: Icon, tone } = MARKS[status];
  return (
    <Popover
      label={t('status.history')}
      open={open}
      onOpenChange={setOpen}
      trigger={
        <button
          type="button"
          aria-label={tDynamic('status', status)}
          title={tDynamic('status', status)}
          className={`rounded p-0.5 ${tone}`}
        >
          <Icon size={14} aria-hidden />
        </button>
      }
    >
      {open && <History messageId={messageId} />}
    </Popover>
  );
}

function History({ messageId }: { messageId: string }) {
  const query = useQuery(messageStatusesQuery(messageId));
  if (query.isPending) return <Loading />;
  if (query.isError) return <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <ol className="flex flex-col gap-1 p-1">
      {query.data.map((step) => (
        <li key={step.status} className="flex gap-3">
          <span className="flex-1">{tDynamic('status', step.status)}</span>
          <span className="text-ink-soft">{step.at ? mediumTime(step.at) : '–'}</span>
        </li>
      ))}
    </ol>
  );
}
