import { Link, useNavigate, useRouterState } from '@tanstack/react-router';
import { Ellipsis, Search } from 'lucide-react';
import type { ReactNode } from 'react';
import { useGuide } from '@/firstSteps/kept';
import { t } from '@/i18n';
import { useCan } from '@/session/session';
import { AccountMenu } from '@/settings/AccountMenu';
import { IconButton } from '@/ui/Button';
import { Menu, MenuItem } from '@/ui/Menu';
import { PLACE_GROUPS, PLACES, type Place, type PlaceGroup } from './places';

/** How many things wait on a page, by its address. */
export type Badges = Partial<Record<Place['to'], number | undefined>>;

/** The places that the member's role allows. */
export function usePlaces(): Place[] {
  const can = useCan();
  return PLACES.filter(({ scope }) => scope === undefined || can(scope));
}

const ENTRY =
  'relative flex min-h-12 min-w-0 flex-1 flex-col items-center justify-center gap-0.5 rounded-lg py-1 text-xs font-medium tracking-tight md:min-h-9 md:w-full md:flex-none md:gap-0 md:py-0 md:leading-3.5 wide:min-h-8 wide:flex-row wide:justify-start wide:gap-2.5 wide:px-2.5 wide:text-sm wide:tracking-normal';
const CURRENT = 'bg-active text-ink';
const OTHER = 'text-ink-soft hover:bg-sunken';

/** A rail beside the page, with words and groups where there is room; on a phone a bar below it, with the rest under "More". */
export function Navigation({
  badges,
  isHiddenOnPhone,
  onSearch,
}: {
  badges: Badges;
  isHiddenOnPhone: boolean;
  onSearch: () => void;
}) {
  const guide = useGuide();
  const places = usePlaces().filter(({ to }) => to !== '/first-steps' || (guide.seen && !guide.away));
  const groups = (Object.keys(PLACE_GROUPS) as PlaceGroup[]).map(
    (group) => [group, places.filter((place) => place.group === group)] as const,
  );
  return (
    <nav
      aria-label={t('nav.label')}
      className={`${isHiddenOnPhone ? 'hidden md:flex' : 'flex'} shrink-0 items-center gap-1 border-t border-line bg-surface p-1 md:w-22 md:flex-col md:border-e md:border-t-0 md:p-2 wide:w-48 wide:items-stretch`}
    >
      <div className="flex flex-col items-center gap-1 max-md:hidden wide:mb-1 wide:flex-row wide:justify-between wide:ps-1.5">
        <img src="/app/icon.svg" alt="" width={32} height={32} />
        <IconButton
          label={t('palette.title')}
          icon={<Search className="size-5 wide:size-4.5" aria-hidden />}
          onClick={onSearch}
        />
      </div>
      <div className="flex min-w-0 flex-1 gap-1 md:min-h-0 md:w-full md:flex-col md:gap-0.5 md:overflow-y-auto md:p-0.5">
        {groups.map(
          ([group, members]) =>
            members.length > 0 && (
              <Group key={group} title={t(PLACE_GROUPS[group])}>
                {members.map((place) => (
                  <Entry key={place.to} place={place} badge={badges[place.to]} />
                ))}
              </Group>
            ),
        )}
        <More places={places.filter((place) => !place.isOnPhoneBar)} badges={badges} onSearch={onSearch} />
      </div>
      <div className="max-md:hidden">
        <AccountMenu />
      </div>
    </nav>
  );
}

/** A line between groups on a narrow rail, a heading on a wide one, nothing on a phone. */
function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="contents md:flex md:flex-col md:gap-0.5 md:not-first:mt-1 md:not-first:border-t md:not-first:border-line md:not-first:pt-1 wide:not-first:mt-3 wide:not-first:border-t-0 wide:not-first:pt-0">
      <p className="px-2.5 pb-0.5 text-xs font-semibold text-ink-soft max-wide:hidden">{title}</p>
      {children}
    </div>
  );
}

function Entry({ place, badge }: { place: Place; badge: number | undefined }) {
  const Icon = place.icon;
  return (
    <Link
      to={place.to}
      activeProps={{ className: CURRENT, 'aria-current': 'page' }}
      inactiveProps={{ className: OTHER }}
      className={`${ENTRY} ${place.isOnPhoneBar ? '' : 'max-md:hidden'}`}
    >
      <Icon className="size-5 shrink-0 md:size-4" aria-hidden />
      <span className="max-w-full truncate">{t(place.label)}</span>
      <Badge count={badge} label={t(place.badgeLabel ?? 'nav.waiting')} />
    </Link>
  );
}

function Badge({ count, label }: { count: number | undefined; label: string }) {
  if (!count) return null;
  return (
    <span className="absolute start-1/2 top-0.5 ms-1 rounded-full bg-badge px-1.5 text-xs leading-4 font-semibold text-badge-ink wide:static wide:ms-auto">
      {count > 99 ? '99+' : count}
      <span className="sr-only"> {label}</span>
    </span>
  );
}

/** What has no room on a phone's bar. */
function More({ places, badges, onSearch }: { places: Place[]; badges: Badges; onSearch: () => void }) {
  const navigate = useNavigate();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const isCurrent = places.some(({ to }) => path === to || path.startsWith(`${to}/`));
  const waiting = places.reduce((sum, { to }) => sum + (badges[to] ?? 0), 0);
  return (
    <div className="flex min-w-0 flex-1 md:hidden">
      <Menu
        trigger={
          <button
            type="button"
            aria-current={isCurrent ? 'true' : undefined}
            className={`${ENTRY} ${isCurrent ? CURRENT : OTHER}`}
          >
            <Ellipsis className="size-5 shrink-0" aria-hidden />
            <span className="max-w-full truncate">{t('nav.more')}</span>
            <Badge count={waiting} label={t('nav.waiting')} />
          </button>
        }
      >
        {places.map(({ to, label, icon: Icon }) => (
          <MenuItem key={to} icon={<Icon size={18} aria-hidden />} onSelect={() => void navigate({ to })}>
            <span className="flex-1">{t(label)}</span>
            {badges[to] ? (
              <span className="rounded-full bg-badge px-1.5 text-xs leading-4 font-semibold text-badge-ink">
                {badges[to]}
              </span>
            ) : null}
          </MenuItem>
        ))}
        <MenuItem icon={<Search size={18} aria-hidden />} onSelect={onSearch}>
          {t('palette.title')}
        </MenuItem>
      </Menu>
    </div>
  );
}
