import { Link, type LinkProps, Outlet } from '@tanstack/react-router';
import { ExternalLink } from 'lucide-react';
import { t } from '@/i18n';
import { AdminOnly } from '@/settings/AdminOnly';

const ENTRY = 'rounded-lg px-3 py-2 font-medium whitespace-nowrap';

/** What programs of the account use: webhooks, events and keys. */
export function DevelopersLayout() {
  const entries: Array<[to: NonNullable<LinkProps['to']>, label: string, exact: boolean]> = [
    ['/developers', t('developers.webhooks'), false],
    ['/developers/events', t('developers.events'), true],
    ['/developers/keys', t('settings.keys'), true],
  ];
  return (
    <AdminOnly>
      <div className="flex h-full min-h-0 flex-col md:flex-row">
        <nav
          aria-label={t('nav.developers')}
          className="flex shrink-0 gap-1 overflow-x-auto border-b border-line bg-surface p-2 md:w-56 md:flex-col md:border-e md:border-b-0"
        >
          {entries.map(([to, label, exact]) => (
            <Link
              key={label}
              to={to}
              // An endpoint's own page belongs to the webhooks, the pages of the other entries do not.
              activeOptions={{ exact: exact || to === '/developers' }}
              activeProps={{ className: 'bg-active text-ink', 'aria-current': 'page' }}
              inactiveProps={{ className: 'hover:bg-sunken' }}
              className={ENTRY}
            >
              {label}
            </Link>
          ))}
          <a href="/docs" className={`${ENTRY} flex items-center gap-2 text-ink-soft hover:bg-sunken`}>
            {t('developers.reference')} <ExternalLink size={14} aria-hidden />
          </a>
        </nav>
        <div className="min-h-0 min-w-0 flex-1">
          <Outlet />
        </div>
      </div>
    </AdminOnly>
  );
}
