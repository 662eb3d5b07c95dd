import { useInfiniteQuery } from '@tanstack/react-query';
import { History } from 'lucide-react';
import { DealChangeText, useChangeNames } from '@/contacts/DealChangeText';
import { t } from '@/i18n';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { LoadMore } from '@/ui/LoadMore';
import { Loading } from '@/ui/Spinner';
import { Time } from '@/ui/Time';
import { dealChangesQuery } from './queries';

/** What happened to a deal without a contact, newest first. */
export function DealHistory({ dealId }: { dealId: string }) {
  const query = useInfiniteQuery(dealChangesQuery(dealId));
  const changes = query.data?.pages.flatMap((page) => page.data) ?? [];
  const names = useChangeNames(changes);
  return (
    <>
      {query.isPending && <Loading />}
      {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
      {query.isSuccess && changes.length === 0 && <p className="text-ink-soft">{t('timeline.empty')}</p>}
      <ol className="flex flex-col">
        {changes.map((change) => (
          <li key={change.id} className="flex gap-3 border-b border-line py-2.5 last:border-0">
            <span className="mt-0.5 text-ink-soft">
              <History size={18} aria-hidden />
            </span>
            <div className="min-w-0 flex-1 break-words first-letter:uppercase">
              <DealChangeText change={change} names={names} />
            </div>
            <span className="shrink-0 text-sm text-ink-soft">
              <Time at={change.created_at} />
            </span>
          </li>
        ))}
      </ol>
      <LoadMore query={query} />
    </>
  );
}
