/** Notifications on this device: the browser's side of a subscription. The server has what is told and to whom. */
import { call } from '@/api/client';
import type { PushDevice } from '@/api/schema';
import { currentLanguage } from '@/i18n';
import { pushMember, rememberPush } from './remembered';

export type PushState = 'unsupported' | 'blocked' | 'possible';

export function pushState(): PushState {
  const isSupported = 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;
  if (!isSupported) return 'unsupported';
  return Notification.permission === 'denied' ? 'blocked' : 'possible';
}

/** The bytes of a key in base64url. */
export function keyBytes(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

const isSame = (a: ArrayBuffer | null | undefined, b: Uint8Array): boolean =>
  Boolean(a) && new Uint8Array(a as ArrayBuffer).join() === b.join();

class NoPush extends Error {}

async function subscription(publicKey: string): Promise<PushSubscription> {
  const registration = await navigator.serviceWorker.getRegistration();
  if (!registration) throw new NoPush('The service worker is missing.');
  const key = keyBytes(publicKey);
  const known = await registration.pushManager.getSubscription();
  if (known && isSame(known.options.applicationServerKey, key)) return known;
  // It belongs to another installation at this address.
  await known?.unsubscribe();
  return registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
}

/** Tells the server where this browser is reached. The member has allowed it. */
export async function turnOn(publicKey: string, memberId: string): Promise<PushDevice> {
  const { endpoint, keys } = (await subscription(publicKey)).toJSON();
  if (!endpoint || !keys?.p256dh || !keys.auth) throw new NoPush('The browser gave no keys.');
  const body = { endpoint, p256dh: keys.p256dh, auth: keys.auth, language: currentLanguage() };
  const { data } = await call('POST /app/api/push/devices', { body }, { memberId });
  rememberPush(memberId);
  return data;
}

/** Nothing is shown in this browser any more, and what is shown goes away. */
export async function turnOff(): Promise<void> {
  rememberPush(null);
  if (!('serviceWorker' in navigator)) return;
  const registration = await navigator.serviceWorker.getRegistration();
  const shown = (await registration?.getNotifications?.()) ?? [];
  for (const notification of shown) notification.close();
  const known = await registration?.pushManager?.getSubscription();
  await known?.unsubscribe();
  await navigator.clearAppBadge?.();
}

/**
 * After a new session, a change of language or of the push service, the server learns where the browser is. Only for the
 * member who turned notifications on here.
 */
export async function keepUp(memberId: string): Promise<void> {
  const isTheirs = pushMember() === memberId;
  if (!isTheirs || pushState() !== 'possible' || Notification.permission !== 'granted') return;
  const { data } = await call('GET /app/api/push');
  await turnOn(data.public_key, memberId);
}
