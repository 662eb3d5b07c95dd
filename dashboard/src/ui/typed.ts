/** Whether text was typed into the fields of an element and not taken back. */
type TextControl = HTMLInputElement | HTMLTextAreaElement;

/** What is typed to find something, or chosen by a click, is not worth a question. */
const NOT_TEXT = new Set([
  'checkbox',
  'radio',
  'button',
  'submit',
  'file',
  'range',
  'color',
  'search',
  'hidden',
]);

function isText(target: EventTarget | null): target is TextControl {
  if (target instanceof HTMLTextAreaElement) return !target.readOnly;
  if (!(target instanceof HTMLInputElement) || target.readOnly) return false;
  return !NOT_TEXT.has(target.type) && target.getAttribute('role') !== 'combobox';
}

/** The fields that were typed into, each with its text before that. */
export class TypedFields {
  private readonly before = new Map<TextControl, string>();

  /** Listens to the fields of an element until the returned function is called. */
  listen(container: HTMLElement): () => void {
    // `beforeinput` knows the text before. What a password manager fills in comes without it.
    const remember = (event: Event) => {
      if (!isText(event.target) || this.before.has(event.target)) return;
      this.before.set(event.target, event.type === 'beforeinput' ? event.target.value : '');
    };
    container.addEventListener('beforeinput', remember);
    container.addEventListener('input', remember);
    return () => {
      container.removeEventListener('beforeinput', remember);
      container.removeEventListener('input', remember);
      this.before.clear();
    };
  }

  /** Whether some field still has other text than before. */
  get any(): boolean {
    return [...this.before].some(([field, text]) => field.isConnected && field.value !== text);
  }
}
