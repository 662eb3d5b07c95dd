import { Link } from '@tanstack/react-router';
import { Bot, Reply } from 'lucide-react';
import { memo } from 'react';
import type { ThreadMessage } from '@/api/app';
import { t, tDynamic } from '@/i18n';
import { clockTime, fullTime } from '@/i18n/time';
import { useAssistantName } from '@/session/assistants';
import { useMemberName } from '@/session/members';
import { useCan } from '@/session/session';
import { IconButton } from '@/ui/Button';
import { Badge } from '@/ui/Tag';
import { FailureReason } from './FailureReason';
import { Media } from './Media';
import { StatusMark } from './StatusMark';
import { Words } from './Words';

interface BubbleProps {
  message: ThreadMessage;
  /** The quoted message; null when it is not loaded. */
  quoted: ThreadMessage | null | undefined;
  onQuote: (messageId: string) => void;
  onGoTo: (messageId: string) => void;
}

function authorName(
  message: ThreadMessage,
  memberName: (id: string) => string,
  assistantName: (id: string) => string,
): string {
  if (message.direction === 'inbound') return t('thread.customer');
  if (message.author_user_id) return memberName(message.author_user_id);
  if (message.assistant_id) return assistantName(message.assistant_id);
  // API keys, and assistants before their names were kept.
  return message.sender_type === 'bot' ? t('thread.automatic') : t('thread.us');
}

export const MessageBubble = memo(function MessageBubble({ message, quoted, onQuote, onGoTo }: BubbleProps) {
  const outbound = message.direction === 'outbound';
  const memberName = useMemberName();
  const assistantName = useAssistantName();
  const can = useCan();
  const author = authorName(message, memberName, assistantName);
  const byAssistant = message.assistant_id !== null;
  return (
    <article
      id={`message-${message.id}`}
      tabIndex={-1}
      aria-label={t('thread.messageBy', { author, time: fullTime(message.created_at) })}
      className={`lazy-render group flex items-end gap-1 ${outbound ? 'flex-row-reverse' : ''}`}
    >
      <div
        className={`max-w-[85%] min-w-0 rounded-2xl px-3 py-2 sm:max-w-[75%] ${byAssistant ? 'border border-dashed border-accent bg-surface' : outbound ? 'bg-bubble' : 'border border-line bg-surface'} ${message.status === 'failed' ? 'border border-danger' : ''}`}
      >
        {outbound && (
          <p className="flex items-center gap-1 text-xs font-medium text-ink-soft">
            {message.sender_type === 'bot' && <Bot size={12} aria-hidden />}
            {author}
            {byAssistant && <span className="font-normal">· {t('thread.assistant')}</span>}
            {message.run_id && can('runs:read') && (
              <Link
                to="/runs/$runId"
                params={{ runId: message.run_id }}
                className="ms-auto ps-2 font-normal text-accent underline"
              >
                {t('thread.showRun')}
              </Link>
            )}
          </p>
        )}
        {quoted !== undefined && <Quote quoted={quoted} onGoTo={onGoTo} />}
        {message.template_name && <Badge>{t('thread.template', { name: message.template_name })}</Badge>}
        <Media message={message} />
        {message.text && <Words text={message.text} />}
        {!message.text && !message.media_url && !message.template_name && (
          <p className="text-ink-soft italic">{tDynamic('messageType', message.type)}</p>
        )}
        <footer className="mt-0.5 flex items-center justify-end gap-1.5 text-xs text-ink-soft">
          <time dateTime={message.created_at} title={fullTime(message.created_at)}>
            {clockTime(message.created_at)}
          </time>
          {outbound && <StatusMark messageId={message.id} status={message.status} />}
        </footer>
        {message.status === 'failed' && <FailureReason error={message.error} />}
        {message.reactions.length > 0 && (
          <ul className="mt-1 flex gap-1" aria-label={t('thread.reactions')}>
            {message.reactions.map((reaction) => (
              <li
                key={`${reaction.from}-${reaction.emoji}`}
                className="rounded-full border border-line bg-surface px-1.5 text-sm"
              >
                {reaction.emoji}
                <span className="sr-only">
                  {reaction.from === 'customer' ? t('thread.customer') : t('thread.us')}
                </span>
              </li>
            ))}
          </ul>
        )}
      </div>
      <IconButton
        label={t('thread.quote')}
        icon={<Reply size={16} aria-hidden />}
        onClick={() => onQuote(message.id)}
        className="opacity-0 group-hover:opacity-100 focus-visible:opacity-100 pointer-coarse:opacity-100"
      />
    </article>
  );
});

function Quote({ quoted, onGoTo }: { quoted: ThreadMessage | null; onGoTo: (id: string) => void }) {
  if (!quoted)
    return (
      <p className="mb-1 border-s-2 border-line-strong ps-2 text-sm text-ink-soft">
        {t('thread.quoteOlder')}
      </p>
    );
  return (
    <button
      type="button"
      onClick={() => onGoTo(quoted.id)}
      className="mb-1 block max-w-full truncate border-s-2 border-accent ps-2 text-start text-sm text-ink-soft hover:underline"
    >
      <span className="sr-only">{t('thread.inReplyTo')} </span>
      {quoted.text ?? tDynamic('messageType', quoted.type)}
    </button>
  );
}
