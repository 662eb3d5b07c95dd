import { useState } from 'react';
import type { ConnectionDetail } from '@/api/app';
import { t } from '@/i18n';
import { CodeBlock } from '@/ui/CodeBlock';
import { Checkbox, TextField } from '@/ui/Field';
import { Section } from '@/ui/Page';
import { snippetWith, USUAL_SETTINGS } from './snippet';
import { WidgetPreview } from './WidgetPreview';

const TITLE_CHARS_MAX = 60;
/** What the picker begins with: the widget's own colour. */
const COLOR_USUAL = '#1f5eff';

/** The web chat as it will look, its settings, and the HTML that carries them. */
export function WebChatSetup({ connection }: { connection: ConnectionDetail }) {
  const [settings, setSettings] = useState(USUAL_SETTINGS);
  const hasColor = settings.color !== '';
  return (
    <>
      <Section title={t('webChat.settings')}>
        <div className="flex flex-wrap items-end gap-x-6 gap-y-3">
          <div className="min-w-56 flex-1">
            <TextField
              label={t('webChat.title')}
              placeholder={t('webChat.titleUsual')}
              maxLength={TITLE_CHARS_MAX}
              value={settings.title}
              onChange={(event) => setSettings({ ...settings, title: event.target.value })}
            />
          </div>
          <Checkbox
            label={t('webChat.ownColor')}
            checked={hasColor}
            onChange={(event) => setSettings({ ...settings, color: event.target.checked ? COLOR_USUAL : '' })}
          />
          {hasColor && (
            <div className="w-24">
              <TextField
                label={t('webChat.color')}
                type="color"
                value={settings.color}
                onChange={(event) => setSettings({ ...settings, color: event.target.value })}
              />
            </div>
          )}
        </div>
      </Section>
      <Section title={t('channels.snippet')}>
        <p className="mb-3 text-ink-soft">{t('webChat.snippetHelp')}</p>
        <CodeBlock label={t('channels.snippet')} code={snippetWith(connection.snippet ?? '', settings)} />
      </Section>
      <Section title={t('webChat.preview')}>
        <p className="mb-3 text-ink-soft">{t('webChat.previewHelp')}</p>
        <WidgetPreview connectionId={connection.id} settings={settings} />
      </Section>
    </>
  );
}
