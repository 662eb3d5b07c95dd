import { isPushOn } from '@/device/remembered';

/** The member's choice of alerts, and the tone and the desktop notification. Both are off until the member turns them on. */
export interface AlertPreferences {
  sound: boolean;
  desktop: boolean;
  /** Only conversations that are mine or nobody's. */
  onlyMine: boolean;
}

const STORAGE_KEY = 'frontdesk.alerts';
const DEFAULTS: AlertPreferences = { sound: false, desktop: false, onlyMine: true };

export function alertPreferences(): AlertPreferences {
  try {
    return {
      ...DEFAULTS,
      ...(JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '{}') as Partial<AlertPreferences>),
    };
  } catch {
    return DEFAULTS;
  }
}

export function saveAlertPreferences(preferences: AlertPreferences): void {
  localStorage.setItem(STORAGE_KEY, JSON.stringify(preferences));
}

const TONE_HZ = 880;
const TONE_SECONDS = 0.18;

/** A short tone, made by the browser: no file to load. */
export function playTone(): void {
  const audio = new AudioContext();
  const oscillator = audio.createOscillator();
  const gain = audio.createGain();
  oscillator.frequency.value = TONE_HZ;
  gain.gain.setValueAtTime(0.15, audio.currentTime);
  gain.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + TONE_SECONDS);
  oscillator.connect(gain).connect(audio.destination);
  oscillator.start();
  oscillator.stop(audio.currentTime + TONE_SECONDS);
  oscillator.onended = () => void audio.close();
}

/** A later one with the same tag replaces the earlier. Where the service worker shows notifications, a page shows none. */
export function showNotification(title: string, body: string, tag: string, open: () => void): void {
  if (!('Notification' in window) || Notification.permission !== 'granted' || isPushOn()) return;
  const notification = new Notification(title, { body, tag });
  notification.onclick = () => {
    window.focus();
    open();
    notification.close();
  };
}
