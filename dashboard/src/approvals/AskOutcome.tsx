import { Ban, CircleCheck, CircleX, Clock } from 'lucide-react';
import type { Ask, AskStatus } from '@/api/schema';
import { t } from '@/i18n';
import { useMemberName } from '@/session/members';
import { useSession } from '@/session/session';
import { Time } from '@/ui/Time';

const ICON = { size: 17, 'aria-hidden': true } as const;

/** Who answered, as a sentence names them. */
export function useAnswererName(): (ask: Ask) => string {
  const { user } = useSession();
  const memberName = useMemberName();
  return ({ answered_by: by }) =>
    by === user.id ? t('asks.you') : by === null ? t('asks.key') : memberName(by);
}

function useWords(): (ask: Ask) => string {
  const nameOf = useAnswererName();
  return (ask) => {
    const name = nameOf(ask);
    switch (ask.status) {
      case 'approved':
        return t('asks.answered.approved', { name });
      case 'declined':
        return t('asks.answered.declined', { name });
      case 'answered':
        return t('asks.answered.answered', { name });
      case 'expired':
        return t('asks.answered.expired');
      default:
        return t('asks.answered.cancelled');
    }
  };
}

const ICONS: Record<AskStatus, React.ReactNode> = {
  pending: null,
  approved: <CircleCheck {...ICON} className="text-success" />,
  answered: <CircleCheck {...ICON} className="text-success" />,
  declined: <CircleX {...ICON} className="text-danger" />,
  expired: <Clock {...ICON} />,
  cancelled: <Ban {...ICON} />,
};

/** How an ask ended, by whom, and with which words. */
export function AskOutcome({ ask }: { ask: Ask }) {
  const words = useWords();
  return (
    <div className="flex items-start gap-2">
      <span className="mt-0.5 shrink-0">{ICONS[ask.status]}</span>
      <div className="min-w-0 flex-1">
        <p>
          {words(ask)}
          {ask.answered_at && (
            <span className="text-sm text-ink-soft">
              {' · '}
              <Time at={ask.answered_at} />
            </span>
          )}
        </p>
        {ask.answer && (
          <p dir="auto" className="break-words whitespace-pre-wrap text-ink-soft">
            “{ask.answer}”
          </p>
        )}
      </div>
    </div>
  );
}
