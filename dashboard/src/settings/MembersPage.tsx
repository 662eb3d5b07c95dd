import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Ellipsis, Plus } from 'lucide-react';
import { useState } from 'react';
import type { Invitation, TeamMember } from '@/api/app';
import { call } from '@/api/client';
import { t, tDynamic } from '@/i18n';
import { mediumTime } from '@/i18n/time';
import { membersQuery } from '@/session/queries';
import { useSession } from '@/session/session';
import { Avatar } from '@/ui/Avatar';
import { Button, IconButton } from '@/ui/Button';
import { CopyField } from '@/ui/Copy';
import { ConfirmDialog, Dialog } from '@/ui/Dialog';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { TextField } from '@/ui/Field';
import { Menu, MenuItem, MenuSeparator } from '@/ui/Menu';
import { Page } from '@/ui/Page';
import { SelectField } from '@/ui/SelectField';
import { Loading } from '@/ui/Spinner';
import { SubmitForm, textOf } from '@/ui/SubmitForm';
import { Badge } from '@/ui/Tag';
import { Time } from '@/ui/Time';
import { notify, notifyFailure } from '@/ui/toast';
import { AdminOnly } from './AdminOnly';
import { teamQuery } from './queries';

export function MembersPage() {
  return (
    <AdminOnly>
      <Members />
    </AdminOnly>
  );
}

function Members() {
  const client = useQueryClient();
  const query = useQuery(teamQuery);
  const [inviting, setInviting] = useState(false);
  const [invitation, setInvitation] = useState<{ name: string; link: Invitation } | null>(null);
  const [removing, setRemoving] = useState<TeamMember | null>(null);
  const refresh = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: teamQuery.queryKey }),
      client.invalidateQueries({ queryKey: membersQuery.queryKey }),
    ]);
  return (
    <Page
      title={t('settings.members')}
      actions={
        <Button kind="primary" icon={<Plus size={16} aria-hidden />} onClick={() => setInviting(true)}>
          {t('members.invite')}
        </Button>
      }
    >
      <div className="settings-column">
        {query.isPending && <Loading />}
        {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
        <ul className="divide-y divide-line rounded-xl border border-line bg-surface empty:hidden">
          {query.data
            ?.filter((member) => member.status !== 'removed')
            .map((member) => (
              <MemberRow
                key={member.id}
                member={member}
                onChanged={() => void refresh()}
                onLink={(link) => setInvitation({ name: member.name, link })}
                onRemove={() => setRemoving(member)}
              />
            ))}
        </ul>
      </div>
      <Dialog
        open={inviting}
        onClose={() => setInviting(false)}
        title={t('members.invite')}
        description={t('members.inviteHelp')}
      >
        <SubmitForm
          action={t('members.invite')}
          onCancel={() => setInviting(false)}
          onSubmit={async (form) => {
            const body = {
              name: textOf(form, 'name'),
              email: textOf(form, 'email'),
              role: textOf(form, 'role') as 'admin' | 'agent',
            };
            const { data } = await call('POST /app/api/admin/members', { body });
            setInviting(false);
            setInvitation({ name: data.member.name, link: data.invitation });
            await refresh();
          }}
        >
          {(errorAt) => (
            <>
              <TextField
                label={t('profile.name')}
                name="name"
                required
                maxLength={200}
                error={errorAt('name')}
                autoFocus
              />
              <TextField
                label={t('signIn.email')}
                name="email"
                type="email"
                required
                error={errorAt('email')}
              />
              <SelectField
                label={t('members.role')}
                name="role"
                hint={t('members.roleHint')}
                error={errorAt('role')}
              >
                <option value="agent">{tDynamic('role', 'agent')}</option>
                <option value="admin">{tDynamic('role', 'admin')}</option>
              </SelectField>
            </>
          )}
        </SubmitForm>
      </Dialog>
      <Dialog
        open={invitation !== null}
        onClose={() => setInvitation(null)}
        title={invitation?.link.mailed ? t('members.mailedTitle') : t('members.link')}
        description={
          invitation?.link.mailed
            ? t('members.mailed', { name: invitation.name })
            : t('members.linkHelp', { name: invitation?.name ?? '' })
        }
      >
        {invitation?.link.url && (
          <div className="flex flex-col gap-3">
            <CopyField label={t('members.link')} value={invitation.link.url} />
            {invitation.link.expires_at && (
              <p className="text-ink-soft">
                {t('members.linkExpires', { time: mediumTime(invitation.link.expires_at) })}
              </p>
            )}
          </div>
        )}
      </Dialog>
      <ConfirmDialog
        open={removing !== null}
        onClose={() => setRemoving(null)}
        title={t('members.remove')}
        description={t('members.removeHelp', { name: removing?.name ?? '' })}
        action={t('members.remove')}
        onConfirm={async () => {
          if (removing) await call('DELETE /app/api/admin/members/{id}', { path: { id: removing.id } });
          await refresh();
        }}
      />
    </Page>
  );
}

interface MemberRowProps {
  member: TeamMember;
  onChanged: () => void;
  onLink: (link: Invitation) => void;
  onRemove: () => void;
}

function MemberRow({ member, onChanged, onLink, onRemove }: MemberRowProps) {
  const me = useSession().user.id;
  const fixed = member.role === 'owner' || member.id === me;
  const setRole = async (role: 'admin' | 'agent') => {
    try {
      await call('PATCH /app/api/admin/members/{id}', { path: { id: member.id }, body: { role } });
      notify(t('ui.saved'));
      onChanged();
    } catch (error) {
      notifyFailure(t('members.changeFailed'), error);
    }
  };
  const link = async () => {
    try {
      onLink((await call('POST /app/api/admin/members/{id}/invitation', { path: { id: member.id } })).data);
    } catch (error) {
      notifyFailure(t('members.changeFailed'), error);
    }
  };
  return (
    <li className="flex items-center gap-3 px-3 py-2.5">
      <Avatar name={member.name} />
      <div className="min-w-0 flex-1">
        <p className="font-medium">{member.name}</p>
        <p className="flex flex-wrap gap-x-3 text-sm text-ink-soft">
          <span className="truncate" title={member.email ?? undefined}>
            {member.email}
          </span>
          {member.last_seen_at && (
            <span>
              {t('members.lastSeen')} <Time at={member.last_seen_at} style="relative" />
            </span>
          )}
        </p>
      </div>
      {member.second_factor && <Badge tone="accent">{t('secondFactor.short')}</Badge>}
      {member.status === 'invited' && <Badge tone="warning">{t('members.invited')}</Badge>}
      <Badge>{tDynamic('role', member.role)}</Badge>
      <Menu
        trigger={
          <IconButton
            label={t('members.actions', { name: member.name })}
            icon={<Ellipsis size={18} aria-hidden />}
          />
        }
      >
        <MenuItem onSelect={() => void link()}>
          {member.status === 'invited' ? t('members.newLink') : t('members.resetLink')}
        </MenuItem>
        {!fixed && (
          <>
            <MenuItem onSelect={() => void setRole(member.role === 'admin' ? 'agent' : 'admin')}>
              {member.role === 'admin' ? t('members.makeAgent') : t('members.makeAdmin')}
            </MenuItem>
            <MenuSeparator />
            <MenuItem danger onSelect={onRemove}>
              {t('members.remove')}
            </MenuItem>
          </>
        )}
      </Menu>
    </li>
  );
}
