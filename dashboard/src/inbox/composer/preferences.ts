export const SEND_KEYS = ['enter', 'mod-enter'] as const;
export type SendKey = (typeof SEND_KEYS)[number];

const STORAGE_KEY = 'frontdesk.send-key';

export function sendKey(): SendKey {
  return localStorage.getItem(STORAGE_KEY) === 'mod-enter' ? 'mod-enter' : 'enter';
}

export function chooseSendKey(key: SendKey): void {
  localStorage.setItem(STORAGE_KEY, key);
}

/** Whether a key press sends. Shift+Enter is always a new line; while an input method composes, nothing sends. */
export function sends(
  event: { key: string; shiftKey: boolean; ctrlKey: boolean; metaKey: boolean; isComposing: boolean },
  chosen: SendKey,
): boolean {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return false;
  return event.ctrlKey || event.metaKey || chosen === 'enter';
}
