import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useAttempts } from '@/api/attempts';
import { isTemporary } from '@/api/client';
import { ApiError } from '@/api/errors';
import type { NewBroadcast } from '@/api/schema';
import { t, tDynamic } from '@/i18n';
import { Button } from '@/ui/Button';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { notify } from '@/ui/toast';
import { broadcastQuery } from '../queries';
import { type Problem, STEP_OF, type Step } from './draft';
import type { DraftStore } from './storage';

/** What keeps it from being sent, with the way there. */
export function Missing({ problems, onGo }: { problems: Problem[]; onGo: (step: Step) => void }) {
  if (problems.length === 0) return null;
  return (
    <div className="rounded-lg bg-warning-soft p-3">
      <p className="font-medium">{t('wizard.missing')}</p>
      <ul className="list-disc ps-5">
        {problems.map((problem) => (
          <li key={problem}>
            <button type="button" className="text-start underline" onClick={() => onGo(STEP_OF[problem])}>
              {tDynamic('problem', problem)}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

interface SendProps {
  /** Null while something is missing. */
  request: NewBroadcast | null;
  isLater: boolean;
  store: DraftStore;
  /** Another tab has sent or discarded it. */
  isGone: boolean;
}

/** Whether its time has passed since the page was drawn. */
const isOver = ({ schedule_at: at }: NewBroadcast) => at != null && Date.parse(at) <= Date.now();

/** The first request may still be under way: `POST /broadcasts` knows no other conflict. */
const isInFlight = (error: unknown) => error instanceof ApiError && error.status === 409;
const isOpen = (error: unknown) => isTemporary(error) || isInFlight(error);

/** The last button. A request whose response was lost keeps its key, also over a reload: nothing is sent twice. */
export function Send({ request, isLater, store, isGone }: SendProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const attempts = useAttempts(store.attempts, isOpen);
  const send = useMutation({
    mutationFn: (body: NewBroadcast) => attempts.call('POST /broadcasts', { body }),
    onSuccess: async ({ data }) => {
      store.clear();
      client.setQueryData(broadcastQuery(data.id).queryKey, data);
      void client.invalidateQueries({ queryKey: ['broadcasts'] });
      notify(data.status === 'scheduled' ? t('broadcast.scheduled') : t('broadcast.started'));
      await navigate({ to: '/broadcasts/$broadcastId', params: { broadcastId: data.id } });
    },
  });
  return (
    <div className="flex min-w-0 flex-1 flex-col items-end gap-2">
      <Button
        kind="primary"
        busy={send.isPending}
        disabled={request === null || isGone}
        onClick={() => request && !isOver(request) && send.mutate(request)}
      >
        {isLater ? t('broadcast.schedule') : t('broadcast.sendNow')}
      </Button>
      {isGone && (
        <p role="alert" className="rounded-lg bg-warning-soft p-3">
          {t('wizard.gone')}
        </p>
      )}
      {send.isError &&
        (isInFlight(send.error) ? (
          <p role="alert" className="rounded-lg bg-warning-soft p-3">
            {t('wizard.inFlight')}
          </p>
        ) : (
          <ErrorNotice error={send.error} />
        ))}
    </div>
  );
}
