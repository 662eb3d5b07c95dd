import { X } from 'lucide-react';
import { t } from '@/i18n';

interface TagProps {
  name: string;
  color: string;
  onRemove?: () => void;
}

export function Tag({ name, color, onRemove }: TagProps) {
  return (
    <span className="inline-flex max-w-full items-center gap-1.5 rounded-full border border-line bg-surface px-2 py-0.5 text-sm">
      <span className="size-2.5 shrink-0 rounded-full" style={{ background: color }} aria-hidden />
      <span className="truncate">{name}</span>
      {onRemove && (
        <button
          type="button"
          onClick={onRemove}
          aria-label={t('ui.removeNamed', { name })}
          className="-me-1 rounded-full p-0.5 text-ink-soft hover:bg-sunken"
        >
          <X size={14} aria-hidden />
        </button>
      )}
    </span>
  );
}

type Tone = 'neutral' | 'accent' | 'danger' | 'warning' | 'success';

const TONES: Record<Tone, string> = {
  neutral: 'bg-sunken text-ink-soft',
  accent: 'bg-badge text-badge-ink',
  danger: 'bg-danger-soft text-danger',
  warning: 'bg-warning-soft text-warning',
  success: 'bg-sunken text-success',
};

export function Badge({ children, tone = 'neutral' }: { children: React.ReactNode; tone?: Tone }) {
  return (
    <span
      className={`inline-flex items-center rounded-full px-2 py-0.5 text-xs font-medium whitespace-nowrap ${TONES[tone]}`}
    >
      {children}
    </span>
  );
}
