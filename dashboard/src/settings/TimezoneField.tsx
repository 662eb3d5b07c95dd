import { useMemo } from 'react';
import { t } from '@/i18n';
import { Picker } from '@/ui/Picker';

/** No browser lists it, and servers use it. */
const UTC = 'UTC';

/** The zones that the browser knows, and the one that is chosen. */
function zones(chosen: string): string[] {
  return [...new Set([...Intl.supportedValuesOf('timeZone'), UTC, chosen])].sort();
}

interface TimezoneFieldProps {
  value: string;
  onChange: (zone: string) => void;
  error: string | undefined;
}

/** A zone by its name, found by typing a part of it. */
export function TimezoneField({ value, onChange, error }: TimezoneFieldProps) {
  const offered = useMemo(() => zones(value), [value]);
  return (
    <Picker
      label={t('account.timezone')}
      hint={t('account.timezoneHint')}
      items={offered}
      text={String}
      itemKey={String}
      value={value}
      // An emptied field is on the way to another zone: there is no account without one.
      onChange={(zone) => zone && onChange(zone)}
      error={error}
    />
  );
}
