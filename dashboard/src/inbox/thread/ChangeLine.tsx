import type { ConversationChange } from '@/api/schema';
import { t } from '@/i18n';
import { clockTime, fullTime } from '@/i18n/time';
import { useAssistantName } from '@/session/assistants';
import { useMemberName } from '@/session/members';

/** One line between the messages: what happened to the conversation, and who did it. */
export function ChangeLine({ change }: { change: ConversationChange }) {
  const memberName = useMemberName();
  const assistantName = useAssistantName();
  const { kind, by_user_id: user, by_assistant_id: assistant } = change;
  const name = user ? memberName(user) : assistant ? assistantName(assistant) : null;
  return (
    <p className="my-1 text-center text-xs text-ink-soft">
      {words(kind, name, user !== null, {
        member: memberName(change.user_id),
        assistant: assistantName(change.assistant_id),
      })}{' '}
      ·{' '}
      <time dateTime={change.created_at} title={fullTime(change.created_at)}>
        {clockTime(change.created_at)}
      </time>
    </p>
  );
}

function words(
  kind: ConversationChange['kind'],
  name: string | null,
  byMember: boolean,
  to: { member: string; assistant: string },
): string {
  switch (kind) {
    case 'closed':
      return name ? t('change.closedBy', { name }) : t('change.closed');
    case 'reopened':
      return name ? t('change.reopenedBy', { name }) : t('change.reopened');
    case 'assigned':
      return name ? t('change.assignedBy', { name, to: to.member }) : t('change.assigned', { to: to.member });
    case 'unassigned':
      return name ? t('change.unassignedBy', { name }) : t('change.unassigned');
    case 'to_assistant':
      return name
        ? t('change.toAssistantBy', { name, to: to.assistant })
        : t('change.toAssistant', { to: to.assistant });
    case 'to_person':
      if (!name) return t('change.toPerson');
      return byMember ? t('change.tookOver', { name }) : t('change.handedOff', { name });
  }
}
