import { useQuery } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { CHANNELS } from '@/api/channels';
import type { CustomField, Op } from '@/api/schema';
import { t, tDynamic } from '@/i18n';
import { IconButton } from '@/ui/Button';
import { TextField } from '@/ui/Field';
import { SelectField } from '@/ui/SelectField';
import { tagsQuery } from '../queries';
import { DAYS_MAX, type DraftRule, FIELDS, opsOf, valueKind, withField, withOp } from './rules';

interface RuleRowProps {
  number: number;
  rule: DraftRule;
  fields: CustomField[];
  onChange: (rule: DraftRule) => void;
  onRemove: () => void;
}

export function RuleRow({ number, rule, fields, onChange, onRemove }: RuleRowProps) {
  return (
    <li className="flex flex-wrap items-end gap-2 rounded-lg bg-canvas p-2">
      <div className="min-w-36 flex-1">
        <SelectField
          label={t('segment.field', { number })}
          hideLabel
          value={rule.field}
          onChange={(event) => onChange(withField(rule, event.target.value, fields))}
        >
          {FIELDS.map((field) => (
            <option key={field} value={field}>
              {tDynamic('segmentField', field)}
            </option>
          ))}
          {fields.map((field) => (
            <option key={field.id} value={`custom_field:${field.id}`}>
              {field.name}
            </option>
          ))}
        </SelectField>
      </div>
      <div className="min-w-32 flex-1">
        <SelectField
          label={t('segment.op', { number })}
          hideLabel
          value={rule.op}
          onChange={(event) => onChange(withOp(rule, event.target.value as Op, fields))}
        >
          {opsOf(rule.field, fields).map((op) => (
            <option key={op} value={op}>
              {tDynamic('op', op)}
            </option>
          ))}
        </SelectField>
      </div>
      <RuleValue
        number={number}
        rule={rule}
        fields={fields}
        onChange={(value) => onChange({ ...rule, value })}
      />
      <IconButton
        label={t('segment.removeRule', { number })}
        icon={<Trash2 size={16} aria-hidden />}
        onClick={onRemove}
      />
    </li>
  );
}

interface RuleValueProps {
  number: number;
  rule: DraftRule;
  fields: CustomField[];
  onChange: (value: string) => void;
}

function RuleValue({ number, rule, fields, onChange }: RuleValueProps) {
  const tags = useQuery(tagsQuery).data ?? [];
  const kind = valueKind(rule.field, rule.op, fields);
  if (kind === 'none') return null;
  const label = t('segment.value', { number });
  const choices: Array<[string, string]> | null =
    kind === 'tag'
      ? tags.map((tag) => [tag.id, tag.name])
      : kind === 'channel'
        ? CHANNELS.map((channel) => [channel, tDynamic('channel', channel)])
        : kind === 'boolean'
          ? [
              ['true', t('ui.yes')],
              ['false', t('ui.no')],
            ]
          : kind === 'option'
            ? (fields.find((field) => rule.field === `custom_field:${field.id}`)?.options ?? []).map(
                (option) => [option, option],
              )
            : null;
  return (
    <div className="min-w-36 flex-1">
      {choices ? (
        <SelectField
          label={label}
          hideLabel
          value={rule.value}
          onChange={(event) => onChange(event.target.value)}
        >
          <option value="">{t('segment.choose')}</option>
          {choices.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </SelectField>
      ) : (
        <TextField
          label={label}
          hideLabel
          type={kind === 'days' ? 'number' : kind}
          {...(kind === 'days' && { min: 1, max: DAYS_MAX, placeholder: t('segment.days') })}
          value={rule.value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </div>
  );
}
