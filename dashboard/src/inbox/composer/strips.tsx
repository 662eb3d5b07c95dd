import { Bot, UsersRound } from 'lucide-react';
import type { ThreadMessage } from '@/api/app';
import { t, tDynamic } from '@/i18n';
import { useAssistantName } from '@/session/assistants';
import { useMemberName } from '@/session/members';
import { Button } from '@/ui/Button';

/** Says before a reply is sent that it ends the assistant's part. */
export function TakeOverStrip({ assistantId }: { assistantId: string | null }) {
  const name = useAssistantName()(assistantId);
  return (
    <p role="status" className="flex items-center gap-1.5 px-3 pt-2 text-sm text-accent-strong">
      <Bot size={16} aria-hidden className="shrink-0" />
      {t('composer.takesOver', { name })}
    </p>
  );
}

interface MeanwhileProps {
  /** Oldest first. */
  replies: readonly ThreadMessage[];
  onUnderstood: () => void;
}

/** What somebody else has sent to the customer while the member was writing. */
export function MeanwhileStrip({ replies, onUnderstood }: MeanwhileProps) {
  const memberName = useMemberName();
  const assistantName = useAssistantName();
  const nameOf = ({ assistant_id: assistant, author_user_id: author }: ThreadMessage) =>
    assistant ? assistantName(assistant) : author ? memberName(author) : t('thread.automatic');
  return (
    <div role="alert" className="mb-2 rounded-lg bg-warning-soft px-3 py-2 text-warning">
      {replies.map((reply) => (
        <div key={reply.id} className="mb-1">
          <p className="flex items-center gap-1.5 text-sm font-medium">
            <UsersRound size={16} aria-hidden className="shrink-0" />
            {t('composer.repliedMeanwhile', { name: nameOf(reply) })}
          </p>
          <p dir="auto" className="line-clamp-3 text-ink">
            {reply.text ?? tDynamic('messageType', reply.type)}
          </p>
        </div>
      ))}
      <Button onClick={onUnderstood}>{t('composer.understood')}</Button>
    </div>
  );
}
