import { type CSSProperties, useState } from 'react';

const HUES = 12;

/** A stable hue per name, so that the same person always looks the same. */
export function hueOf(text: string): number {
  let sum = 0;
  for (const character of text) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  return (sum % HUES) * (360 / HUES);
}

export function initials(name: string): string {
  const words = name.trim().split(/\s+/).filter(Boolean);
  const first = [...(words[0] ?? '')][0] ?? '?';
  const last = words.length > 1 ? ([...(words.at(-1) ?? '')][0] ?? '') : '';
  return (first + last).toLocaleUpperCase();
}

/** A picture that cannot be shown (it is gone, or of another host) gives way to the initials. */
export function Avatar({ name, src, size = 36 }: { name: string; src?: string | null; size?: number }) {
  const [broken, setBroken] = useState<string | null>(null);
  const box = { width: size, height: size };
  if (src && src !== broken)
    return (
      <img
        src={src}
        alt=""
        style={box}
        className="shrink-0 rounded-full object-cover"
        loading="lazy"
        onError={() => setBroken(src)}
      />
    );
  return (
    <span
      aria-hidden
      style={{ ...box, '--hue': hueOf(name), fontSize: size * 0.38 } as CSSProperties}
      className="avatar-tone inline-flex shrink-0 items-center justify-center rounded-full font-semibold select-none"
    >
      {initials(name)}
    </span>
  );
}
