import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, type RefObject, useEffect, useState } from 'react';
import type { CannedReply } from '@/api/planned';
import { t } from '@/i18n';
import { cannedQuery } from '../queries';
import { findCanned } from './canned';

const SHOWN_MAX = 8;

interface CannedListProps {
  query: string;
  /** Receives the keys that the text field gets while the list is open. */
  keys: RefObject<((event: KeyboardEvent) => boolean) | null>;
  onChoose: (reply: CannedReply) => void;
  onClose: () => void;
}

/** Canned replies above the text field, chosen by arrows and Enter while the focus stays in the text. */
export function CannedList({ query, keys, onChoose, onClose }: CannedListProps) {
  const replies = useQuery(cannedQuery).data ?? [];
  const found = findCanned(replies, query).slice(0, SHOWN_MAX);
  const [active, setActive] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another query begins at the top
  useEffect(() => setActive(0), [query]);
  useEffect(() => {
    keys.current = (event) => {
      const chosen = found[active];
      if (event.key === 'ArrowDown') setActive((active + 1) % Math.max(1, found.length));
      else if (event.key === 'ArrowUp') setActive((active - 1 + found.length) % Math.max(1, found.length));
      else if (event.key === 'Escape') onClose();
      else if ((event.key === 'Enter' || event.key === 'Tab') && chosen) onChoose(chosen);
      else return false;
      return true;
    };
    return () => {
      keys.current = null;
    };
  });
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
    <ul role="listbox" aria-label={t('composer.canned')} className="popup mb-2 max-h-60 overflow-y-auto p-1">
      {found.map((reply, index) => (
        <li
          key={reply.id}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(reply)}
          className={`flex cursor-pointer gap-3 rounded-md px-2.5 py-1.5 ${index === active ? 'bg-sunken' : ''}`}
        >
          <span className="shrink-0 font-medium">/{reply.shortcut}</span>
          <span className="truncate text-ink-soft">{reply.body}</span>
        </li>
      ))}
    </ul>
  );
}
