import { Outlet, useMatch, useNavigate } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { useOpenAskCount } from '@/approvals/queries';
import { useCommands, useShortcuts } from '@/commands/commands';
import { KEYS } from '@/commands/shortcuts';
import { useDevice } from '@/device/useDevice';
import { t } from '@/i18n';
import { useInboxCounts } from '@/inbox/counts';
import { useRunOutbox } from '@/inbox/services';
import { ConnectionBanner } from '@/live/ConnectionBanner';
import { useLive } from '@/live/useLive';
import { useSession } from '@/session/session';
import { lazyDialog } from '@/ui/Lazy';
import { Toasts } from '@/ui/toast';
import { useWindowTitle } from '@/ui/usePageTitle';
import { HANDLERS } from './handlers';
import { Navigation, usePlaces } from './Navigation';
import type { Place } from './places';

const CommandPalette = lazyDialog(() => import('./CommandPalette').then((module) => module.CommandPalette));

export function Shell() {
  const [paletteOpen, setPaletteOpen] = useState(false);
  const navigate = useNavigate();
  useLive(HANDLERS);
  useRunOutbox();
  useShortcuts();
  const counts = useInboxCounts();
  const waiting = useOpenAskCount();
  const { account, user } = useSession();
  useWindowTitle(counts?.unread ?? 0, account.name);
  const open = useCallback((path: string) => void navigate({ to: path }), [navigate]);
  useDevice(user.id, counts?.unread ?? 0, open);
  // On a phone the conversation needs the room; its back button leads to the list and the navigation.
  const inConversation = Boolean(useMatch({ from: '/shell/inbox/$conversationId', shouldThrow: false }));
  const go = (id: string, to: Place['to'], label: string, shortcut: string) => ({
    id,
    group: t('palette.go'),
    label,
    shortcut,
    run: () => void navigate({ to }),
  });
  useCommands([
    {
      id: 'palette',
      group: t('palette.general'),
      label: t('palette.title'),
      shortcut: KEYS.palette,
      run: () => setPaletteOpen(true),
    },
    ...usePlaces().map(({ to, label, shortcut }) =>
      go(`go${to.replaceAll('/', '.')}`, to, t(label), shortcut),
    ),
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
      <Navigation
        badges={{ '/inbox': counts?.unread, '/approvals': waiting }}
        isHiddenOnPhone={inConversation}
        onSearch={() => setPaletteOpen(true)}
      />
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
