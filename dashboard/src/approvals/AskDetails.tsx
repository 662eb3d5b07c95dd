import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Ask } from '@/api/schema';
import { contactName } from '@/contacts/names';
import { pipelinesQuery, segmentsQuery, tagsQuery, useContactNames } from '@/contacts/queries';
import { dealQuery } from '@/deals/queries';
import { t, tDynamic } from '@/i18n';
import { mediumTime } from '@/i18n/time';
import { useMemberName } from '@/session/members';

const LINK = 'font-medium text-accent underline';

/** What an ask would do: the tool in words, and its arguments with names instead of ids. */
export function AskDetails({ ask }: { ask: Ask }) {
  if (!ask.tool) return null;
  const values = Object.entries((ask.arguments ?? {}) as Record<string, unknown>).filter(
    ([, value]) => value !== null && value !== '',
  );
  return (
    <section aria-label={t('asks.details')} className="rounded-lg bg-sunken px-3 py-2.5">
      <p>{tDynamic('toolHelp', ask.tool)}</p>
      {values.length > 0 ? (
        <dl className="mt-2 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
          {values.map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="text-ink-soft">{tDynamic('argument', name)}</dt>
              <dd dir="auto" className="min-w-0 break-words whitespace-pre-wrap">
                <Value name={name} value={value} />
              </dd>
            </div>
          ))}
        </dl>
      ) : (
        <p className="text-sm text-ink-soft">{t('asks.noArguments')}</p>
      )}
    </section>
  );
}

/** Ids of things that have a name, by the argument that holds them. */
const NAMED: Record<string, (props: { id: string }) => ReactNode> = {
  contact_id: ContactValue,
  deal_id: DealValue,
  conversation_id: ({ id }) => (
    <Link to="/inbox/$conversationId" params={{ conversationId: id }} className={LINK}>
      {t('asks.openConversation')}
    </Link>
  ),
  inquiry_id: ({ id }) => (
    <Link to="/inquiries/$inquiryId" params={{ inquiryId: id }} className={LINK}>
      {t('argument.inquiry_id')}
    </Link>
  ),
  user_id: function MemberValue({ id }) {
    return useMemberName()(id);
  },
  stage_id: function StageValue({ id }) {
    const stages = useQuery(pipelinesQuery).data?.flatMap((pipeline) => pipeline.stages);
    return stages?.find((stage) => stage.id === id)?.name ?? id;
  },
  pipeline_id: function PipelineValue({ id }) {
    return useQuery(pipelinesQuery).data?.find((pipeline) => pipeline.id === id)?.name ?? id;
  },
  segment_id: function SegmentValue({ id }) {
    return useQuery(segmentsQuery).data?.find((segment) => segment.id === id)?.name ?? id;
  },
};
const TIMES = new Set(['run_at', 'schedule_at']);

function Value({ name, value }: { name: string; value: unknown }): ReactNode {
  const Named = NAMED[name];
  if (typeof value === 'string') {
    if (Named) return <Named id={value} />;
    const isTime = TIMES.has(name) && !Number.isNaN(Date.parse(value));
    return isTime ? mediumTime(new Date(value).toISOString()) : value;
  }
  if (name === 'tag_ids' && Array.isArray(value)) return <TagValues ids={value.map(String)} />;
  if (Array.isArray(value)) return value.map(String).join(', ');
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value);
}

function ContactValue({ id }: { id: string }) {
  return (
    <Link to="/contacts/$contactId" params={{ contactId: id }} className={LINK}>
      {contactName(useContactNames([id]).get(id))}
    </Link>
  );
}

function DealValue({ id }: { id: string }) {
  const deal = useQuery({ ...dealQuery(id), retry: false }).data;
  return (
    <Link to="/deals/$dealId" params={{ dealId: id }} className={LINK}>
      {deal?.title ?? id}
    </Link>
  );
}

function TagValues({ ids }: { ids: string[] }) {
  const tags = useQuery(tagsQuery).data;
  return ids.map((id) => tags?.find((tag) => tag.id === id)?.name ?? id).join(', ');
}
