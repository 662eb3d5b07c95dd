import type { en } from '../en';
import type { Translation } from '../message';
import { approvals } from './approvals';
import { assistants } from './assistants';
import { broadcasts } from './broadcasts';
import { contacts } from './contacts';
import { deals } from './deals';
import { developers } from './developers';
import { inbox } from './inbox';
import { runs } from './runs';
import { settings } from './settings';
import { shell } from './shell';
import { spend } from './spend';
import { tools } from './tools';
import { triggers } from './triggers';

export const de: Translation<typeof en> = {
  ...shell,
  ...inbox,
  ...contacts,
  ...deals,
  ...settings,
  ...approvals,
  ...assistants,
  ...runs,
  ...tools,
  ...broadcasts,
  ...developers,
  ...triggers,
  ...spend,
};
