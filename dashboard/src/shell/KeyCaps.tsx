import { keyLabels } from './keys';

export function KeyCaps({ shortcut }: { shortcut: string }) {
  return (
    <span className="flex shrink-0 gap-1">
      {keyLabels(shortcut, navigator.platform).map((label, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a shortcut never changes its order
        <kbd
          key={index}
          className="rounded border border-line bg-sunken px-1.5 font-sans text-xs text-ink-soft"
        >
          {label}
        </kbd>
      ))}
    </span>
  );
}
