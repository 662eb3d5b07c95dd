import type { BrandDetail } from '@/api/schema';
import { t } from '@/i18n';
import { textOn } from './contrast';

/** The accents of a form and of a chat that have no colour of their own. */
const FORM_USUAL = '#0b7a5c';
const CHAT_USUAL = '#1f5eff';

interface BrandPreviewProps {
  brand: BrandDetail;
  name: string;
  color: string | null;
}

/** The head of a form and of a chat with a brand, also one that is not saved. */
export function BrandPreview({ brand, name, color }: BrandPreviewProps) {
  const shown = name.trim() || brand.account_name;
  const look = (usual: string) => ({
    backgroundColor: color ?? usual,
    color: textOn(color ?? usual),
  });
  const logo = (className: string) =>
    brand.logo_path && <img src={brand.logo_path} alt="" className={`max-w-24 ${className}`} />;
  return (
    <div className="flex flex-col gap-6">
      <figure className="flex flex-col gap-2">
        <figcaption className="text-sm text-ink-soft">{t('branding.onForms')}</figcaption>
        <div className="flex flex-col gap-3 rounded-lg border border-line bg-surface p-4">
          <p className="flex items-center gap-2 text-ink-soft">
            {logo('max-h-10')}
            {shown}
          </p>
          <div aria-hidden className="min-h-control rounded-lg border border-line-strong" />
          <p className="rounded-lg px-3 py-2 text-center font-medium" style={look(FORM_USUAL)}>
            {t('branding.send')}
          </p>
        </div>
      </figure>
      <figure className="flex flex-col gap-2">
        <figcaption className="text-sm text-ink-soft">{t('branding.onChats')}</figcaption>
        <div className="overflow-hidden rounded-xl border border-line">
          <p className="flex items-center gap-2 px-4 py-3 font-semibold" style={look(CHAT_USUAL)}>
            {logo('max-h-8')}
            {name.trim() || t('branding.chatTitle')}
          </p>
          <div className="flex flex-col gap-2 p-4">
            <p className="self-start rounded-xl bg-sunken px-3 py-2">{t('branding.hello')}</p>
            <p className="self-end rounded-xl px-3 py-2" style={look(CHAT_USUAL)}>
              {t('branding.question')}
            </p>
          </div>
        </div>
      </figure>
    </div>
  );
}
