import type { WidgetSettings } from '@/api/schema';
import { t, tDynamic } from '@/i18n';
import { Checkbox, TextArea, TextField } from '@/ui/Field';
import { FilterChips } from '@/ui/FilterChips';
import { Section } from '@/ui/Page';
import { SelectField } from '@/ui/SelectField';
import { Switch } from '@/ui/Switch';
import { longHex } from '../branding/contrast';

/** What the picker begins with: the widget's own colour. */
const COLOR_USUAL = '#1f5eff';
const TEXT_CHARS_MAX = { title: 60, greeting: 500, away: 300 };
const THEMES = ['auto', 'light', 'dark'] as const;
const POSITIONS = ['right', 'left'] as const;
const LANGUAGES = ['auto', 'en', 'de'] as const;
const QUESTIONS = ['never', 'optional', 'required'] as const;
export type TextLanguage = keyof WidgetSettings['texts'];
/** Each in its own language. */
const TEXT_LANGUAGES: Record<TextLanguage, string> = { en: 'English', de: 'Deutsch' };

interface SectionProps {
  draft: WidgetSettings;
  set: (change: Partial<WidgetSettings>) => void;
}
interface CheckedProps extends SectionProps {
  errorAt: (path: string) => string | undefined;
}

/** Colour, theme, position and language. */
export function Look({ draft, set, errorAt }: CheckedProps) {
  return (
    <Section title={t('webChat.look')}>
      <div className="flex flex-col gap-3">
        <div className="flex flex-wrap items-end gap-x-6 gap-y-3">
          <Checkbox
            label={t('webChat.ownColor')}
            checked={draft.color !== null}
            onChange={(event) => set({ color: event.target.checked ? COLOR_USUAL : null })}
          />
          {draft.color !== null && (
            <div className="w-24">
              <TextField
                label={t('webChat.color')}
                type="color"
                value={longHex(draft.color)}
                error={errorAt('color')}
                onChange={(event) => set({ color: event.target.value })}
              />
            </div>
          )}
        </div>
        <div className="grid gap-3 sm:grid-cols-2">
          <Choice
            label={t('webChat.theme')}
            values={THEMES}
            value={draft.theme}
            nameOf={(value) => tDynamic('widgetTheme', value)}
            onChange={(theme) => set({ theme })}
          />
          <Choice
            label={t('webChat.position')}
            values={POSITIONS}
            value={draft.position}
            nameOf={(value) => tDynamic('widgetPosition', value)}
            onChange={(position) => set({ position })}
          />
          <Choice
            label={t('webChat.language')}
            values={LANGUAGES}
            value={draft.language}
            nameOf={(value) => (value === 'auto' ? t('webChat.language.auto') : TEXT_LANGUAGES[value])}
            onChange={(language) => set({ language })}
          />
        </div>
      </div>
    </Section>
  );
}

interface TextsProps extends CheckedProps {
  language: TextLanguage;
  onLanguage: (language: TextLanguage) => void;
}

/** Texts of one's own, in one language at a time. The preview is in the same. */
export function Texts({ draft, set, errorAt, language, onLanguage }: TextsProps) {
  const own = draft.texts[language];
  const field = (name: keyof typeof TEXT_CHARS_MAX) => ({
    value: own[name] ?? '',
    maxLength: TEXT_CHARS_MAX[name],
    error: errorAt(`texts.${language}.${name}`),
    onChange: ({ target }: { target: { value: string } }) =>
      set({ texts: { ...draft.texts, [language]: { ...own, [name]: target.value || null } } }),
  });
  return (
    <Section
      title={t('webChat.texts')}
      actions={
        <FilterChips
          label={t('webChat.textsLanguage')}
          chips={[
            { value: 'en', label: TEXT_LANGUAGES.en },
            { value: 'de', label: TEXT_LANGUAGES.de },
          ]}
          value={language}
          onChange={(value) => onLanguage(value ?? language)}
        />
      }
    >
      <div className="flex flex-col gap-3">
        <TextField label={t('webChat.title')} hint={t('webChat.titleHint')} {...field('title')} />
        <TextArea
          label={t('webChat.greeting')}
          hint={t('webChat.greetingHint')}
          rows={2}
          {...field('greeting')}
        />
        <TextArea label={t('webChat.away')} hint={t('webChat.awayHint')} rows={2} {...field('away')} />
      </div>
    </Section>
  );
}

/** What visitors are asked, and what they see and may do. */
export function Behaviour({ draft, set }: SectionProps) {
  const question = (field: 'ask_name' | 'ask_email', label: string) => (
    <Choice
      label={label}
      values={QUESTIONS}
      value={draft[field]}
      nameOf={(value) => tDynamic('widgetAsk', value)}
      onChange={(value) => set({ [field]: value })}
    />
  );
  return (
    <Section title={t('webChat.behaviour')}>
      <div className="flex flex-col gap-3">
        <div className="grid gap-3 sm:grid-cols-2">
          {question('ask_name', t('webChat.askName'))}
          {question('ask_email', t('webChat.askEmail'))}
        </div>
        <Switch
          label={t('webChat.showsHours')}
          hint={t('webChat.showsHoursHint')}
          checked={draft.shows_hours}
          onChange={(shows) => set({ shows_hours: shows })}
        />
        <Switch
          label={t('webChat.acceptsFiles')}
          checked={draft.accepts_files}
          onChange={(accepts) => set({ accepts_files: accepts })}
        />
        <Switch
          label={t('webChat.playsSound')}
          hint={t('webChat.playsSoundHint')}
          checked={draft.plays_sound}
          onChange={(plays) => set({ plays_sound: plays })}
        />
        <Switch
          label={t('webChat.showsPage')}
          hint={t('webChat.showsPageHint')}
          checked={draft.shows_page}
          onChange={(shows) => set({ shows_page: shows })}
        />
      </div>
    </Section>
  );
}

interface ChoiceProps<T extends string> {
  label: string;
  values: readonly T[];
  value: T;
  nameOf: (value: T) => string;
  onChange: (value: T) => void;
}

function Choice<T extends string>({ label, values, value, nameOf, onChange }: ChoiceProps<T>) {
  return (
    <SelectField
      label={label}
      value={value}
      onChange={({ target }) => {
        const chosen = values.find((one) => one === target.value);
        if (chosen) onChange(chosen);
      }}
    >
      {values.map((one) => (
        <option key={one} value={one}>
          {nameOf(one)}
        </option>
      ))}
    </SelectField>
  );
}
