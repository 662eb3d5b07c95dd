import { useState } from 'react';
import type { NewApiKey } from '@/api/app';
import { t, tDynamic } from '@/i18n';
import { Checkbox, TextArea, TextField } from '@/ui/Field';
import { SelectField } from '@/ui/SelectField';
import { SubmitForm, textOf } from '@/ui/SubmitForm';
import { toggled } from '@/ui/toggled';
import { isIncluded, SCOPE_NAMES, type Scope } from './scopes';

const EXPIRY_DAYS = [30, 90, 180, 365] as const;

/** A new key: its name, what it may do, how long and from where. */
export function NewKeyForm({
  onClose,
  onCreate,
}: {
  onClose: () => void;
  onCreate: (body: NewApiKey) => Promise<void>;
}) {
  const [scopes, setScopes] = useState<ReadonlySet<Scope>>(new Set());
  const all = scopes.size === SCOPE_NAMES.length;
  return (
    <SubmitForm
      action={t('keys.create')}
      onCancel={onClose}
      disabled={scopes.size === 0}
      onSubmit={(form) => {
        const days = textOf(form, 'expires');
        const allowlist = textOf(form, 'allow')
          .split(/[\s,]+/)
          .filter(Boolean);
        const rate = textOf(form, 'rate');
        return onCreate({
          name: textOf(form, 'name'),
          scopes: [...scopes],
          expires_in_days: days === '' ? null : (Number(days) as (typeof EXPIRY_DAYS)[number]),
          ...(allowlist.length > 0 && { ip_allowlist: allowlist }),
          ...(rate !== '' && { rate_limit_per_minute: Number(rate) }),
        });
      }}
    >
      {(errorAt) => (
        <>
          <TextField
            label={t('keys.name')}
            name="name"
            required
            maxLength={100}
            error={errorAt('name')}
            autoFocus
          />
          <fieldset className="rounded-lg border border-line p-3">
            <legend className="px-1 font-medium">{t('keys.scopesLabel')}</legend>
            <Checkbox
              label={t('keys.allScopes')}
              checked={all}
              onChange={() => setScopes(new Set(all ? [] : SCOPE_NAMES))}
            />
            <div className="grid gap-x-4 sm:grid-cols-2">
              {SCOPE_NAMES.map((scope) => (
                <Checkbox
                  key={scope}
                  label={tDynamic('scope', scope)}
                  hint={<code>{scope}</code>}
                  checked={scopes.has(scope) || isIncluded(scope, scopes)}
                  disabled={!scopes.has(scope) && isIncluded(scope, scopes)}
                  onChange={() => setScopes((before) => toggled(before, scope))}
                />
              ))}
            </div>
          </fieldset>
          <SelectField label={t('keys.expiry')} name="expires" defaultValue="90">
            {EXPIRY_DAYS.map((days) => (
              <option key={days} value={days}>
                {t('keys.days', { count: days })}
              </option>
            ))}
            <option value="">{t('keys.never')}</option>
          </SelectField>
          <TextArea
            label={t('keys.allow')}
            name="allow"
            rows={2}
            hint={t('keys.allowHint')}
            error={errorAt('ip_allowlist')}
          />
          <TextField
            label={t('keys.rate')}
            name="rate"
            type="number"
            min={1}
            hint={t('keys.rateHint')}
            error={errorAt('rate_limit_per_minute')}
          />
        </>
      )}
    </SubmitForm>
  );
}
