import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { t, tDynamic } from '@/i18n';
import { Button, IconButton } from '@/ui/Button';
import { Checkbox, TextArea, TextField } from '@/ui/Field';
import { Menu, MenuItem, MenuLabel } from '@/ui/Menu';
import { SelectField } from '@/ui/SelectField';
import {
  BUILT_IN,
  type BuiltIn,
  FIELDS_MAX,
  type FieldDraft,
  type FieldType,
  isBuiltIn,
  leftOut,
  moved,
  OWN_TYPES,
} from './draft';

const LABEL_CHARS_MAX = 100;

interface FieldListProps {
  fields: FieldDraft[];
  onChange: (fields: FieldDraft[]) => void;
  /** The server's message for a path such as `fields.2.label`. */
  errorAt: (path: string) => string | undefined;
}

/** The fields of a form, in their order. Buttons move them, and Alt with an arrow key from within one. */
export function FieldList({ fields, onChange, errorAt }: FieldListProps) {
  const list = useRef<HTMLOListElement>(null);
  const count = useRef(0);
  const [said, setSaid] = useState('');
  const focusNext = useRef<string | null>(null);
  useEffect(() => {
    // An element that React moves in the page loses the focus.
    const selector = focusNext.current;
    focusNext.current = null;
    if (selector) list.current?.querySelector<HTMLElement>(selector)?.focus();
  });
  const change = (at: number, more: Partial<FieldDraft>) =>
    onChange(fields.map((field, other) => (other === at ? { ...field, ...more } : field)));
  const move = (at: number, to: number, focus: string) => {
    const next = moved(fields, at, to);
    const field = fields[at];
    if (next === fields || !field) return;
    focusNext.current = `[data-field="${field.id}"] ${focus}`;
    setSaid(t('forms.movedTo', { name: nameOf(field), position: to + 1, count: fields.length }));
    onChange(next);
  };
  const add = (field: Omit<FieldDraft, 'id' | 'options'>) => {
    count.current += 1;
    const id = field.key || `new${count.current}`;
    focusNext.current = `[data-field="${id}"] input`;
    onChange([...fields, { ...field, id, options: field.type === 'choice' ? t('forms.optionsUsual') : '' }]);
  };
  const remove = (at: number) => {
    const neighbour = fields[at + 1] ?? fields[at - 1];
    if (neighbour) focusNext.current = `[data-field="${neighbour.id}"] [data-remove]`;
    onChange(fields.filter((_, other) => other !== at));
  };
  return (
    <div className="flex flex-col gap-3">
      <ol ref={list} className="flex flex-col gap-2" aria-label={t('forms.fields')}>
        {fields.map((field, at) => (
          <li
            key={field.id}
            data-field={field.id}
            className="flex flex-col gap-2 rounded-lg border border-line p-3"
            onKeyDown={(event) => {
              if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
              event.preventDefault();
              const to = at + (event.key === 'ArrowUp' ? -1 : 1);
              move(at, to, focusOf(event.target as HTMLElement));
            }}
          >
            <div className="flex items-center gap-1">
              <p className="min-w-0 flex-1 truncate text-sm text-ink-soft">{kindOf(field)}</p>
              <IconButton
                label={t('forms.moveUp', { name: nameOf(field) })}
                icon={<ArrowUp size={16} aria-hidden />}
                data-up=""
                disabled={at === 0}
                onClick={() => move(at, at - 1, at === 1 ? '[data-down]' : '[data-up]')}
              />
              <IconButton
                label={t('forms.moveDown', { name: nameOf(field) })}
                icon={<ArrowDown size={16} aria-hidden />}
                data-down=""
                disabled={at === fields.length - 1}
                onClick={() => move(at, at + 1, at === fields.length - 2 ? '[data-up]' : '[data-down]')}
              />
              <IconButton
                label={t('ui.removeNamed', { name: nameOf(field) })}
                icon={<Trash2 size={16} aria-hidden />}
                data-remove=""
                disabled={fields.length === 1}
                onClick={() => remove(at)}
              />
            </div>
            <FieldForm
              field={field}
              error={(part) => errorAt(`fields.${at}.${part}`)}
              onChange={(more) => change(at, more)}
            />
          </li>
        ))}
      </ol>
      <p role="status" className="sr-only">
        {said}
      </p>
      {errorAt('fields') && (
        <p role="alert" className="text-sm text-danger">
          {errorAt('fields')}
        </p>
      )}
      <AddField fields={fields} onAdd={add} />
    </div>
  );
}

