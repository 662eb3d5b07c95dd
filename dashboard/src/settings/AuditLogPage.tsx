import { useInfiniteQuery } from '@tanstack/react-query';
import { t, tDynamic } from '@/i18n';
import { useMemberName } from '@/session/members';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { LoadMore } from '@/ui/LoadMore';
import { Page } from '@/ui/Page';
import { Loading } from '@/ui/Spinner';
import { Time } from '@/ui/Time';
import { AdminOnly } from './AdminOnly';
import { auditLogQuery } from './queries';

export function AuditLogPage() {
  return (
    <AdminOnly>
      <AuditLog />
    </AdminOnly>
  );
}

function AuditLog() {
  const memberName = useMemberName();
  const query = useInfiniteQuery(auditLogQuery);
  const entries = query.data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <Page title={t('settings.audit')}>
      <section
        aria-label={t('settings.audit')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className="settings-column overflow-x-auto"
      >
        {query.isPending && <Loading />}
        {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
        {entries.length > 0 && (
          <table className="w-full min-w-xl overflow-hidden rounded-xl bg-surface outline-1 -outline-offset-1 outline-line">
            <caption className="sr-only">{t('settings.audit')}</caption>
            <thead>
              <tr className="border-b border-line text-sm text-ink-soft [&>*]:px-4">
                {[t('audit.when'), t('audit.who'), t('audit.what'), t('audit.from')].map((heading) => (
                  <th key={heading} scope="col" className="p-2 text-start">
                    {heading}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {entries.map((entry) => (
                <tr key={entry.id} className="border-b border-line last:border-b-0 [&>*]:px-4">
                  <td className="p-2 whitespace-nowrap">
                    <Time at={entry.at} style="medium" />
                  </td>
                  <td className="p-2">
                    {entry.user_id ? memberName(entry.user_id) : t('audit.commandLine')}
                  </td>
                  <td className="p-2">
                    {tDynamic('auditAction', entry.action)}{' '}
                    <span className="text-ink-soft">
                      {entry.subject &&
                      (entry.action.startsWith('member.') || entry.action.startsWith('login.'))
                        ? memberName(entry.subject)
                        : entry.subject}
                    </span>
                  </td>
                  <td className="p-2">{entry.address ?? '–'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        <LoadMore query={query} />
      </section>
    </Page>
  );
}
