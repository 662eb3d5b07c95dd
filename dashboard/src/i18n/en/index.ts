import { inbox } from './inbox';
import { shell } from './shell';

/** The texts of the first load. */
export const first = { ...shell, ...inbox } as const;

/** The texts that are loaded with the pages of a feature. */
export const later = {
  approvals: async () => (await import('./approvals')).approvals,
  assistants: async () => (await import('./assistants')).assistants,
  broadcasts: async () => (await import('./broadcasts')).broadcasts,
  contacts: async () => (await import('./contacts')).contacts,
  deals: async () => (await import('./deals')).deals,
  developers: async () => (await import('./developers')).developers,
  runs: async () => (await import('./runs')).runs,
  settings: async () => (await import('./settings')).settings,
  setup: async () => (await import('./setup')).setup,
  spend: async () => (await import('./spend')).spend,
  templates: async () => (await import('./templates')).templates,
  tools: async () => (await import('./tools')).tools,
  triggers: async () => (await import('./triggers')).triggers,
};
