/**
 * All text of the dashboard. The catalogue of the chosen language is loaded before the first
 * render; changing the language loads the page anew.
 */
import type { en } from './en';
import { type Arguments, format, type Message, type Translation } from './message';

export type Catalogue = typeof en;
export type MessageKey = keyof Catalogue;

export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;

const RIGHT_TO_LEFT = new Set(['ar', 'fa', 'he', 'ur']);
const STORAGE_KEY = 'frontdesk.language';

const LOADERS: Record<Language, () => Promise<Translation<Catalogue>>> = {
  en: () => import('./en').then((module) => module.en),
  de: () => import('./de').then((module) => module.de),
};

let catalogue: Record<string, Message> = {};
let language: Language = 'en';
let region: string = language;

export function currentLanguage(): Language {
  return language;
}

/** Dates and numbers follow the browser's region when it speaks the chosen language. */
export function locale(): string {
  return region;
}

function regionOf(chosen: Language): string {
  return navigator.languages.find((candidate) => candidate.split('-')[0] === chosen) ?? chosen;
}

export function preferredLanguage(stored: string | null, offered: readonly string[]): Language {
  const wanted = [stored, ...offered].map((candidate) => candidate?.split('-')[0]);
  return (wanted.find((candidate) => candidate && candidate in LANGUAGES) as Language | undefined) ?? 'en';
}

export async function loadLanguage(): Promise<void> {
  language = preferredLanguage(localStorage.getItem(STORAGE_KEY), navigator.languages);
  region = regionOf(language);
  catalogue = await LOADERS[language]();
  document.documentElement.lang = language;
  document.documentElement.dir = RIGHT_TO_LEFT.has(language) ? 'rtl' : 'ltr';
}

export function chooseLanguage(chosen: Language): void {
  localStorage.setItem(STORAGE_KEY, chosen);
  location.reload();
}

export function t<K extends MessageKey>(key: K, ...values: Arguments<Catalogue[K]>): string {
  const message = catalogue[key];
  return message === undefined
    ? key
    : format(message, values[0] as Record<string, string | number>, locale());
}

/** The message of a key that is put together from data, such as a status. Falls back to the data itself. */
export function tDynamic(prefix: string, value: string): string {
  const message = catalogue[`${prefix}.${value}`];
  return typeof message === 'string' ? message : value.replaceAll('_', ' ');
}
