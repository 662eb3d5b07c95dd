/** Asks the browser to wake the service worker when there is a connection again, also after the last page was closed. */

const OUTBOX_TAG = 'outbox';

interface Syncing {
  sync?: { register: (tag: string) => Promise<void> };
}

export async function requestSync(): Promise<void> {
  try {
    const registration = await navigator.serviceWorker?.getRegistration();
    // Only Chromium has it. Elsewhere the next page that is opened sends.
    await (registration as Syncing | undefined)?.sync?.register(OUTBOX_TAG);
  } catch {
    // The member has turned it off.
  }
}
