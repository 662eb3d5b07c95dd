/**
 * All text of the dashboard. The texts of the first load are loaded in the chosen language before the first render, those
 * of a feature with its pages (`withTexts`). Changing the language loads the page anew.
 */
import type { first, later } from './en';
import {
  type Arguments,
  format,
  type Merged,
  type Message,
  type Translation,
  type Translations,
} from './message';

export type Catalogue = typeof first & Merged<typeof later>;
export type MessageKey = keyof Catalogue;
/** A feature whose texts are not in the first load. */
export type Feature = keyof typeof later;

interface Texts {
  readonly first: Translation<typeof first>;
  readonly later: Translations<typeof later>;
}

export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;

const RIGHT_TO_LEFT = new Set(['ar', 'fa', 'he', 'ur']);
const STORAGE_KEY = 'frontdesk.language';

const LOADERS: Record<Language, () => Promise<Texts>> = {
  en: () => import('./en'),
  de: () => import('./de'),
};

const loaded = new Set<Feature>();
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
  catalogue = { ...(await LOADERS[language]()).first };
  await loadTexts(...loaded);
  document.documentElement.lang = language;
  document.documentElement.dir = RIGHT_TO_LEFT.has(language) ? 'rtl' : 'ltr';
}

/** Loads the texts of features. Those that are there already are not loaded again. */
export async function loadTexts(...features: Feature[]): Promise<void> {
  const { later } = await LOADERS[language]();
  const texts = await Promise.all(features.map((feature) => later[feature]()));
  for (const feature of features) loaded.add(feature);
  Object.assign(catalogue, ...texts);
}

/** Loads code together with the texts that it shows. `loading.test.ts` says which are missing. */
export async function withTexts<T>(load: () => Promise<T>, ...features: Feature[]): Promise<T> {
  const [module] = await Promise.all([load(), loadTexts(...features)]);
  return module;
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