function FieldForm({
  field,
  error,
  onChange,
}: {
  field: FieldDraft;
  error: (part: string) => string | undefined;
  onChange: (more: Partial<FieldDraft>) => void;
}) {
  return (
    <>
      <div className="flex flex-wrap items-end gap-3">
        <div className="min-w-48 flex-1">
          <TextField
            label={t('forms.label')}
            value={field.label}
            maxLength={LABEL_CHARS_MAX}
            error={error('label') ?? error('key')}
            onChange={(event) => onChange({ label: event.target.value })}
          />
        </div>
        {!isBuiltIn(field.key) && (
          <div className="min-w-36">
            <SelectField
              label={t('forms.type')}
              value={field.type}
              error={error('type')}
              onChange={({ target }) => onChange({ type: target.value as FieldType })}
            >
              {OWN_TYPES.map((type) => (
                <option key={type} value={type}>
                  {tDynamic('formFieldType', type)}
                </option>
              ))}
            </SelectField>
          </div>
        )}
      </div>
      {field.type === 'choice' && (
        <TextArea
          label={t('forms.options')}
          rows={3}
          hint={t('forms.optionsHint')}
          value={field.options}
          error={error('options')}
          onChange={(event) => onChange({ options: event.target.value })}
        />
      )}
      <Checkbox
        label={field.type === 'checkbox' ? t('forms.mustBeChecked') : t('forms.required')}
        checked={field.required}
        onChange={(event) => onChange({ required: event.target.checked })}
      />
    </>
  );
}

function AddField({
  fields,
  onAdd,
}: {
  fields: FieldDraft[];
  onAdd: (field: Omit<FieldDraft, 'id' | 'options'>) => void;
}) {
  if (fields.length >= FIELDS_MAX)
    return <p className="text-sm text-ink-soft">{t('forms.fieldsMax', { count: FIELDS_MAX })}</p>;
  const missing = leftOut(fields);
  return (
    <div>
      <Menu
        align="start"
        trigger={<Button icon={<Plus size={16} aria-hidden />}>{t('forms.addField')}</Button>}
      >
        {missing.length > 0 && <MenuLabel>{t('forms.builtIn')}</MenuLabel>}
        {missing.map(({ key, type, required }) => (
          <MenuItem
            key={key}
            onSelect={() => onAdd({ key, type, required, label: tDynamic('formField', key) })}
          >
            {tDynamic('formField', key)}
          </MenuItem>
        ))}
        <MenuLabel>{t('forms.ownField')}</MenuLabel>
        {OWN_TYPES.map((type) => (
          <MenuItem
            key={type}
            onSelect={() => onAdd({ key: '', type, required: false, label: tDynamic('formFieldType', type) })}
          >
            {tDynamic('formFieldType', type)}
          </MenuItem>
        ))}
      </Menu>
    </div>
  );
}

/** What a field is, beside the label that visitors see. */
function kindOf({ key, type }: FieldDraft): string {
  const builtIn = BUILT_IN.find((field) => field.key === key)?.key;
  if (builtIn) return tDynamic('formField', builtIn satisfies BuiltIn);
  return key
    ? t('forms.storedAs', { type: tDynamic('formFieldType', ownType(type)), key })
    : tDynamic('formFieldType', ownType(type));
}

const ownType = (type: FieldType) => OWN_TYPES.find((own) => own === type) ?? 'text';

const nameOf = (field: FieldDraft) => field.label.trim() || kindOf(field);

/** Finds what had the focus in a field that was moved. */
function focusOf(element: HTMLElement): string {
  const marks = ['data-up', 'data-down', 'data-remove'].filter((mark) => element.hasAttribute(mark));
  if (marks[0]) return `[${marks[0]}]:not([disabled])`;
  return element instanceof HTMLTextAreaElement
    ? 'textarea'
    : element.getAttribute('type') === 'checkbox'
      ? '[type=checkbox]'
      : 'input';
}
