import { useEffect } from 'react';
import { pushMember } from './remembered';

let isStarted = false;

/** Starts the service worker once a member is signed in, and keeps the number on the icon. Mounted once. */
export function useDevice(memberId: string, unread: number, open: (path: string) => void): void {
  useEffect(() => {
    // A server for development has no worker.
    if (!import.meta.env.PROD) return;
    if (!isStarted) {
      isStarted = true;
      void import('./worker').then(({ startWorker }) => startWorker(open));
    }
    if (pushMember() === memberId) {
      void import('./push').then(({ keepUp }) => keepUp(memberId)).catch(() => undefined);
    }
  }, [memberId, open]);
  useEffect(() => showBadge(unread), [unread]);
}

/** The number on the icon of the installed app. */
function showBadge(unread: number): void {
  const shown = unread > 0 ? navigator.setAppBadge?.(unread) : navigator.clearAppBadge?.();
  // Not every platform has one.
  shown?.catch(() => undefined);
}
