import { useState } from 'react';
import { call } from '@/api/client';
import { chooseLanguage, currentLanguage, LANGUAGES, type Language, t, tDynamic } from '@/i18n';
import { chooseSendKey, SEND_KEYS, type SendKey, sendKey } from '@/inbox/composer/preferences';
import { type AlertPreferences, alertPreferences, playTone, saveAlertPreferences } from '@/live/alerts';
import { Checkbox } from '@/ui/Field';
import { Page, Section } from '@/ui/Page';
import { SelectField } from '@/ui/SelectField';
import { chooseTheme, currentTheme, THEMES, type Theme } from '@/ui/theme';
import { notify } from '@/ui/toast';
import { DeviceNotifications } from './DeviceNotifications';
import { MailNotifications } from './MailNotifications';

/** Mails are written in the chosen language too. The page changes its language whether or not the server takes it. */
async function speak(language: Language) {
  await call('PATCH /app/api/mail', { body: { language } }).catch(() => {});
  chooseLanguage(language);
}

/** What concerns this browser, and what the member gets mails about. */
export function PreferencesPage() {
  const [theme, setTheme] = useState(currentTheme);
  const [key, setKey] = useState(sendKey);
  return (
    <Page title={t('settings.preferences')}>
      <div className="settings-column flex flex-col gap-4">
        <Section title={t('preferences.look')}>
          <div className="flex flex-col gap-3">
            <SelectField
              label={t('preferences.theme')}
              value={theme}
              onChange={(event) => {
                const chosen = event.target.value as Theme;
                setTheme(chosen);
                chooseTheme(chosen);
              }}
            >
              {THEMES.map((each) => (
                <option key={each} value={each}>
                  {tDynamic('theme', each)}
                </option>
              ))}
            </SelectField>
            <SelectField
              label={t('preferences.language')}
              value={currentLanguage()}
              onChange={(event) => void speak(event.target.value as Language)}
            >
              {Object.entries(LANGUAGES).map(([code, name]) => (
                <option key={code} value={code} lang={code}>
                  {name}
                </option>
              ))}
            </SelectField>
          </div>
        </Section>
        <Section title={t('preferences.writing')}>
          <SelectField
            label={t('preferences.sendKey')}
            hint={t('preferences.sendKeyHint')}
            value={key}
            onChange={(event) => {
              const chosen = event.target.value as SendKey;
              setKey(chosen);
              chooseSendKey(chosen);
            }}
          >
            {SEND_KEYS.map((each) => (
              <option key={each} value={each}>
                {tDynamic('sendKey', each)}
              </option>
            ))}
          </SelectField>
        </Section>
        <Alerts />
        <DeviceNotifications />
        <MailNotifications />
      </div>
    </Page>
  );
}

function Alerts() {
  const [preferences, setPreferences] = useState(alertPreferences);
  const change = (next: Partial<AlertPreferences>) => {
    const changed = { ...preferences, ...next };
    setPreferences(changed);
    saveAlertPreferences(changed);
  };
  const toggleDesktop = async (wanted: boolean) => {
    if (!wanted) return change({ desktop: false });
    const permission = 'Notification' in window ? await Notification.requestPermission() : 'denied';
    if (permission === 'granted') change({ desktop: true });
    else notify(t('alerts.blocked'));
  };
  const toggleSound = (sound: boolean) => {
    change({ sound });
    if (sound) playTone();
  };
  return (
    <Section title={t('alerts.title')}>
      <Checkbox
        label={t('alerts.sound')}
        checked={preferences.sound}
        onChange={(event) => toggleSound(event.target.checked)}
      />
      <Checkbox
        label={t('alerts.desktop')}
        hint={t('alerts.desktopHint')}
        checked={preferences.desktop}
        onChange={(event) => void toggleDesktop(event.target.checked)}
      />
      <Checkbox
        label={t('alerts.onlyMine')}
        checked={preferences.onlyMine}
        onChange={(event) => change({ onlyMine: event.target.checked })}
      />
    </Section>
  );
}
