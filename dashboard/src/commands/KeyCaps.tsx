import { keyLabels } from './keys';

export function KeyCaps({ shortcut }: { shortcut: string }) {
  return (
    <span className="flex shrink-0 gap-1">
      {keyLabels(shortcut, navigator.platform).map((label) => (
        <kbd
          key={label}
          className="rounded border border-line bg-sunken px-1.5 font-sans text-xs text-ink-soft"
        >
          {label}
        </kbd>
      ))}
    </span>
  );
}
