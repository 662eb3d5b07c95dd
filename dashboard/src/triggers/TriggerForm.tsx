import { useQuery } from '@tanstack/react-query';
import type { AudienceType, TriggerEvent, TriggerKind, TriggerPeriod } from '@/api/schema';
import { ContactPicker } from '@/contacts/ContactPicker';
import { contactQuery, segmentsQuery } from '@/contacts/queries';
import { t, tDynamic } from '@/i18n';
import { assistantsQuery } from '@/session/assistants';
import { useSession } from '@/session/session';
import { Checkbox, TextArea, TextField } from '@/ui/Field';
import { Section } from '@/ui/Page';
import { SelectField } from '@/ui/SelectField';
import { weekdayName } from './describe';
import { AUDIENCES, type Draft, EVENTS, hasAudience, KINDS, PERIODS, TARGETS_MAX } from './draft';

interface FormProps {
  draft: Draft;
  onChange: (change: Partial<Draft>) => void;
}

const DAYS_OF_WEEK = [1, 2, 3, 4, 5, 6, 0];
const DAYS_OF_MONTH = Array.from({ length: 31 }, (_, index) => index + 1);

export function TriggerForm({ draft, onChange, readOnly }: FormProps & { readOnly: boolean }) {
  return (
    <fieldset disabled={readOnly} className="flex min-w-0 flex-col gap-4">
      <legend className="sr-only">{t('trigger.settings')}</legend>
      <What draft={draft} onChange={onChange} />
      <When draft={draft} onChange={onChange} />
      {hasAudience(draft) && <Who draft={draft} onChange={onChange} />}
    </fieldset>
  );
}

