import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { call } from '@/api/client';
import { t } from '@/i18n';
import { assistantsQuery } from '@/session/assistants';
import { Button } from '@/ui/Button';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { assistantQuery } from './queries';
import { type Rival, rivalsOf } from './rivals';

interface RivalsProps {
  assistantId: string;
  targets: readonly string[];
  nameOf: (target: string) => string;
}

/** Says that an older assistant takes the conversations of a channel, and lets it go with one press. */
export function Rivals({ assistantId, targets, nameOf }: RivalsProps) {
  const all = useQuery(assistantsQuery).data ?? [];
  return rivalsOf(assistantId, targets, all).map((rival) => (
    <RivalNotice key={rival.target} rival={rival} channel={nameOf(rival.target)} />
  ));
}

function RivalNotice({ rival: { target, assistant, isSame }, channel }: { rival: Rival; channel: string }) {
  const client = useQueryClient();
  const { id, name } = assistant;
  const release = useMutation({
    mutationFn: async () => {
      // As it is now: a colleague may have given it other channels meanwhile.
      const { data } = await call('GET /assistants/{id}', { path: { id } });
      const targets = data.targets.filter((other) => other !== target);
      await call('PATCH /assistants/{id}', { path: { id }, body: { targets } });
    },
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: assistantsQuery.queryKey }),
        client.invalidateQueries({ queryKey: assistantQuery(id).queryKey }),
      ]),
  });
  return (
    <div role="status" className="mt-1 rounded-lg bg-warning-soft px-3 py-2">
      <p>
        {t('assistants.rival', { name, channel })}{' '}
        <Link to="/assistants/$assistantId" params={{ assistantId: id }} className="font-medium underline">
          {t('assistants.rivalOpen', { name })}
        </Link>
      </p>
      {isSame && (
        <Button busy={release.isPending} onClick={() => release.mutate()}>
          {t('assistants.rivalRelease', { name, channel })}
        </Button>
      )}
      {release.isError && <ErrorNotice error={release.error} />}
    </div>
  );
}
