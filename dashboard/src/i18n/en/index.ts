import { contacts } from './contacts';
import { deals } from './deals';
import { inbox } from './inbox';
import { settings } from './settings';
import { shell } from './shell';

export const en = { ...shell, ...inbox, ...contacts, ...deals, ...settings } as const;
