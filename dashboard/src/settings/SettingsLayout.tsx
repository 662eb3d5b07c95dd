import { Link, type LinkProps, Outlet } from '@tanstack/react-router';
import { t } from '@/i18n';
import { useIsAdmin } from '@/session/session';
import { AccountMenu } from '@/shell/AccountMenu';

interface Entry {
  to: LinkProps['to'];
  label: string;
  admin?: boolean;
}

export function SettingsLayout() {
  const admin = useIsAdmin();
  const entries: Entry[] = [
    { to: '/settings', label: t('settings.profile') },
    { to: '/settings/preferences', label: t('settings.preferences') },
    { to: '/settings/canned-replies', label: t('settings.canned') },
    { to: '/settings/tags', label: t('settings.tags') },
    { to: '/settings/fields', label: t('settings.fields') },
    { to: '/settings/pipelines', label: t('settings.pipelines') },
    { to: '/settings/members', label: t('settings.members'), admin: true },
    { to: '/settings/channels', label: t('settings.channels'), admin: true },
    { to: '/settings/keys', label: t('settings.keys'), admin: true },
    { to: '/settings/audit-log', label: t('settings.audit'), admin: true },
  ];
  return (
    <div className="flex h-full min-h-0 flex-col md:flex-row">
      <nav
        aria-label={t('nav.settings')}
        className="flex shrink-0 gap-1 overflow-x-auto border-b border-line bg-surface p-2 md:w-56 md:flex-col md:border-e md:border-b-0"
      >
        <div className="md:hidden">
          <AccountMenu />
        </div>
        {entries
          .filter((entry) => admin || !entry.admin)
          .map((entry) => (
            <Link
              key={entry.label}
              to={entry.to}
              activeOptions={{ exact: true }}
              activeProps={{ className: 'bg-accent-soft text-accent-strong', 'aria-current': 'page' }}
              inactiveProps={{ className: 'hover:bg-sunken' }}
              className="rounded-lg px-3 py-2 font-medium whitespace-nowrap"
            >
              {entry.label}
            </Link>
          ))}
      </nav>
      <div className="min-h-0 min-w-0 flex-1">
        <Outlet />
      </div>
    </div>
  );
}
