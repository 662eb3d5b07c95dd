/** Registers the service worker, and listens to it. Browsers have it on https and on localhost only. */
import { t } from '@/i18n';
import { notify } from '@/ui/toast';

const SCRIPT = '/app/sw.js';
const SCOPE = '/app/';
/** A page that stays open for days looks for a new version when it is looked at, at most this often. */
const LOOK_MS = 60 * 60_000;

/** What the worker asks of a page. */
interface Asked {
  kind: 'open';
  path: string;
}

/** `open` shows a place of the dashboard. */
export async function startWorker(open: (path: string) => void): Promise<void> {
  const { serviceWorker } = navigator;
  if (!serviceWorker) return;
  let isFirst = serviceWorker.controller === null;
  serviceWorker.addEventListener('controllerchange', () => {
    // The first one takes over a page of its own version.
    if (!isFirst) notify(t('version.new'), { label: t('error.reload'), run: () => location.reload() });
    isFirst = false;
  });
  serviceWorker.addEventListener('message', ({ data }: MessageEvent<Asked>) => {
    if (data.kind === 'open') open(data.path);
  });
  try {
    const registration = await serviceWorker.register(SCRIPT, { scope: SCOPE, updateViaCache: 'none' });
    let lookedAt = Date.now();
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState !== 'visible' || Date.now() - lookedAt < LOOK_MS) return;
      lookedAt = Date.now();
      void registration.update().catch(() => undefined);
    });
  } catch {
    // Without it everything works, except without a connection.
  }
}
