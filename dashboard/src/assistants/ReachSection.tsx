import { useQuery } from '@tanstack/react-query';
import { CHANNELS } from '@/api/channels';
import type { ScheduleMode } from '@/api/schema';
import { t, tDynamic } from '@/i18n';
import { useActiveMembers } from '@/session/members';
import { connectionsQuery } from '@/session/queries';
import { useIsAdmin, useSession } from '@/session/session';
import { Checkbox } from '@/ui/Field';
import { SelectField } from '@/ui/SelectField';
import { HoursEditor } from './HoursEditor';
import { hoursOf, usualHours } from './hours';
import { Rivals } from './Rivals';
import { NUMBER_PREFIX } from './rivals';
import { EditorSection, type SectionProps } from './section';

type ReachProps = SectionProps & { assistantId: string };

const MODES: readonly ScheduleMode[] = ['always', 'outside_business_hours', 'custom_hours'];

/** Where and when it answers, and who takes over. */
export function ReachSection({ assistantId, draft, set, errorAt }: ReachProps) {
  const { account } = useSession();
  const members = useActiveMembers();
  const { schedule } = draft;
  const error = errorAt('schedule');
  return (
    <EditorSection name="reach">
      <Targets assistantId={assistantId} draft={draft} set={set} errorAt={errorAt} />
      <div className="flex flex-col gap-2">
        <SelectField
          label={t('assistantField.schedule')}
          value={schedule.mode}
          onChange={(event) => {
            const mode = event.target.value as ScheduleMode;
            set({ schedule: { mode, hours: mode === 'custom_hours' ? (usualHours() as never) : null } });
          }}
        >
          {MODES.map((mode) => (
            <option key={mode} value={mode}>
              {tDynamic('scheduleMode', mode)}
            </option>
          ))}
        </SelectField>
        {schedule.mode === 'custom_hours' && (
          <HoursEditor
            hours={hoursOf(schedule)}
            onChange={(hours) => set({ schedule: { mode: 'custom_hours', hours: hours as never } })}
          />
        )}
        {schedule.mode !== 'always' && (
          <p className="text-sm text-ink-soft">{t('assistants.zone', { zone: account.timezone })}</p>
        )}
        {error && (
          <p role="alert" className="text-sm text-danger">
            {error}
          </p>
        )}
      </div>
      <SelectField
        label={t('assistantField.default_handoff_user_id')}
        hint={t('assistantHelp.default_handoff_user_id')}
        value={draft.default_handoff_user_id ?? ''}
        error={errorAt('default_handoff_user_id')}
        onChange={(event) => set({ default_handoff_user_id: event.target.value || null })}
      >
        <option value="">{t('assistants.handoffNobody')}</option>
        {members.map((member) => (
          <option key={member.id} value={member.id}>
            {member.name}
          </option>
        ))}
      </SelectField>
    </EditorSection>
  );
}

/** Channels, and single personal numbers where there are several. */
function Targets({ assistantId, draft, set, errorAt }: ReachProps) {
  const connections = useQuery({ ...connectionsQuery, enabled: useIsAdmin() }).data ?? [];
  const numbers = connections.filter(({ channel }) => channel === 'personal_whatsapp');
  const toggle = (target: string, chosen: boolean) =>
    set({
      targets: chosen ? [...draft.targets, target] : draft.targets.filter((other) => other !== target),
    });
  const box = (target: string, label: string) => (
    <Checkbox
      key={target}
      label={label}
      checked={draft.targets.includes(target)}
      onChange={(event) => toggle(target, event.target.checked)}
    />
  );
  const nameOf = (target: string) => {
    const id = target.startsWith(NUMBER_PREFIX) ? target.slice(NUMBER_PREFIX.length) : null;
    return id === null ? tDynamic('channel', target) : (numbers.find((one) => one.id === id)?.name ?? target);
  };
  const error = errorAt('targets');
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="mb-1 font-medium">{t('assistantField.targets')}</legend>
      <p className="text-sm text-ink-soft">{t('assistantHelp.targets')}</p>
      <div className="flex flex-wrap gap-x-5">
        {CHANNELS.map((channel) => box(channel, tDynamic('channel', channel)))}
        {numbers.map(({ id, name }) => box(NUMBER_PREFIX + id, t('assistants.personalNumber', { name })))}
      </div>
      <Rivals assistantId={assistantId} targets={draft.targets} nameOf={nameOf} />
      {error && (
        <p role="alert" className="text-sm text-danger">
          {error}
        </p>
      )}
    </fieldset>
  );
}
