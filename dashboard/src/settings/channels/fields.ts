/** What Meta's channels ask for, where each value is found, and what is wrong with one that was entered. Pure. */
import type { NewChannel } from '@/api/app';
import type { MessageKey } from '@/i18n';

export type MetaChannel = 'whatsapp' | 'messenger' | 'instagram';
export type FieldName = Extract<
  keyof NewChannel,
  'phone_number_id' | 'waba_id' | 'page_id' | 'access_token' | 'app_secret' | 'verify_token'
>;
export type Values = Partial<Record<FieldName, string>>;

type TextKey<Prefix extends string> = Extract<MessageKey, `${Prefix}.${string}`>;

export interface MetaField {
  name: FieldName;
  label: TextKey<'connect'>;
  /** Where it is found. */
  help: TextKey<'connectHelp'>;
  /** Typed, never shown again. */
  isSecret?: true;
}

const APP_SECRET: MetaField = {
  name: 'app_secret',
  label: 'connect.appSecret',
  help: 'connectHelp.appSecret',
  isSecret: true,
};
const VERIFY_TOKEN: MetaField = {
  name: 'verify_token',
  label: 'connect.verifyToken',
  help: 'connectHelp.verifyToken',
};

export const FIELDS: Record<MetaChannel, readonly MetaField[]> = {
  whatsapp: [
    { name: 'phone_number_id', label: 'connect.phoneNumberId', help: 'connectHelp.phoneNumberId' },
    { name: 'waba_id', label: 'connect.wabaId', help: 'connectHelp.wabaId' },
    {
      name: 'access_token',
      label: 'connect.accessToken',
      help: 'connectHelp.whatsappToken',
      isSecret: true,
    },
    APP_SECRET,
    VERIFY_TOKEN,
  ],
  messenger: [
    { name: 'page_id', label: 'connect.pageId', help: 'connectHelp.pageId' },
    { name: 'access_token', label: 'connect.accessToken', help: 'connectHelp.pageToken', isSecret: true },
    APP_SECRET,
    VERIFY_TOKEN,
  ],
  instagram: [
    { name: 'page_id', label: 'connect.instagramId', help: 'connectHelp.instagramId' },
    {
      name: 'access_token',
      label: 'connect.accessToken',
      help: 'connectHelp.instagramToken',
      isSecret: true,
    },
    APP_SECRET,
    VERIFY_TOKEN,
  ],
};

export interface Finding {
  /** Something wrong cannot be sent. Something unusual may be right all the same. */
  kind: 'wrong' | 'unusual';
  text: TextKey<'connectCheck'>;
}

const ID_DIGITS_MIN = 12;
const ID_DIGITS_MAX = 20;
const TOKEN_CHARS_MIN = 50;
const VERIFY_TOKEN_CHARS_MIN = 8;

const wrong = (text: Finding['text']): Finding => ({ kind: 'wrong', text });
const unusual = (text: Finding['text']): Finding => ({ kind: 'unusual', text });

function checkId(value: string): Finding | null {
  if (/^\+|^[\d\s()/.-]*[\s()/.-][\d\s()/.-]*$/.test(value)) return wrong('connectCheck.phoneNumber');
  if (!/^\d+$/.test(value)) return wrong('connectCheck.digits');
  if (value.length < ID_DIGITS_MIN || value.length > ID_DIGITS_MAX) return unusual('connectCheck.idLength');
  return null;
}

/** What is wrong with a value, beside the others that were entered; null for nothing. An empty one is not checked. */
export function checkField(name: FieldName, values: Values): Finding | null {
  const value = (values[name] ?? '').trim();
  if (value === '') return null;
  if (name === 'phone_number_id' || name === 'page_id') return checkId(value);
  if (name === 'waba_id')
    return value === values.phone_number_id?.trim() ? wrong('connectCheck.sameId') : checkId(value);
  if (/\s/.test(value)) return wrong('connectCheck.spaces');
  if (name === 'access_token') {
    if (value === values.app_secret?.trim()) return wrong('connectCheck.sameSecret');
    if (value.length < TOKEN_CHARS_MIN) return unusual('connectCheck.tokenShort');
    return /^(EAA|IG)/.test(value) ? null : unusual('connectCheck.tokenStart');
  }
  if (name === 'app_secret') return /^[0-9a-f]{32}$/i.test(value) ? null : unusual('connectCheck.appSecret');
  return value.length < VERIFY_TOKEN_CHARS_MIN ? unusual('connectCheck.verifyTokenShort') : null;
}

export const isWrong = (channel: MetaChannel, values: Values): boolean =>
  FIELDS[channel].some(({ name }) => checkField(name, values)?.kind === 'wrong');

const VERIFY_TOKEN_BYTES = 18;

/** A token that Meta repeats when it checks the webhook's address. */
export function newVerifyToken(
  random: Uint8Array = crypto.getRandomValues(new Uint8Array(VERIFY_TOKEN_BYTES)),
): string {
  return [...random].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
