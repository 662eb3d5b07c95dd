import { useId, useMemo } from 'react';
import { t } from '@/i18n';
import { TextField } from '@/ui/Field';

/** The zones that the browser knows, and the one that is chosen. */
function zones(chosen: string): string[] {
  const known = Intl.supportedValuesOf('timeZone');
  return known.includes(chosen) ? known : [chosen, ...known];
}

/** A zone by its name. What is typed is completed from the list; the server checks it. */
export function TimezoneField({ value, error }: { value: string; error: string | undefined }) {
  const id = useId();
  const offered = useMemo(() => zones(value), [value]);
  return (
    <>
      <TextField
        label={t('account.timezone')}
        name="timezone"
        hint={t('account.timezoneHint')}
        defaultValue={value}
        list={id}
        autoComplete="off"
        required
        error={error}
      />
      <datalist id={id}>
        {offered.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  );
}
