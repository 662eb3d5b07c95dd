import { Plus, X } from 'lucide-react';
import { t, tDynamic } from '@/i18n';
import { IconButton } from '@/ui/Button';
import { addSpan, changeSpan, DAYS, type Day, type Hours, removeSpan, type Span } from './hours';

interface HoursProps {
  hours: Hours;
  onChange: (hours: Hours) => void;
  /** What a day without hours says. */
  closedLabel?: string;
}

/** Spans by weekday. A day without one is closed. */
export function HoursEditor({ hours, onChange, closedLabel = t('assistants.closed') }: HoursProps) {
  return (
    <ul className="divide-y divide-line rounded-lg border border-line">
      {DAYS.map((day) => (
        <li key={day} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-1.5">
          <span className="w-24 shrink-0 font-medium">{tDynamic('weekday', day)}</span>
          <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-4 gap-y-1">
            {!hours[day] && <span className="text-ink-soft">{closedLabel}</span>}
            {hours[day]?.map((span, index) => (
              <SpanFields key={index} {...{ hours, day, index, span, onChange }} />
            ))}
          </div>
          <IconButton
            label={t('assistants.addSpan', { day: tDynamic('weekday', day) })}
            icon={<Plus size={16} aria-hidden />}
            onClick={() => onChange(addSpan(hours, day))}
          />
        </li>
      ))}
    </ul>
  );
}

function SpanFields({
  hours,
  day,
  index,
  span,
  onChange,
}: HoursProps & { day: Day; index: number; span: Span }) {
  const [from, to] = span;
  const name = tDynamic('weekday', day);
  const change = (next: Span) => onChange(changeSpan(hours, day, index, next));
  return (
    <span className="flex items-center gap-1">
      <input
        type="time"
        required
        aria-label={t('assistants.from', { day: name })}
        value={from}
        onChange={(event) => change([event.target.value, to])}
        className="control w-auto"
      />
      –
      <input
        type="time"
        required
        aria-label={t('assistants.to', { day: name })}
        value={to}
        onChange={(event) => change([from, event.target.value])}
        className="control w-auto"
      />
      <IconButton
        label={t('assistants.removeSpan', { from, to, day: name })}
        icon={<X size={16} aria-hidden />}
        onClick={() => onChange(removeSpan(hours, day, index))}
      />
    </span>
  );
}
