import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Match, RuleInput } from '@/api/schema';
import { t } from '@/i18n';
import { Avatar } from '@/ui/Avatar';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Section } from '@/ui/Page';
import { Spinner } from '@/ui/Spinner';
import { useDebounced } from '@/ui/useDebounced';
import { contactName } from '../names';
import { type SegmentRules, segmentPreviewQuery } from '../queries';
import { totalText } from '../total';

interface PreviewProps {
  match: Match;
  /** Null while a rule is incomplete. */
  rules: RuleInput[] | null;
}

/** Who the rules find, while they are being built. */
export function SegmentPreview({ match, rules }: PreviewProps) {
  const wanted = rules && JSON.stringify({ match, rules });
  const settled = useDebounced(wanted);
  const query = useQuery(
    segmentPreviewQuery(wanted !== null && settled !== null ? (JSON.parse(settled) as SegmentRules) : null),
  );
  const stale = settled !== wanted || query.isPlaceholderData;
  const busy = wanted !== null && (settled !== wanted || query.isFetching);
  return (
    <Section title={t('segment.preview')} actions={busy && <Spinner />}>
      {wanted === null ? (
        <p className="text-ink-soft">{t('segment.previewIncomplete')}</p>
      ) : query.isError && !busy ? (
        <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        query.data && (
          <div className={stale ? 'opacity-55' : ''}>
            <p aria-live="polite" className="font-medium">
              {stale ? '' : totalText(query.data.total)}
            </p>
            <ul className="mt-2 flex flex-col gap-1 empty:hidden">
              {query.data.sample.map((contact) => (
                <li key={contact.id} className="flex items-center gap-2">
                  <Avatar name={contactName(contact)} src={contact.avatar_url} size={28} />
                  <Link
                    to="/contacts/$contactId"
                    params={{ contactId: contact.id }}
                    target="_blank"
                    className="truncate hover:underline"
                  >
                    {contactName(contact)}
                  </Link>
                  <bdi dir="ltr" className="truncate text-sm text-ink-soft">
                    {contact.phone}
                  </bdi>
                </li>
              ))}
            </ul>
          </div>
        )
      )}
    </Section>
  );
}
