import { ChevronDown } from 'lucide-react';
import {
  Children,
  Fragment,
  isValidElement,
  lazy,
  type OptionHTMLAttributes,
  type ReactNode,
  Suspense,
  useRef,
  useState,
} from 'react';
import { type Described, Field } from './Field';
import { type Choice, Typeahead } from './typeahead';
import { usePopupTrigger } from './usePopupTrigger';

const load = () => import('./SelectPopup');
const SelectPopup = lazy(async () => ({ default: (await load()).SelectPopup }));

interface SelectFieldProps extends Described {
  name?: string;
  value?: string | number;
  /** Without it and without `value`, the first option is chosen. */
  defaultValue?: string | number;
  required?: boolean;
  disabled?: boolean;
  onChange?: (event: { target: { value: string } }) => void;
  /** `<option>` and `<optgroup>` elements, as in the browser's own select. */
  children: ReactNode;
}

type OptionProps = OptionHTMLAttributes<HTMLOptionElement>;

function choicesOf(children: ReactNode, group?: string): Choice[] {
  return Children.toArray(children).flatMap((child) => {
    if (!isValidElement<OptionProps>(child)) return [];
    const { props } = child;
    if (child.type === Fragment) return choicesOf(props.children, group);
    if (child.type === 'optgroup') return choicesOf(props.children, props.label);
    const label = Children.toArray(props.children).join('');
    return [{ value: String(props.value ?? label), label, lang: props.lang, group }];
  });
}

/** One of several options. Typing finds one, also while the list is closed. */
export function SelectField(props: SelectFieldProps) {
  const { label, hint, error, hideLabel, name, required, disabled, onChange } = props;
  const choices = choicesOf(props.children);
  const [own, setOwn] = useState(String(props.defaultValue ?? choices[0]?.value ?? ''));
  const value = props.value === undefined ? own : String(props.value);
  const [open, setOpen] = useState(false);
  const typeahead = useRef(new Typeahead());
  const change = (next: string) => {
    setOwn(next);
    if (next !== value) onChange?.({ target: { value: next } });
  };
  return (
    <Field {...{ label, hint, error, hideLabel }}>
      {(wiring) => (
        <SelectControl
          {...{ choices, value, open, change }}
          onOpenChange={setOpen}
          button={
            <button
              type="button"
              role="combobox"
              aria-expanded={open}
              {...wiring}
              aria-required={required}
              disabled={disabled}
              className="control flex items-center gap-2 text-start aria-expanded:border-accent"
              onKeyDownCapture={(event) => {
                if (event.ctrlKey || event.metaKey || event.altKey) return;
                const found = typeahead.current.press(event.key, event.timeStamp, choices);
                if (found === undefined) return;
                // A space within words must not open the list.
                event.preventDefault();
                if (found) change(found.value);
              }}
            >
              <span className="min-w-0 flex-1 truncate">
                {choices.find((choice) => choice.value === value)?.label}
              </span>
              <ChevronDown size={16} aria-hidden className="shrink-0 text-ink-soft" />
            </button>
          }
        >
          {(name || required) && (
            <FormValue name={name} value={value} required={required === true} disabled={disabled === true} />
          )}
        </SelectControl>
      )}
    </Field>
  );
}

interface ControlProps {
  choices: readonly Choice[];
  value: string;
  change: (value: string) => void;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  button: Parameters<typeof usePopupTrigger>[0]['trigger'];
  children: ReactNode;
}

function SelectControl({ choices, value, change, open, onOpenChange, button, children }: ControlProps) {
  const trigger = usePopupTrigger({ kind: 'listbox', trigger: button, open, onOpenChange, load });
  return (
    <div className="relative min-w-0">
      {trigger.button}
      {children}
      {trigger.popup && (
        <Suspense fallback={null}>
          <SelectPopup {...trigger.popup} choices={choices} value={value} onChange={change} />
        </Suspense>
      )}
    </div>
  );
}

interface FormValueProps {
  name: string | undefined;
  value: string;
  required: boolean;
  disabled: boolean;
}

/** What the form sees. The browser points at it when a choice is required and missing. */
function FormValue({ name, value, required, disabled }: FormValueProps) {
  return (
    <input
      aria-hidden
      tabIndex={-1}
      className="pointer-events-none absolute bottom-0 left-1/2 size-px opacity-0"
      {...{ name, value, required, disabled }}
      onChange={() => undefined}
      onFocus={(event) => event.currentTarget.parentElement?.querySelector('button')?.focus()}
    />
  );
}
