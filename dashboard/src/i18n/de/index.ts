import type { en } from '../en';
import type { Translation } from '../message';
import { contacts } from './contacts';
import { deals } from './deals';
import { inbox } from './inbox';
import { settings } from './settings';
import { shell } from './shell';

export const de: Translation<typeof en> = { ...shell, ...inbox, ...contacts, ...deals, ...settings };
