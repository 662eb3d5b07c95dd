import { Link } from '@tanstack/react-router';
import { t } from '@/i18n';

const TAB =
  '-mb-px inline-flex min-h-10 items-center border-b-2 px-3 text-sm font-medium whitespace-nowrap hover:text-ink';

/** Broadcasts and their templates are two pages of one place. */
export function BroadcastTabs() {
  return (
    <nav aria-label={t('broadcasts.tabs')} className="flex gap-1 border-b border-line bg-surface px-2">
      {(
        [
          ['/broadcasts', 'nav.broadcasts'],
          ['/templates', 'templates.title'],
        ] as const
      ).map(([to, label]) => (
        <Link
          key={to}
          to={to}
          className={TAB}
          activeProps={{ className: 'border-accent text-ink', 'aria-current': 'page' }}
          inactiveProps={{ className: 'border-transparent text-ink-soft' }}
        >
          {t(label)}
        </Link>
      ))}
    </nav>
  );
}
