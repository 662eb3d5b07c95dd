import { approvals } from './approvals';
import { broadcasts } from './broadcasts';
import { contacts } from './contacts';
import { deals } from './deals';
import { inbox } from './inbox';
import { settings } from './settings';
import { shell } from './shell';
import { tools } from './tools';

export const en = {
  ...shell,
  ...inbox,
  ...contacts,
  ...deals,
  ...settings,
  ...approvals,
  ...tools,
  ...broadcasts,
} as const;