function What({ draft, onChange }: FormProps) {
  const assistants = useQuery(assistantsQuery).data ?? [];
  return (
    <Section title={t('trigger.what')}>
      <div className="flex flex-col gap-3">
        <TextField
          label={t('trigger.name')}
          value={draft.name}
          onChange={({ target }) => onChange({ name: target.value })}
          required
          maxLength={200}
        />
        <SelectField
          label={t('trigger.assistant')}
          value={draft.assistantId}
          onChange={({ target }) => onChange({ assistantId: target.value })}
        >
          {assistants.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
        <TextArea
          label={t('trigger.goal')}
          hint={t('trigger.goalHint')}
          value={draft.goal}
          onChange={({ target }) => onChange({ goal: target.value })}
          required
          maxLength={8000}
        />
        <Checkbox
          label={t('trigger.enabled')}
          hint={t('trigger.enabledHint')}
          checked={draft.enabled}
          onChange={({ target }) => onChange({ enabled: target.checked })}
        />
      </div>
    </Section>
  );
}

function When({ draft, onChange }: FormProps) {
  const { timezone } = useSession().account;
  return (
    <Section title={t('trigger.when')}>
      <div className="flex flex-col gap-3">
        <div role="radiogroup" aria-label={t('trigger.kind')} className="grid gap-2 sm:grid-cols-2">
          {KINDS.map((kind: TriggerKind) => (
            <label
              key={kind}
              className="flex items-start gap-2 rounded-lg border border-line p-3 has-checked:border-accent has-checked:bg-selected"
            >
              <input
                type="radio"
                name="kind"
                className="mt-1 accent-accent"
                checked={draft.kind === kind}
                onChange={() => onChange({ kind })}
              />
              <span>
                <span className="block font-medium">{tDynamic('triggerKind', kind)}</span>
                <span className="text-sm text-ink-soft">{tDynamic('triggerKindHelp', kind)}</span>
              </span>
            </label>
          ))}
        </div>
        {draft.kind === 'recurring' && <Recurrence draft={draft} onChange={onChange} />}
        {draft.kind === 'once' && (
          <TextField
            label={t('trigger.runAt')}
            hint={t('trigger.zone', { zone: timezone })}
            type="datetime-local"
            required
            value={draft.runAt}
            onChange={({ target }) => onChange({ runAt: target.value })}
          />
        )}
        {draft.kind === 'event' && (
          <SelectField
            label={t('trigger.event')}
            value={draft.eventKey}
            onChange={({ target }) => onChange({ eventKey: target.value as TriggerEvent })}
          >
            {EVENTS.map((event) => (
              <option key={event} value={event}>
                {tDynamic('triggerEvent', event)}
              </option>
            ))}
          </SelectField>
        )}
        <Checkbox
          label={t('trigger.quiet')}
          hint={t('trigger.quietHint')}
          checked={draft.quietHours}
          onChange={({ target }) => onChange({ quietHours: target.checked })}
        />
      </div>
    </Section>
  );
}

function Recurrence({ draft, onChange }: FormProps) {
  const { timezone } = useSession().account;
  return (
    <div className="grid gap-3 sm:grid-cols-3">
      <SelectField
        label={t('trigger.period')}
        value={draft.period}
        onChange={({ target }) => onChange({ period: target.value as TriggerPeriod })}
      >
        {PERIODS.map((period) => (
          <option key={period} value={period}>
            {tDynamic('triggerPeriod', period)}
          </option>
        ))}
      </SelectField>
      {draft.period === 'weekly' && (
        <SelectField
          label={t('trigger.weekday')}
          value={draft.dayOfWeek}
          onChange={({ target }) => onChange({ dayOfWeek: Number(target.value) })}
        >
          {DAYS_OF_WEEK.map((day) => (
            <option key={day} value={day}>
              {weekdayName(day)}
            </option>
          ))}
        </SelectField>
      )}
      {draft.period === 'monthly' && (
        <SelectField
          label={t('trigger.monthday')}
          hint={t('trigger.monthdayHint')}
          value={draft.dayOfMonth}
          onChange={({ target }) => onChange({ dayOfMonth: Number(target.value) })}
        >
          {DAYS_OF_MONTH.map((day) => (
            <option key={day} value={day}>
              {day}
            </option>
          ))}
        </SelectField>
      )}
      <TextField
        label={t('trigger.time')}
        hint={t('trigger.zone', { zone: timezone })}
        type="time"
        required
        value={draft.time}
        onChange={({ target }) => onChange({ time: target.value })}
      />
    </div>
  );
}

function Who({ draft, onChange }: FormProps) {
  const segments = useQuery(segmentsQuery).data ?? [];
  const contact = useQuery({
    ...contactQuery(draft.contactId ?? ''),
    enabled: draft.audience === 'contact' && draft.contactId !== null,
  }).data;
  return (
    <Section title={t('trigger.who')}>
      <div className="flex flex-col gap-3">
        <SelectField
          label={t('trigger.audience')}
          value={draft.audience}
          onChange={({ target }) => onChange({ audience: target.value as AudienceType })}
        >
          {AUDIENCES.map((audience) => (
            <option key={audience} value={audience}>
              {tDynamic('triggerAudience', audience)}
            </option>
          ))}
        </SelectField>
        {draft.audience === 'contact' && (
          <ContactPicker
            label={t('trigger.contact')}
            value={draft.contactId !== null && contact ? contact : null}
            onChange={(chosen) => onChange({ contactId: chosen?.id ?? null })}
          />
        )}
        {draft.audience === 'segment' && (
          <div className="grid gap-3 sm:grid-cols-[1fr_10rem]">
            <SelectField
              label={t('trigger.segment')}
              required
              value={draft.segmentId ?? ''}
              hint={segments.length === 0 ? t('trigger.noSegments') : undefined}
              onChange={({ target }) => onChange({ segmentId: target.value || null })}
            >
              <option value="">{t('trigger.chooseSegment')}</option>
              {draft.segmentId !== null && !segments.some(({ id }) => id === draft.segmentId) && (
                <option value={draft.segmentId}>{t('trigger.unlistedSegment')}</option>
              )}
              {segments.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </SelectField>
            <TextField
              label={t('trigger.maxTargets')}
              type="number"
              required
              min={1}
              max={TARGETS_MAX}
              value={draft.maxTargets}
              onChange={({ target }) => onChange({ maxTargets: Number(target.value) })}
            />
          </div>
        )}
      </div>
    </Section>
  );
}
