import { Link, type LinkProps, Outlet, useMatch, useNavigate } from '@tanstack/react-router';
import { CalendarDays, Handshake, Inbox, ListTodo, Search, Settings, Users } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useCommands, useShortcuts } from '@/commands/commands';
import { KEYS } from '@/commands/shortcuts';
import { t } from '@/i18n';
import { useInboxCounts } from '@/inbox/counts';
import { useRunOutbox } from '@/inbox/services';
import { ConnectionBanner } from '@/live/ConnectionBanner';
import { useLive } from '@/live/useLive';
import { useSession } from '@/session/session';
import { AccountMenu } from '@/settings/AccountMenu';
import { IconButton } from '@/ui/Button';
import { lazyDialog } from '@/ui/Lazy';
import { Toasts } from '@/ui/toast';
import { useWindowTitle } from '@/ui/usePageTitle';
import { HANDLERS } from './handlers';

const CommandPalette = lazyDialog(() => import('./CommandPalette').then((module) => module.CommandPalette));
const ICON = { size: 20, 'aria-hidden': true } as const;

interface NavEntry {
  to: LinkProps['to'];
  label: string;
  icon: ReactNode;
  badge?: number | undefined;
}

function NavLink({ to, label, icon, badge }: NavEntry) {
  return (
    <Link
      to={to}
      activeProps={{ className: 'bg-active text-ink', 'aria-current': 'page' }}
      inactiveProps={{ className: 'text-ink-soft hover:bg-sunken' }}
      className="relative flex min-h-12 min-w-0 flex-auto flex-col items-center justify-center gap-0.5 rounded-lg py-1.5 text-[0.6875rem] font-medium md:w-full md:flex-none"
    >
      {icon}
      <span className="max-w-full truncate">{label}</span>
      {badge ? (
        <span className="absolute start-1/2 top-0.5 ms-1 rounded-full bg-accent px-1.5 text-[0.6875rem] leading-4 font-semibold text-on-accent">
          {badge > 99 ? '99+' : badge}
          <span className="sr-only"> {t('nav.unread')}</span>
        </span>
      ) : null}
    </Link>
  );
}

export function Shell() {
  const [paletteOpen, setPaletteOpen] = useState(false);
  const navigate = useNavigate();
  useLive(HANDLERS);
  useRunOutbox();
  useShortcuts();
  const counts = useInboxCounts();
  useWindowTitle(counts?.unread ?? 0, useSession().account.name);
  // On a phone the conversation needs the room; its back button leads to the list and the navigation.
  const inConversation = Boolean(useMatch({ from: '/shell/inbox/$conversationId', shouldThrow: false }));
  const entries: NavEntry[] = [
    { to: '/inbox', label: t('nav.inbox'), icon: <Inbox {...ICON} />, badge: counts?.unread },
    { to: '/contacts', label: t('nav.contacts'), icon: <Users {...ICON} /> },
    { to: '/deals', label: t('nav.deals'), icon: <Handshake {...ICON} /> },
    { to: '/inquiries', label: t('nav.inquiries'), icon: <ListTodo {...ICON} /> },
    { to: '/bookings', label: t('nav.bookings'), icon: <CalendarDays {...ICON} /> },
    { to: '/settings', label: t('nav.settings'), icon: <Settings {...ICON} /> },
  ];
  const go = (id: string, to: LinkProps['to'], label: string, shortcut: string) => ({
    id,
    group: t('palette.go'),
    label,
    shortcut,
    run: () => void navigate({ to: to ?? '/inbox' }),
  });
  useCommands([
    {
      id: 'palette',
      group: t('palette.general'),
      label: t('palette.title'),
      shortcut: KEYS.palette,
      run: () => setPaletteOpen(true),
    },
    go('go.inbox', '/inbox', t('nav.inbox'), KEYS.goInbox),
    go('go.contacts', '/contacts', t('nav.contacts'), KEYS.goContacts),
    go('go.deals', '/deals', t('nav.deals'), KEYS.goDeals),
    go('go.inquiries', '/inquiries', t('nav.inquiries'), KEYS.goInquiries),
    go('go.bookings', '/bookings', t('nav.bookings'), KEYS.goBookings),
    go('go.settings', '/settings', t('nav.settings'), KEYS.goSettings),
    go('go.shortcuts', '/shortcuts', t('shortcuts.title'), KEYS.help),
  ]);
  return (
    <div className="flex h-dvh flex-col-reverse md:flex-row">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:absolute focus:start-2 focus:top-2 focus:z-60 focus:rounded-lg focus:bg-accent focus:px-3 focus:py-2 focus:text-on-accent"
      >
        {t('nav.skip')}
      </a>
      <nav
        aria-label={t('nav.label')}
        className={`${inConversation ? 'hidden md:flex' : 'flex'} shrink-0 items-center gap-1 border-t border-line bg-surface p-1 md:w-24 md:flex-col md:border-e md:border-t-0 md:p-2`}
      >
        <img src="/app/icon.svg" alt="" width={36} height={36} className="mt-1 mb-2 max-md:hidden" />
        <IconButton
          label={t('palette.title')}
          icon={<Search {...ICON} />}
          onClick={() => setPaletteOpen(true)}
          className="max-md:hidden"
        />
        {entries.map((entry) => (
          <NavLink key={entry.label} {...entry} />
        ))}
        <div className="mt-auto hidden md:block">
          <AccountMenu />
        </div>
      </nav>
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <ConnectionBanner />
        <main id="main" tabIndex={-1} className="min-h-0 flex-1 outline-none">
          <Outlet />
        </main>
        <Toasts />
      </div>
      <CommandPalette open={paletteOpen} onClose={() => setPaletteOpen(false)} />
    </div>
  );
}
