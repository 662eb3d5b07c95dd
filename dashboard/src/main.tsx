import { CSPProvider } from '@base-ui/react/csp-provider';
import { DirectionProvider } from '@base-ui/react/direction-provider';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { isTemporary, onSessionEnded } from './api/client';
import { reloadWhenOutdated } from './device/outdated';
import { loadLanguage } from './i18n';
import { createAppRouter } from './router';
import { applyTheme, currentTheme } from './ui/theme';
import './styles.css';

const RETRIES_MAX = 2;
/** The event stream keeps what is on screen current; this only bounds how long an unused list is kept. */
const STALE_MS = 60_000;

const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: STALE_MS,
      retry: (failures, error) => failures < RETRIES_MAX && isTemporary(error),
      throwOnError: false,
    },
    // Without a connection a change fails at once, with the reason, instead of waiting unseen.
    mutations: { networkMode: 'always' },
  },
});
const router = createAppRouter(queryClient);

onSessionEnded(() => {
  if (router.state.location.pathname === '/sign-in') return;
  queryClient.clear();
  void router.navigate({ to: '/sign-in', search: { next: router.state.location.href, ended: true } });
});

reloadWhenOutdated();
applyTheme(currentTheme());
await loadLanguage();

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <CSPProvider disableStyleElements>
        <DirectionProvider direction={document.documentElement.dir === 'rtl' ? 'rtl' : 'ltr'}>
          <QueryClientProvider client={queryClient}>
            <RouterProvider router={router} />
          </QueryClientProvider>
        </DirectionProvider>
      </CSPProvider>
    </StrictMode>,
  );
}
