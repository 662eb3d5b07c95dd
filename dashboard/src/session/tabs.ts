/**
 * The session is the browser's, not the tab's. A tab that shows one account must not go on with the
 * cookie of another, so every tab loads anew when one of them signs in, out, or switches.
 */
const channel = new BroadcastChannel('frontdesk.session');

/** Says that the session of all tabs has changed. */
export function tellTabs(): void {
  channel.postMessage('changed');
}

channel.onmessage = () => location.assign('/app/');
