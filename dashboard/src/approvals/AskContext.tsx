import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { MessageCircle, Route } from 'lucide-react';
import type { Ask } from '@/api/schema';
import { contactName } from '@/contacts/names';
import { useContactNames } from '@/contacts/queries';
import { t, tDynamic } from '@/i18n';
import { useCan } from '@/session/session';
import { Avatar } from '@/ui/Avatar';
import { askedConversationQuery, useAskRun } from './queries';

const LINK =
  'inline-flex min-h-8 items-center gap-1.5 rounded-lg border border-line-strong px-2.5 text-sm font-medium hover:bg-sunken';

/** Whom an ask is about: the contact, the conversation with its last message, and the run. */
export function AskContext({ ask }: { ask: Ask }) {
  const can = useCan();
  const run = useAskRun(ask);
  const contactId = run?.contact_id ?? null;
  const conversationId = run?.conversation_id ?? null;
  const contact = useContactNames([contactId]).get(contactId ?? '');
  const conversation = useQuery({
    ...askedConversationQuery(conversationId ?? ''),
    enabled: conversationId !== null && can('conversations:read'),
  }).data;
  // What a program asks for belongs to no run: its details say whom it is about.
  if (ask.run_id === null) return null;
  return (
    <section aria-label={t('asks.about')} className="flex flex-col gap-2">
      {contactId && (
        <div className="flex items-center gap-2.5">
          <Avatar name={contactName(contact)} src={contact?.avatar_url ?? null} />
          <div className="min-w-0 flex-1">
            <Link
              to="/contacts/$contactId"
              params={{ contactId }}
              className="block truncate font-medium hover:underline"
            >
              {contactName(contact)}
            </Link>
            {conversation && (
              <p className="truncate text-sm text-ink-soft">
                {tDynamic('channel', conversation.channel)}
                {conversation.last_message_text && (
                  <span dir="auto"> · “{conversation.last_message_text}”</span>
                )}
              </p>
            )}
          </div>
        </div>
      )}
      {!contactId && run?.goal && (
        <p dir="auto" className="line-clamp-3">
          <span className="text-ink-soft">{t('asks.goal')}: </span>
          {run.goal}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        {conversationId && (
          <Link to="/inbox/$conversationId" params={{ conversationId }} className={LINK}>
            <MessageCircle size={15} aria-hidden />
            {t('asks.openConversation')}
          </Link>
        )}
        <Link to="/runs/$runId" params={{ runId: ask.run_id }} className={LINK}>
          <Route size={15} aria-hidden />
          {t('asks.openRun')}
        </Link>
      </div>
    </section>
  );
}
