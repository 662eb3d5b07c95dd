/**
 * Keyboard shortcuts: `?`, `Mod+K` (Ctrl, or Command on a Mac), or a sequence such as `g i`. One
 * without a modifier never fires while the member types.
 */
export interface KeyPress {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
}

/** Keys of a sequence have to follow each other within this time. */
export const SEQUENCE_MS_MAX = 1_000;

export function matches(step: string, press: KeyPress): boolean {
  const parts = step.split('+');
  const key = step === '+' ? '+' : (parts.at(-1) ?? '');
  const wants = (modifier: string) => parts.length > 1 && parts.slice(0, -1).includes(modifier);
  if (wants('Mod') !== (press.ctrlKey || press.metaKey)) return false;
  if (wants('Alt') !== press.altKey) return false;
  // Shift is part of a character such as `?`; it counts only beside a letter or a named key.
  if (wants('Shift') !== press.shiftKey && /^(\w|\w{2,})$/.test(key)) return false;
  return press.key.toLowerCase() === key.toLowerCase();
}

/** Follows key presses and says which shortcut they complete. */
export class KeySequence {
  private pending: { steps: KeyPress[]; at: number } = { steps: [], at: 0 };

  /** The first of `shortcuts` that this press completes. */
  press(press: KeyPress, shortcuts: readonly string[], now: number): string | undefined {
    const fresh = now - this.pending.at > SEQUENCE_MS_MAX ? [] : this.pending.steps;
    const steps = [...fresh, press];
    const complete = shortcuts.find((shortcut) => this.fits(shortcut.split(' '), steps, true));
    if (complete) {
      this.pending = { steps: [], at: 0 };
      return complete;
    }
    const begun = shortcuts.some((shortcut) => this.fits(shortcut.split(' '), steps, false));
    if (begun) {
      this.pending = { steps, at: now };
      return undefined;
    }
    this.pending = { steps: [], at: 0 };
    return fresh.length > 0 ? this.press(press, shortcuts, now) : undefined;
  }

  private fits(wanted: string[], steps: KeyPress[], whole: boolean): boolean {
    if (whole ? wanted.length !== steps.length : wanted.length <= steps.length) return false;
    return steps.every((step, index) => matches(wanted[index] ?? '', step));
  }
}

export function hasModifier(shortcut: string): boolean {
  return shortcut.includes('Mod+') || shortcut.includes('Alt+');
}

/** Whether key presses at this element are text. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable) return true;
  if (target instanceof HTMLInputElement)
    return !['checkbox', 'radio', 'button', 'submit'].includes(target.type);
  // Typing finds an option of a select.
  return target instanceof HTMLTextAreaElement || target.getAttribute('role') === 'combobox';
}

const APPLE = /Mac|iPhone|iPad/;

/** The keys as a person reads them: `Ctrl K`, `⌘ K`, `G I`. */
export function keyLabels(shortcut: string, platform: string): string[] {
  return shortcut
    .split(' ')
    .flatMap((step) => (step === '+' ? [step] : step.split('+')))
    .map((key) =>
      key === 'Mod' ? (APPLE.test(platform) ? '⌘' : 'Ctrl') : key.length === 1 ? key.toUpperCase() : key,
    );
}
