import { useQueryClient } from '@tanstack/react-query';
import { call } from '@/api/client';
import type { AccountDetail } from '@/api/schema';
import { t } from '@/i18n';
import { TextField } from '@/ui/Field';
import { Section } from '@/ui/Page';
import { SelectField } from '@/ui/SelectField';
import { SubmitForm, textOf } from '@/ui/SubmitForm';
import { notify } from '@/ui/toast';
import { accountQuery } from './queries';

/** What assistants may spend in a month, and the model of those that name none. */
export function AssistantLimits({ account }: { account: AccountDetail }) {
  const client = useQueryClient();
  const { ai_budget_usd: budget, ai_budget_max_usd: most, model, models } = account;
  const hint = most === null ? t('spend.budgetHint') : t('assistantLimits.most', { amount: most });
  return (
    <Section title={t('nav.assistants')}>
      <SubmitForm
        action={t('ui.save')}
        onSubmit={async (form) => {
          const entered = textOf(form, 'budget');
          const body = {
            ai_budget_usd: entered === '' ? null : Number(entered),
            model: textOf(form, 'model') || null,
          };
          const { data } = await call('PATCH /app/api/admin/account', { body });
          client.setQueryData(accountQuery.queryKey, data);
          notify(t('ui.saved'));
          await client.invalidateQueries({ queryKey: ['ai-usage'] });
        }}
      >
        {(errorAt) => (
          <>
            <TextField
              label={t('spend.budgetLabel')}
              name="budget"
              type="number"
              min={0}
              step="any"
              hint={hint}
              defaultValue={budget ?? ''}
              error={errorAt('ai_budget_usd')}
            />
            {models ? (
              <SelectField
                label={t('assistantLimits.model')}
                name="model"
                hint={t('assistantLimits.modelHint')}
                defaultValue={model ?? ''}
                error={errorAt('model')}
              >
                <option value="">{t('assistantLimits.modelUsual')}</option>
                {models.map((each) => (
                  <option key={each} value={each}>
                    {each}
                  </option>
                ))}
              </SelectField>
            ) : (
              <TextField
                label={t('assistantLimits.model')}
                name="model"
                hint={t('assistantLimits.modelHint')}
                placeholder={t('assistantLimits.modelUsual')}
                maxLength={200}
                defaultValue={model ?? ''}
                error={errorAt('model')}
              />
            )}
          </>
        )}
      </SubmitForm>
    </Section>
  );
}
