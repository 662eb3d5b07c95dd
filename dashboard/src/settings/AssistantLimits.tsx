import { useQueryClient } from '@tanstack/react-query';
import { call } from '@/api/client';
import type { AccountDetail } from '@/api/schema';
import { t } from '@/i18n';
import { TextField } from '@/ui/Field';
import { Section } from '@/ui/Page';
import { SelectField } from '@/ui/SelectField';
import { notify } from '@/ui/toast';
import { DraftForm } from './DraftForm';
import { accountQuery } from './queries';
import { useSettingsDraft } from './useSettingsDraft';

/** What assistants may spend in a month, and the model of those that name none. */
export function AssistantLimits({ account }: { account: AccountDetail }) {
  const client = useQueryClient();
  const { ai_budget_usd, ai_budget_max_usd: most, model, models } = account;
  const edit = useSettingsDraft({ budget: String(ai_budget_usd ?? ''), model: model ?? '' });
  const { draft, set } = edit;
  const hint = most === null ? t('spend.budgetHint') : t('assistantLimits.most', { amount: most });
  return (
    <Section title={t('nav.assistants')}>
      <DraftForm
        edit={edit}
        onSave={async (changes) => {
          const body = {
            ...(changes.budget !== undefined && {
              ai_budget_usd: changes.budget === '' ? null : Number(changes.budget),
            }),
            ...(changes.model !== undefined && { model: changes.model.trim() || null }),
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
              type="number"
              min={0}
              step="any"
              hint={hint}
              value={draft.budget}
              error={errorAt('ai_budget_usd')}
              onChange={(event) => set({ budget: event.target.value })}
            />
            {models ? (
              <SelectField
                label={t('assistantLimits.model')}
                hint={t('assistantLimits.modelHint')}
                value={draft.model}
                error={errorAt('model')}
                onChange={(event) => set({ model: event.target.value })}
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
                hint={t('assistantLimits.modelHint')}
                placeholder={t('assistantLimits.modelUsual')}
                maxLength={200}
                value={draft.model}
                error={errorAt('model')}
                onChange={(event) => set({ model: event.target.value })}
              />
            )}
          </>
        )}
      </DraftForm>
    </Section>
  );
}
