import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Paperclip } from 'lucide-react';
import type { KeyboardEvent, RefObject } from 'react';
import type { CannedReply } from '@/api/schema';
import { t } from '@/i18n';
import { cannedQuery } from '../queries';
import { findCanned } from './canned';
import { Suggestions } from './Suggestions';

const SHOWN_MAX = 8;

interface CannedListProps {
  query: string;
  keys: RefObject<((event: KeyboardEvent) => boolean) | null>;
  onChoose: (reply: CannedReply) => void;
  onClose: () => void;
}

export function CannedList({ query, keys, onChoose, onClose }: CannedListProps) {
  const replies = useQuery(cannedQuery).data ?? [];
  const found = findCanned(replies, query).slice(0, SHOWN_MAX);
  if (found.length === 0) {
    return (
      <p className="mb-2 rounded-lg border border-line p-2 text-sm text-ink-soft">
        {replies.length === 0 ? t('canned.none') : t('canned.noMatch')}{' '}
        <Link to="/settings/canned-replies" className="text-accent underline">
          {t('canned.manage')}
        </Link>
      </p>
    );
  }
  return (
    <Suggestions
      key={query}
      label={t('composer.canned')}
      items={found}
      itemKey={(reply) => reply.id}
      keys={keys}
      onChoose={onChoose}
      onClose={onClose}
      render={(reply) => (
        <>
          <span className="shrink-0 font-medium">/{reply.shortcut}</span>
          <span className="truncate text-ink-soft">{reply.body}</span>
          {reply.media.length > 0 && (
            <span className="ms-auto flex shrink-0 items-center gap-1 text-xs text-ink-soft">
              <Paperclip size={14} aria-hidden />
              {t('canned.fileCount', { count: reply.media.length })}
            </span>
          )}
        </>
      )}
    />
  );
}
