import { lazy, type ReactNode, Suspense } from 'react';
import type { PickerProps } from './PickerField';

const PickerField = lazy(async () => ({ default: (await import('./PickerField')).PickerField })) as <T>(
  props: PickerProps<T>,
) => ReactNode;

/** A field that finds one of many by typing. Its code is large, and loaded when it is first shown. */
export function Picker<T>(props: PickerProps<T>) {
  const { label, hint, value, text } = props;
  return (
    <Suspense
      fallback={
        <span className="flex flex-col gap-1">
          <span className="font-medium">{label}</span>
          <span className="control flex items-center">{value && text(value)}</span>
          {hint && <span className="text-sm text-ink-soft">{hint}</span>}
        </span>
      }
    >
      <PickerField {...props} />
    </Suspense>
  );
}
