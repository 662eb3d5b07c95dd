import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Pencil, Plus } from 'lucide-react';
import { useState } from 'react';
import { useAttempts } from '@/api/attempts';
import type { Channel } from '@/api/schema';
import { Details } from '@/contacts/Details';
import { Notes } from '@/contacts/Notes';
import { contactName } from '@/contacts/names';
import {
  contactConversationsQuery,
  contactDealsQuery,
  contactNotesQuery,
  contactQuery,
  optOutQuery,
} from '@/contacts/queries';
import { TagEditor } from '@/contacts/TagEditor';
import { t, tDynamic, withTexts } from '@/i18n';
import { money } from '@/i18n/time';
import { useCan } from '@/session/session';
import { Avatar } from '@/ui/Avatar';
import { IconButton } from '@/ui/Button';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { lazyDialog } from '@/ui/Lazy';
import { Loading } from '@/ui/Spinner';
import { Badge } from '@/ui/Tag';
import { Time } from '@/ui/Time';
import { ChannelIcon } from './channel';
import { VisitedPages } from './VisitedPages';

const ContactDialog = lazyDialog(() =>
  withTexts(() => import('@/contacts/ContactForm'), 'contacts').then((module) => module.ContactDialog),
);
const DealDialog = lazyDialog(() =>
  withTexts(() => import('@/deals/DealForm'), 'contacts', 'deals').then((module) => module.DealDialog),
);

interface PanelProps {
  contactId: string;
  conversationId: string;
  channel: Channel | undefined;
}

/** The contact beside a conversation. */
export function ContactPanel({ contactId, conversationId, channel }: PanelProps) {
  const can = useCan();
  const client = useQueryClient();
  const query = useQuery(contactQuery(contactId));
  const optOut = useQuery(optOutQuery(contactId)).data;
  const notes = useQuery(contactNotesQuery(contactId)).data;
  const [editing, setEditing] = useState(false);
  const attempts = useAttempts();
  if (query.isPending) return <Loading />;
  if (query.isError) return <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />;
  const contact = query.data;
  const addNote = async (body: string) => {
    await attempts.call('POST /contacts/{id}/notes', { path: { id: contactId }, body: { body } });
    await client.invalidateQueries({ queryKey: contactNotesQuery(contactId).queryKey });
  };
  return (
    <div className="flex flex-col divide-y divide-line">
      <Block>
        <div className="flex items-center gap-3">
          <Avatar name={contactName(contact)} src={contact.avatar_url} size={48} />
          <div className="min-w-0 flex-1">
            <Link
              to="/contacts/$contactId"
              params={{ contactId }}
              className="block truncate text-lg font-semibold hover:underline"
            >
              {contactName(contact)}
            </Link>
            {optOut?.opted_out && <Badge tone="warning">{t('contact.optedOut')}</Badge>}
          </div>
          {can('contacts:write') && (
            <IconButton
              label={t('contact.edit')}
              icon={<Pencil size={16} aria-hidden />}
              onClick={() => setEditing(true)}
            />
          )}
        </div>
        <Details contact={contact} />
        <TagEditor contact={contact} />
        <ContactDialog open={editing} onClose={() => setEditing(false)} contact={contact} />
      </Block>
      {channel === 'web_chat' && <VisitedPages conversationId={conversationId} />}
      {can('deals:read') && <Deals contactId={contactId} />}
      <Block title={t('contact.notes')}>
        <Notes notes={notes} onAdd={can('contacts:write') ? addNote : undefined} />
      </Block>
      <OtherConversations contactId={contactId} conversationId={conversationId} />
    </div>
  );
}

function Block({
  title,
  action,
  children,
}: {
  title?: string;
  action?: React.ReactNode;
  children: React.ReactNode;
}) {
  return (
    <section className="flex flex-col gap-2 p-4">
      {title && (
        <div className="flex items-center">
          <h2 className="flex-1 font-semibold">{title}</h2>
          {action}
        </div>
      )}
      {children}
    </section>
  );
}

function Deals({ contactId }: { contactId: string }) {
  const can = useCan();
  const deals = useQuery(contactDealsQuery(contactId)).data ?? [];
  const [creating, setCreating] = useState(false);
  return (
    <Block
      title={t('nav.deals')}
      action={
        can('deals:write') && (
          <IconButton
            label={t('deals.new')}
            icon={<Plus size={16} aria-hidden />}
            onClick={() => setCreating(true)}
          />
        )
      }
    >
      {deals.length === 0 && <p className="text-sm text-ink-soft">{t('panel.noDeals')}</p>}
      <ul className="flex flex-col gap-1">
        {deals.map((deal) => (
          <li key={deal.id}>
            <Link
              to="/deals/$dealId"
              params={{ dealId: deal.id }}
              className="flex items-center gap-2 rounded-lg px-2 py-1.5 hover:bg-sunken"
            >
              <span className="min-w-0 flex-1 truncate">{deal.title}</span>
              {deal.value !== null && <span className="text-sm">{money(deal.value, deal.currency)}</span>}
              <Badge tone={deal.status === 'won' ? 'accent' : 'neutral'}>
                {tDynamic('dealStatus', deal.status)}
              </Badge>
            </Link>
          </li>
        ))}
      </ul>
      <DealDialog open={creating} onClose={() => setCreating(false)} contactId={contactId} />
    </Block>
  );
}

function OtherConversations({ contactId, conversationId }: { contactId: string; conversationId: string }) {
  const others = (useQuery(contactConversationsQuery(contactId)).data ?? []).filter(
    (other) => other.id !== conversationId,
  );
  if (others.length === 0) return null;
  return (
    <Block title={t('panel.otherConversations')}>
      <ul className="flex flex-col gap-1">
        {others.map((other) => (
          <li key={other.id}>
            <Link
              to="/inbox/$conversationId"
              params={{ conversationId: other.id }}
              className="flex items-center gap-2 rounded-lg px-2 py-1.5 hover:bg-sunken"
            >
              <ChannelIcon channel={other.channel} />
              <span className="min-w-0 flex-1 truncate">
                {other.last_message_text ?? tDynamic('channel', other.channel)}
              </span>
              <span className="text-xs text-ink-soft">
                <Time at={other.last_message_at ?? other.created_at} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Block>
  );
}
