import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ImageUp } from 'lucide-react';
import { useRef } from 'react';
import { call } from '@/api/client';
import { ApiError } from '@/api/errors';
import type { BrandDetail } from '@/api/schema';
import { t } from '@/i18n';
import { Button } from '@/ui/Button';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { notify } from '@/ui/toast';
import { brandQuery } from '../queries';

const LOGO_KB_MAX = 256;
const TYPES = ['image/png', 'image/jpeg', 'image/webp'];

/** The bytes of a file in base64. */
async function encoded(file: Blob): Promise<string> {
  const address = await new Promise<string>((done, fail) => {
    const reader = new FileReader();
    reader.onload = () => done(String(reader.result));
    reader.onerror = () => fail(reader.error);
    reader.readAsDataURL(file);
  });
  return address.slice(address.indexOf(',') + 1);
}

class WrongFile extends Error {}

/** The logo. It is stored as soon as it is chosen. */
export function LogoField({ brand }: { brand: BrandDetail }) {
  const client = useQueryClient();
  const picker = useRef<HTMLInputElement>(null);
  const store = useMutation({
    mutationFn: async (file: File | null) => {
      if (!file) return call('DELETE /app/api/admin/brand/logo');
      if (!TYPES.includes(file.type)) throw new WrongFile(t('branding.logoType'));
      if (file.size > LOGO_KB_MAX * 1024) throw new WrongFile(t('branding.logoSize', { size: LOGO_KB_MAX }));
      return call('PUT /app/api/admin/brand/logo', { body: { image: await encoded(file) } });
    },
    onSuccess: async ({ data }) => {
      await client.cancelQueries({ queryKey: brandQuery.queryKey });
      client.setQueryData(brandQuery.queryKey, data);
      notify(t('ui.saved'));
    },
  });
  const wrong =
    store.error instanceof WrongFile
      ? store.error.message
      : store.error instanceof ApiError && store.error.at('image') !== undefined
        ? t('branding.logoType')
        : undefined;
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium">{t('branding.logo')}</legend>
      {brand.logo_path && (
        <img
          src={brand.logo_path}
          alt={t('branding.logo')}
          className="max-h-15 max-w-56 self-start rounded-lg border border-line p-1"
        />
      )}
      <p className="text-sm text-ink-soft">{t('branding.logoHint', { size: LOGO_KB_MAX })}</p>
      {wrong && (
        <p role="alert" className="text-sm text-danger">
          {wrong}
        </p>
      )}
      {store.error !== null && !wrong && <ErrorNotice error={store.error} />}
      <input
        ref={picker}
        type="file"
        accept={TYPES.join(',')}
        hidden
        aria-label={t('branding.logo')}
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          if (file) store.mutate(file);
          event.target.value = '';
        }}
      />
      <div className="flex flex-wrap gap-2">
        <Button
          icon={<ImageUp size={16} aria-hidden />}
          busy={store.isPending}
          onClick={() => picker.current?.click()}
        >
          {brand.logo_path ? t('branding.replaceLogo') : t('branding.addLogo')}
        </Button>
        {brand.logo_path && (
          <Button kind="quiet" disabled={store.isPending} onClick={() => store.mutate(null)}>
            {t('branding.removeLogo')}
          </Button>
        )}
      </div>
    </fieldset>
  );
}
