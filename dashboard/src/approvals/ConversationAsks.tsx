import { useQuery } from '@tanstack/react-query';
import { t } from '@/i18n';
import { AskCard } from './AskCard';
import { isOpen } from './asks';
import { conversationAsksQuery } from './queries';

/** What assistants wait for in a conversation, above the composer. The keys are for the first that waits. */
export function ConversationAsks({ conversationId }: { conversationId: string }) {
  const asks = useQuery(conversationAsksQuery(conversationId)).data ?? [];
  if (asks.length === 0) return null;
  const first = asks.find(isOpen);
  return (
    <section
      aria-label={t('asks.inConversation')}
      className="flex max-h-[45dvh] shrink-0 flex-col gap-2 overflow-y-auto border-t border-line bg-canvas p-2"
    >
      {asks.map((ask) => (
        <AskCard key={ask.id} ask={ask} takesKeys={ask.id === first?.id} withContext={false} />
      ))}
    </section>
  );
}
