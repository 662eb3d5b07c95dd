import { CheckCheck, UserPlus } from 'lucide-react';
import type { InboxFilter } from '@/api/app';
import { call } from '@/api/client';
import type { ConversationBulk } from '@/api/schema';
import { t } from '@/i18n';
import { useActiveMembers } from '@/session/members';
import { useSession } from '@/session/session';
import { BulkBar, type BulkSelection } from '@/ui/BulkBar';
import { IconButton } from '@/ui/Button';
import { Menu, MenuItem, MenuSeparator } from '@/ui/Menu';
import { allMatching } from './subjects';

type Subject = Pick<ConversationBulk, 'ids' | 'filter'>;
type Change = Pick<ConversationBulk, 'status' | 'assigned_user_id'>;

const ICON = { size: 18, 'aria-hidden': true } as const;

export function ConversationBulkBar({ filter, ...selection }: BulkSelection & { filter: InboxFilter }) {
  const members = useActiveMembers();
  const me = useSession().user.id;
  return (
    <BulkBar<Subject, Change>
      {...selection}
      list="inbox"
      allMatching={() => allMatching(filter, me)}
      start={async (subject, change) =>
        (await call('POST /conversations/bulk', { body: { ...subject, ...change } })).data
      }
      read={async (id) => (await call('GET /conversations/bulk/{id}', { path: { id } })).data}
    >
      {(run, busy) => (
        <>
          <Menu
            trigger={<IconButton label={t('inbox.assign')} icon={<UserPlus {...ICON} />} disabled={busy} />}
          >
            <MenuItem onSelect={() => run({ assigned_user_id: null })}>{t('member.nobody')}</MenuItem>
            <MenuSeparator />
            {members.map((member) => (
              <MenuItem key={member.id} onSelect={() => run({ assigned_user_id: member.id })}>
                {member.name}
              </MenuItem>
            ))}
          </Menu>
          <Menu
            trigger={<IconButton label={t('inbox.status')} icon={<CheckCheck {...ICON} />} disabled={busy} />}
          >
            <MenuItem onSelect={() => run({ status: 'closed' })}>{t('inbox.close')}</MenuItem>
            <MenuItem onSelect={() => run({ status: 'open' })}>{t('inbox.reopen')}</MenuItem>
            <MenuItem onSelect={() => run({ status: 'pending' })}>{t('inbox.setPending')}</MenuItem>
          </Menu>
        </>
      )}
    </BulkBar>
  );
}
