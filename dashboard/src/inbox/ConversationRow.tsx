import { getRouteApi, Link } from '@tanstack/react-router';
import { Bot, CircleAlert, Clock, Eye, Pencil } from 'lucide-react';
import { memo } from 'react';
import type { InboxRow } from '@/api/app';
import { matches } from '@/commands/keys';
import { KEYS } from '@/commands/shortcuts';
import { contactName } from '@/contacts/names';
import { t, tDynamic } from '@/i18n';
import { useMemberName } from '@/session/members';
import { Avatar } from '@/ui/Avatar';
import { onRowKeyDown } from '@/ui/rows';
import { Badge } from '@/ui/Tag';
import { Time } from '@/ui/Time';
import { ChannelIcon } from './channel';
import { usePrefetchOnIntent } from './prefetch';
import { useViewers } from './presence';
import { isUnread } from './rows';
import { useHasDraft, useHasUnsent } from './services';

export const ROW_HEIGHT = 60;

const route = getRouteApi('/shell/inbox');

interface RowProps {
  row: InboxRow;
  open: boolean;
  selected: boolean;
  /** Some row is selected: every row shows its checkbox. */
  selecting: boolean;
  onToggle: (id: string) => void;
}

function lastWords(row: InboxRow): string {
  const last = row.last_message;
  if (!last) return t('inbox.noMessages');
  const words = last.text ?? tDynamic('messageType', last.type);
  if (last.direction === 'inbound') return words;
  return t(last.sender_type === 'bot' ? 'inbox.botSaid' : 'inbox.weSaid', { text: words });
}

export const ConversationRow = memo(function ConversationRow({
  row,
  open,
  selected,
  selecting,
  onToggle,
}: RowProps) {
  const { conversation, contact, last_message: last } = row;
  const name = contactName(contact);
  const search = route.useSearch();
  const memberName = useMemberName();
  const viewers = useViewers(conversation.id);
  const draft = useHasDraft(conversation.id);
  const unsent = useHasUnsent(conversation.id);
  const unread = isUnread(row) ? conversation.unread_count : 0;
  const intent = usePrefetchOnIntent(row);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys act on the link and the checkbox inside
    <div
      {...intent}
      data-row
      onKeyDown={(event) => {
        onRowKeyDown(event);
        if (!matches(KEYS.select, event)) return;
        event.preventDefault();
        onToggle(conversation.id);
      }}
      className={`group relative flex h-full items-center gap-2.5 border-b border-line px-3 ${open || selected ? 'bg-selected' : 'hover:bg-sunken'}`}
    >
      <input
        type="checkbox"
        tabIndex={-1}
        checked={selected}
        onChange={() => onToggle(conversation.id)}
        aria-label={t('inbox.selectNamed', { name })}
        className={`z-10 size-4.5 accent-accent ${selecting ? '' : 'sr-only group-hover:not-sr-only focus:not-sr-only'}`}
      />
      <span className="relative shrink-0">
        <Avatar name={name} src={contact.avatar_url} size={36} />
        <span className="absolute -end-1 -bottom-1 rounded-full bg-surface p-0.5 text-ink-soft">
          <ChannelIcon channel={conversation.channel} />
        </span>
      </span>
      <div className="min-w-0 flex-1">
        <div className="flex items-baseline gap-2">
          <Link
            to="/inbox/$conversationId"
            params={{ conversationId: conversation.id }}
            search={search}
            aria-current={open ? 'true' : undefined}
            aria-keyshortcuts={KEYS.select}
            className={`min-w-0 flex-1 truncate after:absolute after:inset-0 ${unread > 0 ? 'font-semibold' : ''}`}
          >
            {name}
          </Link>
          <span className="shrink-0 text-xs text-ink-soft">
            <Time at={row.last_activity_at} />
          </span>
        </div>
        <div className="flex items-center gap-1.5 text-sm text-ink-soft">
          {(unsent || last?.status === 'failed') && (
            <CircleAlert
              size={14}
              className="shrink-0 text-danger"
              role="img"
              aria-label={t(unsent ? 'inbox.unsent' : 'status.failed')}
            />
          )}
          {draft && (
            <Pencil size={14} className="shrink-0 text-warning" role="img" aria-label={t('inbox.draft')} />
          )}
          {conversation.handler === 'assistant' && (
            <Bot size={14} className="shrink-0" role="img" aria-label={t('inbox.byAssistant')} />
          )}
          {conversation.snoozed_until && (
            <Clock size={14} className="shrink-0" role="img" aria-label={t('inbox.snoozed')} />
          )}
          <p dir="auto" className={`min-w-0 flex-1 truncate text-start ${unread > 0 ? 'text-ink' : ''}`}>
            {lastWords(row)}
          </p>
          {row.needs_person_since && <Badge tone="warning">{t('inbox.needsPerson')}</Badge>}
          {viewers.length > 0 && (
            <Eye
              size={14}
              className="shrink-0 text-accent-strong"
              role="img"
              aria-label={t('inbox.viewedBy', {
                names: viewers.map((viewer) => memberName(viewer.user_id)).join(', '),
              })}
            />
          )}
          {conversation.assigned_user_id && (
            <span title={memberName(conversation.assigned_user_id)} className="flex shrink-0">
              <Avatar name={memberName(conversation.assigned_user_id)} size={18} />
              <span className="sr-only">{memberName(conversation.assigned_user_id)}</span>
            </span>
          )}
          {unread > 0 && (
            <span className="shrink-0 rounded-full bg-badge px-1.5 text-xs font-semibold text-badge-ink">
              {unread}
              <span className="sr-only"> {t('nav.unread')}</span>
            </span>
          )}
        </div>
      </div>
    </div>
  );
});
