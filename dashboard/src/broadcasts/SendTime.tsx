import { useId } from 'react';
import { t } from '@/i18n';
import { mediumTime } from '@/i18n/time';
import { TextField } from '@/ui/Field';
import { toInstant } from './zone';

export interface SendTimeDraft {
  when: 'now' | 'later';
  /** What the clock shows in the account's timezone, as a date field has it. */
  at: string;
}

interface SendTimeProps {
  draft: SendTimeDraft;
  timezone: string;
  onChange: (draft: SendTimeDraft) => void;
}

/** Now, or at a time in the account's timezone. */
export function SendTime({ draft, timezone, onChange }: SendTimeProps) {
  const name = useId();
  const at = toInstant(draft.at, timezone);
  const isElsewhere = Intl.DateTimeFormat().resolvedOptions().timeZone !== timezone;
  const isPast = at !== null && at.getTime() <= Date.now();
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="sr-only">{t('broadcast.when')}</legend>
      {(['now', 'later'] as const).map((when) => (
        <label key={when} className="flex items-center gap-2">
          <input
            type="radio"
            name={name}
            checked={draft.when === when}
            onChange={() => onChange({ ...draft, when })}
            className="size-4.5 accent-accent"
          />
          {when === 'now' ? t('broadcast.now') : t('broadcast.later')}
        </label>
      ))}
      {draft.when === 'later' && (
        <div className="max-w-72 ps-6.5">
          <TextField
            type="datetime-local"
            label={t('broadcast.at', { timezone: timezone.replaceAll('_', ' ') })}
            value={draft.at}
            onChange={(event) => onChange({ ...draft, at: event.target.value })}
            error={at === null ? t('broadcast.atMissing') : isPast ? t('broadcast.atPast') : undefined}
            hint={
              at && isElsewhere ? t('broadcast.atHere', { time: mediumTime(at.toISOString()) }) : undefined
            }
            required
          />
        </div>
      )}
    </fieldset>
  );
}
