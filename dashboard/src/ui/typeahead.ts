/** Finds an option by the letters that are typed one after the other, as the browser's own select does. Pure. */
export interface Choice {
  value: string;
  label: string;
  lang?: string | undefined;
  /** The heading above it, if it is in a group. */
  group?: string | undefined;
}

/** Letters that come later begin anew. */
export const TYPING_MS_MAX = 750;

export class Typeahead {
  private typed = '';
  private last = Number.NEGATIVE_INFINITY;

  /** The option that is meant; null if there is none; undefined if the key is not part of a word. */
  press(key: string, now: number, choices: readonly Choice[]): Choice | null | undefined {
    if (now - this.last > TYPING_MS_MAX) this.typed = '';
    if ([...key].length !== 1 || (key === ' ' && this.typed === '')) return undefined;
    this.last = now;
    this.typed += key.toLocaleLowerCase();
    return choices.find(({ label }) => label.toLocaleLowerCase().startsWith(this.typed)) ?? null;
  }
}
