const RELOADED_KEY = 'frontdesk.reloaded';
const RELOAD_PAUSE_MS = 60_000;

/**
 * A page that was opened before an update may ask for a file that is gone: it loads anew, once. Drafts and unsent replies are
 * kept by the browser.
 */
export function reloadWhenOutdated(): void {
  window.addEventListener('vite:preloadError', (event) => {
    const last = Number(sessionStorage.getItem(RELOADED_KEY) ?? 0);
    // Without a connection every file is missing, and loading anew helps nobody.
    if (!navigator.onLine || Date.now() - last < RELOAD_PAUSE_MS) return;
    event.preventDefault();
    sessionStorage.setItem(RELOADED_KEY, String(Date.now()));
    location.reload();
  });
}
