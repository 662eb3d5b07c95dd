import { expect, it } from 'vitest';
import { widget } from '@/testing/setup';
import { fetchWith } from './widgetPreview';

const { has_identity_secret: _, ...settings } = widget;
const HOURS = { is_open: false, opens_at: null };

const asked = async (path: string, more: Partial<typeof settings>) => {
  const real = async () => Response.json({ data: { file_bytes_max: 7, theme: 'light', hours: HOURS } });
  const answer = await fetchWith(real, { ...settings, ...more })(`https://desk.example${path}`);
  return (await answer.json()).data;
};

it('shows settings that are not saved, and everything else as the server has it', async () => {
  const shown = await asked('/channels/web_chat/c1/config', { theme: 'dark', color: '#b45309' });
  expect(shown).toMatchObject({ theme: 'dark', color: '#b45309', file_bytes_max: 7, hours: HOURS });
});

it('shows no hours when they are switched off', async () => {
  expect((await asked('/channels/web_chat/c1/config', { shows_hours: false })).hours).toBeNull();
});

it('leaves other requests alone', async () => {
  expect((await asked('/channels/web_chat/c1/visitors', { theme: 'dark' })).theme).toBe('light');
});
