import { useQueryClient } from '@tanstack/react-query';
import { Reply, X } from 'lucide-react';
import { t, tDynamic } from '@/i18n';
import { IconButton } from '@/ui/Button';
import { threadQuery } from '../queries';

interface QuoteStripProps {
  conversationId: string;
  messageId: string;
  onRemove: () => void;
}

/** The message that the reply will quote. */
export function QuoteStrip({ conversationId, messageId, onRemove }: QuoteStripProps) {
  const data = useQueryClient().getQueryData(threadQuery(conversationId).queryKey);
  const message = data?.pages.flatMap((page) => page.data).find((candidate) => candidate.id === messageId);
  return (
    <div className="mb-2 flex items-center gap-2 border-s-2 border-accent ps-2">
      <Reply size={16} className="shrink-0 text-accent" aria-hidden />
      <p className="min-w-0 flex-1 truncate text-sm text-ink-soft">
        {t('composer.quoting')}{' '}
        {message ? (message.text ?? tDynamic('messageType', message.type)) : t('thread.quoteOlder')}
      </p>
      <IconButton label={t('composer.removeQuote')} icon={<X size={16} aria-hidden />} onClick={onRemove} />
    </div>
  );
}
