import { useQuery } from '@tanstack/react-query';
import { MessageCircle } from 'lucide-react';
import { t } from '@/i18n';
import { useCan } from '@/session/session';
import { ButtonLink } from '@/ui/ButtonLink';
import { contactConversationsQuery, contactQuery } from './queries';
import { StartConversation } from './StartConversation';
import { latestConversation } from './timeline';

/** One click from a contact, a deal, an inquiry or a booking to its conversation, or to the first message. */
export function OpenConversation({
  contactId,
  short = false,
}: {
  contactId: string | null;
  short?: boolean;
}) {
  const can = useCan();
  const query = useQuery({
    ...contactConversationsQuery(contactId ?? ''),
    enabled: contactId !== null && can('conversations:read'),
  });
  const conversation = latestConversation(query.data ?? []);
  const none = query.isSuccess && !conversation && can('messages:send');
  const contact = useQuery({ ...contactQuery(contactId ?? ''), enabled: none }).data;
  if (none && contact?.phone) return <StartConversation contact={contact} phone={contact.phone} />;
  if (!conversation) return null;
  return (
    <ButtonLink
      to="/inbox/$conversationId"
      params={{ conversationId: conversation.id }}
      icon={<MessageCircle size={16} aria-hidden />}
    >
      <span className={short ? 'max-sm:sr-only' : ''}>{t('contact.openConversation')}</span>
    </ButtonLink>
  );
}
