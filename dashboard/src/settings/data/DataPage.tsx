import { Download, Upload } from 'lucide-react';
import { url } from '@/api/client';
import { t } from '@/i18n';
import { ButtonLink, buttonLook } from '@/ui/ButtonLink';
import { Page, Section } from '@/ui/Page';
import { AdminOnly } from '../AdminOnly';
import { EverythingSection } from './EverythingSection';
import { ExportSection } from './ExportSection';
import { ImportSection } from './ImportSection';

/** What an account owns, out of here and into here. */
export function DataPage() {
  return (
    <AdminOnly>
      <Page title={t('settings.data')}>
        <div className="settings-column flex flex-col gap-4">
          <Section title={t('nav.contacts')}>
            <p className="mb-3 text-ink-soft">{t('data.contactsHelp')}</p>
            <div className="flex flex-wrap gap-2">
              <ButtonLink to="/contacts/import" icon={<Upload size={16} aria-hidden />}>
                {t('data.importContacts')}
              </ButtonLink>
              <a
                href={url('/app/api/contacts/export.csv', undefined)}
                download
                className={buttonLook('secondary')}
              >
                <Download size={16} aria-hidden />
                {t('data.exportContacts')}
              </a>
            </div>
          </Section>
          <EverythingSection />
          <ExportSection />
          <ImportSection />
        </div>
      </Page>
    </AdminOnly>
  );
}
