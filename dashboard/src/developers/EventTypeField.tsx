import { useQuery } from '@tanstack/react-query';
import type { EventType } from '@/api/schema';
import { t } from '@/i18n';
import { SelectField } from '@/ui/SelectField';
import { eventTypesQuery } from './queries';

interface EventTypeFieldProps {
  value: EventType | undefined;
  onChange: (type: EventType | undefined) => void;
}

/** Narrows a list down to one type of events. */
export function EventTypeField({ value, onChange }: EventTypeFieldProps) {
  const types = useQuery(eventTypesQuery).data ?? [];
  return (
    <SelectField
      label={t('events.type')}
      hideLabel
      value={value ?? ''}
      onChange={({ target }) => onChange((target.value || undefined) as EventType | undefined)}
    >
      <option value="">{t('events.anyType')}</option>
      {types.map(({ event_type: type }) => (
        <option key={type} value={type}>
          {type}
        </option>
      ))}
    </SelectField>
  );
}
