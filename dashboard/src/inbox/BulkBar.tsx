import { useQueryClient } from '@tanstack/react-query';
import { CheckCheck, UserPlus, X } from 'lucide-react';
import { useState } from 'react';
import type { InboxFilter } from '@/api/app';
import { call } from '@/api/client';
import type { ConversationBulk } from '@/api/schema';
import { t } from '@/i18n';
import { useActiveMembers } from '@/session/members';
import { useSession } from '@/session/session';
import { Button, IconButton } from '@/ui/Button';
import { byIds, runBulk } from '@/ui/bulk';
import { Menu, MenuItem, MenuSeparator } from '@/ui/Menu';
import { notify, notifyFailure } from '@/ui/toast';
import { allMatching } from './subjects';

interface BulkBarProps {
  selected: ReadonlySet<string>;
  filter: InboxFilter;
  /** Every loaded row is selected: all that match may be meant. */
  allLoaded: boolean;
  onSelectAll: () => void;
  onDone: () => void;
}

const ICON = { size: 18, 'aria-hidden': true } as const;

export function BulkBar({ selected, filter, allLoaded, onSelectAll, onDone }: BulkBarProps) {
  const members = useActiveMembers();
  const client = useQueryClient();
  const me = useSession().user.id;
  const [matching, setMatching] = useState(false);
  const [progress, setProgress] = useState<{ done: number; total: number } | null>(null);

  const run = async (change: Pick<ConversationBulk, 'status' | 'assigned_user_id'>) => {
    setProgress({ done: 0, total: selected.size });
    try {
      const count = await runBulk<Pick<ConversationBulk, 'ids' | 'filter'>>(
        matching ? await allMatching(filter, me) : byIds([...selected]),
        async (subject) => (await call('POST /conversations/bulk', { body: { ...subject, ...change } })).data,
        async (id) => (await call('GET /conversations/bulk/{id}', { path: { id } })).data,
        setProgress,
      );
      notify(
        count.failed > 0
          ? t('bulk.doneWithFailures', { done: count.done, failed: count.failed })
          : t('bulk.done', { count: count.done }),
      );
      void client.invalidateQueries({ queryKey: ['inbox'] });
      onDone();
    } catch (error) {
      notifyFailure(t('bulk.failed'), error);
    } finally {
      setProgress(null);
    }
  };

  return (
    <div
      role="toolbar"
      aria-label={t('bulk.label')}
      className="flex flex-wrap items-center gap-1 border-b border-line bg-accent-soft px-3 py-1.5"
    >
      <IconButton label={t('bulk.clear')} icon={<X {...ICON} />} onClick={onDone} />
      <span aria-live="polite" className="flex-1 text-sm font-medium whitespace-nowrap">
        {progress
          ? t('bulk.progress', { done: progress.done, total: progress.total })
          : matching
            ? t('bulk.allMatching')
            : t('bulk.selected', { count: selected.size })}
      </span>
      {!allLoaded && (
        <Button kind="quiet" onClick={onSelectAll}>
          {t('bulk.selectLoaded')}
        </Button>
      )}
      {allLoaded && !matching && (
        <Button kind="quiet" onClick={() => setMatching(true)}>
          {t('bulk.selectMatching')}
        </Button>
      )}
      <Menu
        trigger={
          <IconButton label={t('inbox.assign')} icon={<UserPlus {...ICON} />} disabled={progress !== null} />
        }
      >
        <MenuItem onSelect={() => void run({ assigned_user_id: null })}>{t('member.nobody')}</MenuItem>
        <MenuSeparator />
        {members.map((member) => (
          <MenuItem key={member.id} onSelect={() => void run({ assigned_user_id: member.id })}>
            {member.name}
          </MenuItem>
        ))}
      </Menu>
      <Menu
        trigger={
          <IconButton
            label={t('inbox.status')}
            icon={<CheckCheck {...ICON} />}
            disabled={progress !== null}
          />
        }
      >
        <MenuItem onSelect={() => void run({ status: 'closed' })}>{t('inbox.close')}</MenuItem>
        <MenuItem onSelect={() => void run({ status: 'open' })}>{t('inbox.reopen')}</MenuItem>
        <MenuItem onSelect={() => void run({ status: 'pending' })}>{t('inbox.setPending')}</MenuItem>
      </Menu>
    </div>
  );
}
