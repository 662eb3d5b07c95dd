import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '@/api/client';
import { ApiError } from '@/api/errors';
import type { BrandDetail } from '@/api/schema';
import { t } from '@/i18n';
import { Checkbox, TextField } from '@/ui/Field';
import { Page, Section, UnreadyPage } from '@/ui/Page';
import { notify } from '@/ui/toast';
import { AdminOnly } from '../AdminOnly';
import { brandQuery } from '../queries';
import { SaveBar } from '../SaveBar';
import { useSettingsDraft } from '../useSettingsDraft';
import { BrandPreview } from './BrandPreview';
import { longHex } from './contrast';
import { LogoField } from './LogoField';

const NAME_CHARS_MAX = 60;
/** What the picker begins with. */
const COLOR_FIRST = '#0b7a5c';

/** How the account's forms and web chats look. */
export function BrandingPage() {
  return (
    <AdminOnly>
      <Branding />
    </AdminOnly>
  );
}

function Branding() {
  const query = useQuery(brandQuery);
  if (query.data) return <BrandEditor brand={query.data} />;
  return (
    <UnreadyPage title={t('settings.branding')} error={query.error} onRetry={() => void query.refetch()} />
  );
}

function BrandEditor({ brand }: { brand: BrandDetail }) {
  const client = useQueryClient();
  const { draft, isChanged, isOutdated, set, discard } = useSettingsDraft({
    name: brand.name ?? '',
    color: brand.color,
  });
  const save = useMutation({
    mutationFn: () =>
      call('PATCH /app/api/admin/brand', { body: { name: draft.name.trim() || null, color: draft.color } }),
    onSuccess: async ({ data }) => {
      await client.cancelQueries({ queryKey: brandQuery.queryKey });
      client.setQueryData(brandQuery.queryKey, data);
      discard();
      notify(t('ui.saved'));
    },
  });
  const errorAt = (path: string) => (save.error instanceof ApiError ? save.error.at(path) : undefined);
  return (
    <Page title={t('settings.branding')}>
      <div className="settings-columns flex flex-col gap-4">
        <p className="text-ink-soft">{t('branding.help')}</p>
        <div className="grid gap-4 lg:grid-cols-2">
          <Section title={t('settings.branding')}>
            <div className="flex flex-col gap-4">
              <LogoField brand={brand} />
              <TextField
                label={t('branding.name')}
                placeholder={brand.account_name}
                value={draft.name}
                maxLength={NAME_CHARS_MAX}
                error={errorAt('name')}
                onChange={(event) => set({ name: event.target.value })}
              />
              <div className="flex min-h-15 flex-wrap items-end gap-x-6 gap-y-3">
                <Checkbox
                  label={t('branding.ownColor')}
                  hint={t('branding.colorHint')}
                  checked={draft.color !== null}
                  onChange={(event) => set({ color: event.target.checked ? COLOR_FIRST : null })}
                />
                {draft.color !== null && (
                  <div className="w-24">
                    <TextField
                      label={t('branding.color')}
                      type="color"
                      value={longHex(draft.color)}
                      error={errorAt('color')}
                      onChange={(event) => set({ color: event.target.value })}
                    />
                  </div>
                )}
              </div>
            </div>
          </Section>
          <Section title={t('branding.preview')}>
            <BrandPreview brand={brand} name={draft.name} color={draft.color} />
          </Section>
        </div>
        <SaveBar
          group={t('settings.branding')}
          isChanged={isChanged}
          isOutdated={isOutdated}
          busy={save.isPending}
          error={save.error}
          onSave={() => save.mutate()}
          onDiscard={() => {
            save.reset();
            discard();
          }}
        />
      </div>
    </Page>
  );
}
