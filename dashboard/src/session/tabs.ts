/**
 * The session is the browser's, not the tab's. A tab that shows one account must not go on with the
 * cookie of another, so every tab loads anew when one of them signs in, out, or switches.
 */
const channel = new BroadcastChannel('frontdesk.session');

let leaving = false;

/** Whether the page is being left because the session is another one: nothing should hold that up. */
export const isLeaving = (): boolean => leaving;

export function leave(path: string): void {
  leaving = true;
  location.assign(path);
}

/** Says that the session of all tabs has changed. */
export function tellTabs(): void {
  channel.postMessage('changed');
}

channel.onmessage = () => leave('/app/');
