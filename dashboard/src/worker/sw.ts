/**
 * The service worker: opens the page without a connection, sends what is left in the outbox, and shows notifications. It is
 * built as one script, `/app/sw.js`.
 */
import { call } from '@/api/client';
import { type Notice, readNotice, sentencesOf } from './notice';
import type { OpenWindow, WorkerScope } from './scope';
import { sendOutboxes } from './sending';
import { kindOf, Shell } from './shell';

/** Made at build time. */
declare const __SHELL_FILES__: string[];
declare const __SHELL_VERSION__: string;

const scope = self as unknown as WorkerScope;
const shell = new Shell(scope.caches, __SHELL_VERSION__, __SHELL_FILES__);
const ROOT = '/app/';
const OUTBOX_TAG = 'outbox';

scope.addEventListener('install', (event) => {
  event.waitUntil(shell.install().then(() => scope.skipWaiting()));
});

scope.addEventListener('activate', (event) => {
  event.waitUntil(shell.activate().then(() => scope.clients.claim()));
});

scope.addEventListener('fetch', (event) => {
  const { request } = event;
  const kind = kindOf(request, new URL(request.url), scope.location.origin);
  if (kind === 'page') event.respondWith(shell.page(request));
  if (kind === 'asset') event.respondWith(shell.asset(request));
});

scope.addEventListener('sync', (event) => {
  if (event.tag !== OUTBOX_TAG) return;
  const work = sendOutboxes(scope.indexedDB).then((isDone) => {
    // The browser tries again later.
    if (!isDone) throw new Error('Some replies are not sent yet.');
  });
  event.waitUntil(work);
});

scope.addEventListener('push', (event) => {
  const notice = readNotice(event.data?.json());
  if (notice) event.waitUntil(show(notice));
});

scope.addEventListener('notificationclick', (event) => {
  const { notification } = event;
  notification.close();
  event.waitUntil(open(String((notification.data as { path?: string } | null)?.path ?? '')));
});

/** The browser's push service has moved: the server must know where. */
scope.addEventListener('pushsubscriptionchange', (event) => {
  event.waitUntil(renew(event.newSubscription, event.oldSubscription));
});

async function windows(): Promise<OpenWindow[]> {
  return scope.clients.matchAll({ type: 'window', includeUncontrolled: true });
}

async function show(notice: Notice): Promise<void> {
  const { navigator, registration } = scope;
  if ('setAppBadge' in navigator && notice.unread > 0) {
    await navigator.setAppBadge(notice.unread).catch(() => undefined);
  }
  const target = ROOT + notice.path;
  const isSeen = (await windows()).some(
    ({ url, focused }) => focused && notice.conversation_id && new URL(url).pathname === target,
  );
  if (isSeen) return;
  const { title, body, action } = sentencesOf(notice);
  const options: NotificationOptions & { renotify: boolean; actions: unknown[] } = {
    body,
    tag: notice.tag,
    // Another message of the conversation takes the place of the one before, and is heard.
    renotify: notice.tag !== '',
    icon: `${ROOT}icons/icon-192.png`,
    badge: `${ROOT}icons/badge-96.png`,
    lang: notice.language,
    data: { path: notice.path },
    actions: [{ action: 'open', title: action }],
  };
  await registration.showNotification(title, options);
}

/** Shows a place in a window that is open, or in a new one. */
async function open(path: string): Promise<void> {
  const address = new URL(ROOT + path, scope.location.origin).href;
  const known = (await windows()).filter(({ url }) => new URL(url).pathname.startsWith(ROOT));
  const window = known.find(({ url }) => url === address) ?? known[0];
  if (!window) {
    await scope.clients.openWindow(address);
    return;
  }
  // The page goes there by itself, without loading anew.
  if (window.url !== address) window.postMessage({ kind: 'open', path: `/${path}` });
  await window.focus();
}

async function renew(made: PushSubscription | null, before: PushSubscription | null): Promise<void> {
  // Only if the browser still gets notifications: its session may be somebody else's by now.
  const { devices } = (await call('GET /app/api/push')).data;
  if (!devices.some(({ current }) => current)) return;
  const options = before?.options;
  const renewed = made ?? (options && (await scope.registration.pushManager.subscribe(options)));
  const { endpoint, keys } = renewed?.toJSON() ?? {};
  if (!endpoint || !keys?.p256dh || !keys.auth) return;
  const body = { endpoint, p256dh: keys.p256dh, auth: keys.auth };
  await call('POST /app/api/push/devices', { body });
}
