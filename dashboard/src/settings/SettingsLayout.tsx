import { Link, type LinkProps, Outlet, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { t } from '@/i18n';
import { useIsAdmin } from '@/session/session';
import { AccountMenu } from './AccountMenu';

interface Group {
  title: string;
  entries: Array<{ to: LinkProps['to']; label: string }>;
  admin?: boolean;
}

export function SettingsLayout() {
  const admin = useIsAdmin();
  const groups: Group[] = [
    {
      title: t('settings.you'),
      entries: [
        { to: '/settings', label: t('settings.profile') },
        { to: '/settings/preferences', label: t('settings.preferences') },
      ],
    },
    {
      title: t('settings.work'),
      entries: [
        { to: '/settings/canned-replies', label: t('settings.canned') },
        { to: '/settings/tags', label: t('settings.tags') },
        { to: '/settings/fields', label: t('settings.fields') },
        { to: '/settings/pipelines', label: t('settings.pipelines') },
      ],
    },
    {
      title: t('settings.account'),
      entries: [
        { to: '/settings/account', label: t('settings.accountPage') },
        { to: '/settings/members', label: t('settings.members') },
        { to: '/settings/channels', label: t('settings.channels') },
        { to: '/settings/forms', label: t('settings.forms') },
        { to: '/settings/branding', label: t('settings.branding') },
        { to: '/settings/booking-sources', label: t('settings.bookingSources') },
        { to: '/settings/data', label: t('settings.data') },
        { to: '/settings/audit-log', label: t('settings.audit') },
      ],
      admin: true,
    },
  ];
  const nav = useRef<HTMLElement>(null);
  const path = useLocation({ select: (location) => location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: on a narrow screen the strip follows the page
  useEffect(() => {
    nav.current?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [path]);
  return (
    <div className="flex h-full min-h-0 flex-col md:flex-row">
      <nav
        ref={nav}
        aria-label={t('nav.settings')}
        className="flex shrink-0 gap-1 overflow-x-auto border-b border-line bg-surface p-2 md:w-56 md:flex-col md:border-e md:border-b-0"
      >
        <div className="md:hidden">
          <AccountMenu />
        </div>
        {groups
          .filter((group) => admin || !group.admin)
          .map((group) => (
            <div key={group.title} className="flex gap-1 md:mb-3 md:flex-col">
              <p className="px-3 pt-1 text-xs font-semibold text-ink-soft max-md:hidden">{group.title}</p>
              {group.entries.map((entry) => (
                <Link
                  key={entry.label}
                  to={entry.to}
                  activeOptions={{ exact: entry.to === '/settings' }}
                  activeProps={{ className: 'bg-active text-ink', 'aria-current': 'page' }}
                  inactiveProps={{ className: 'hover:bg-sunken' }}
                  className="rounded-lg px-3 py-2 font-medium whitespace-nowrap"
                >
                  {entry.label}
                </Link>
              ))}
            </div>
          ))}
      </nav>
      <div className="min-h-0 min-w-0 flex-1">
        <Outlet />
      </div>
    </div>
  );
}
