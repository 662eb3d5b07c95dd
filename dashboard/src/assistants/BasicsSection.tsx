import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { t } from '@/i18n';
import { accountQuery } from '@/session/queries';
import { useIsAdmin } from '@/session/session';
import { TextArea, TextField } from '@/ui/Field';
import { SelectField } from '@/ui/SelectField';
import { Switch } from '@/ui/Switch';
import { EditorSection, type SectionProps } from './section';

const PROMPT_CHARS_MAX = 32_000;
const TEMPERATURE_MAX = 2;
const TEMPERATURE_USUAL = 0.7;
const HISTORY_MAX = 1_000;
const HISTORY_USUAL = 50;
const COLOR_USUAL = '#0f766e';

/** Who it is: name, prompt and model. */
export function BasicsSection({ draft, set, errorAt }: SectionProps) {
  return (
    <EditorSection name="basics">
      <Switch
        label={
          <span className="font-medium">{draft.enabled ? t('assistants.on') : t('assistants.off')}</span>
        }
        hint={t('assistantHelp.enabled')}
        checked={draft.enabled}
        onChange={(enabled) => set({ enabled })}
      />
      <div className="flex flex-wrap gap-3">
        <div className="min-w-48 flex-1">
          <TextField
            label={t('assistantField.name')}
            value={draft.name}
            maxLength={100}
            required
            error={errorAt('name')}
            onChange={(event) => set({ name: event.target.value })}
          />
        </div>
        <div className="w-24">
          <TextField
            label={t('assistantField.color')}
            type="color"
            value={/^#[0-9a-f]{6}$/i.test(draft.color ?? '') ? (draft.color ?? '') : COLOR_USUAL}
            error={errorAt('color')}
            onChange={(event) => set({ color: event.target.value })}
          />
        </div>
      </div>
      <TextArea
        label={t('assistantField.system_prompt')}
        hint={t('assistantHelp.system_prompt')}
        rows={10}
        maxLength={PROMPT_CHARS_MAX}
        value={draft.system_prompt}
        error={errorAt('system_prompt')}
        onChange={(event) => set({ system_prompt: event.target.value })}
      />
      <ModelField draft={draft} set={set} errorAt={errorAt} />
      <Temperature draft={draft} set={set} errorAt={errorAt} />
      <History draft={draft} set={set} errorAt={errorAt} />
    </EditorSection>
  );
}

/** A list where the operator has named the models that may be chosen, else free text. */
function ModelField({ draft, set, errorAt }: SectionProps) {
  const account = useQuery({ ...accountQuery, enabled: useIsAdmin() }).data;
  const usual = account?.model
    ? t('assistants.modelDefaultNamed', { name: account.model })
    : t('assistants.modelDefault');
  const models = account?.models;
  if (!models)
    return (
      <TextField
        label={t('assistantField.model')}
        hint={t('assistantHelp.model')}
        placeholder={usual}
        maxLength={100}
        value={draft.model ?? ''}
        error={errorAt('model')}
        onChange={(event) => set({ model: event.target.value || null })}
      />
    );
  const offered = draft.model && !models.includes(draft.model) ? [draft.model, ...models] : models;
  return (
    <SelectField
      label={t('assistantField.model')}
      value={draft.model ?? ''}
      error={errorAt('model')}
      onChange={(event) => set({ model: event.target.value || null })}
    >
      <option value="">{usual}</option>
      {offered.map((model) => (
        <option key={model} value={model}>
          {model}
        </option>
      ))}
    </SelectField>
  );
}

function Temperature({ draft, set }: SectionProps) {
  const id = useId();
  const { temperature } = draft;
  return (
    <div className="flex flex-col gap-1">
      <Switch
        label={`${t('assistantField.temperature')}: ${t('assistants.temperatureDefault')}`}
        hint={t('assistantHelp.temperature')}
        checked={temperature === null}
        onChange={(usual) => set({ temperature: usual ? null : TEMPERATURE_USUAL })}
      />
      {temperature !== null && (
        <>
          <label htmlFor={id}>{t('assistants.temperatureValue', { value: temperature })}</label>
          <input
            id={id}
            type="range"
            min={0}
            max={TEMPERATURE_MAX}
            step={0.1}
            value={temperature}
            onChange={(event) => set({ temperature: Number(event.target.value) })}
            className="accent-accent"
          />
        </>
      )}
    </div>
  );
}

/** How much of the conversation the model reads. */
function History({ draft, set, errorAt }: SectionProps) {
  const { history_limit: limit } = draft;
  const choice = limit === null ? 'all' : limit === 0 ? 'none' : 'last';
  const choose = (next: string) =>
    set({ history_limit: next === 'all' ? null : next === 'none' ? 0 : HISTORY_USUAL });
  return (
    <div className="flex flex-wrap gap-3">
      <div className="min-w-56 flex-1">
        <SelectField
          label={t('assistantField.history_limit')}
          value={choice}
          onChange={(event) => choose(event.target.value)}
        >
          <option value="all">{t('assistants.historyAll')}</option>
          <option value="last">{t('assistants.historyLast')}</option>
          <option value="none">{t('assistants.historyNone')}</option>
        </SelectField>
      </div>
      {choice === 'last' && (
        <div className="w-28">
          <TextField
            label={t('assistants.historyCount')}
            type="number"
            min={1}
            max={HISTORY_MAX}
            value={String(limit)}
            error={errorAt('history_limit')}
            onChange={(event) =>
              set({
                history_limit: Math.min(
                  HISTORY_MAX,
                  Math.max(1, Math.trunc(Number(event.target.value)) || 1),
                ),
              })
            }
          />
        </div>
      )}
    </div>
  );
}
