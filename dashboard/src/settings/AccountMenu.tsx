import { useNavigate } from '@tanstack/react-router';
import { Building2, Keyboard, LogOut, UserRound } from 'lucide-react';
import { useState } from 'react';
import { call } from '@/api/client';
import { t } from '@/i18n';
import { useUnsentCount } from '@/inbox/services';
import { useEnterSession, useSession } from '@/session/session';
import { leave, tellTabs } from '@/session/tabs';
import { Avatar } from '@/ui/Avatar';
import { lazyDialog } from '@/ui/Lazy';
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '@/ui/Menu';
import { notifyFailure } from '@/ui/toast';

const ConfirmDialog = lazyDialog(() => import('@/ui/Dialog').then((module) => module.ConfirmDialog));
const ICON = { size: 16, 'aria-hidden': true } as const;

/** A push service that does not respond must not keep a member from leaving. */
const FORGET_MS_MAX = 2_000;

/** The member's own menu: other accounts, profile, sign-out. */
export function AccountMenu() {
  const session = useSession();
  const enterSession = useEnterSession();
  const navigate = useNavigate();
  const unsent = useUnsentCount();
  const [asking, setAsking] = useState(false);
  const switchTo = async (accountId: string) => {
    try {
      enterSession((await call('POST /app/api/session/account', { body: { account_id: accountId } })).data);
      // A page of the account before would ask for ids that this account does not have.
      leave('/app/inbox');
    } catch (error) {
      notifyFailure(t('account.switchFailed'), error);
    }
  };
  const signOut = async () => {
    try {
      await call('DELETE /app/api/session');
      // What was shown on this device may name customers.
      const patience = new Promise((done) => setTimeout(done, FORGET_MS_MAX));
      const turnedOff = import('@/device/push').then(({ turnOff }) => turnOff()).catch(() => undefined);
      await Promise.race([turnedOff, patience]);
      tellTabs();
      leave('/app/sign-in');
    } catch (error) {
      notifyFailure(t('account.signOutFailed'), error);
    }
  };
  const others = session.accounts.filter((account) => account.id !== session.account.id);
  return (
    <>
      <Menu
        align="start"
        trigger={
          <button type="button" className="rounded-full p-1">
            <Avatar name={session.user.name} />
            <span className="sr-only">
              {t('account.menu', { name: session.user.name, account: session.account.name })}
            </span>
          </button>
        }
      >
        <MenuLabel>{session.account.name}</MenuLabel>
        <MenuItem icon={<UserRound {...ICON} />} onSelect={() => void navigate({ to: '/settings' })}>
          {t('settings.profile')}
        </MenuItem>
        <MenuItem icon={<Keyboard {...ICON} />} onSelect={() => void navigate({ to: '/shortcuts' })}>
          {t('shortcuts.title')}
        </MenuItem>
        {others.length > 0 && <MenuLabel>{t('account.switch')}</MenuLabel>}
        {others.map((account) => (
          <MenuItem
            key={account.id}
            icon={<Building2 {...ICON} />}
            onSelect={() => void switchTo(account.id)}
          >
            {account.name}
          </MenuItem>
        ))}
        <MenuSeparator />
        <MenuItem
          icon={<LogOut {...ICON} />}
          onSelect={() => (unsent > 0 ? setAsking(true) : void signOut())}
        >
          {t('account.signOut')}
        </MenuItem>
      </Menu>
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        title={t('account.signOutUnsent')}
        description={t('account.unsent', { count: unsent })}
        action={t('account.signOut')}
        onConfirm={signOut}
      />
    </>
  );
}
