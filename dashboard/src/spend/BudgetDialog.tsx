import { useQueryClient } from '@tanstack/react-query';
import { call } from '@/api/client';
import { t } from '@/i18n';
import { Dialog } from '@/ui/Dialog';
import { TextField } from '@/ui/Field';
import { SubmitForm, textOf } from '@/ui/SubmitForm';
import { notify } from '@/ui/toast';

interface BudgetDialogProps {
  open: boolean;
  budget: number | null;
  onClose: () => void;
}

/** Sets what assistants may spend in a month. */
export function BudgetDialog({ open, budget, onClose }: BudgetDialogProps) {
  const client = useQueryClient();
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={t('spend.changeBudget')}
      description={t('spend.changeBudgetHelp')}
    >
      <SubmitForm
        action={t('ui.save')}
        onCancel={onClose}
        onSubmit={async (form) => {
          const entered = textOf(form, 'budget');
          await call('PATCH /app/api/admin/account', {
            body: { ai_budget_usd: entered === '' ? null : Number(entered) },
          });
          onClose();
          notify(t('ui.saved'));
          await Promise.all(
            [['ai-usage'], ['account']].map((queryKey) => client.invalidateQueries({ queryKey })),
          );
        }}
      >
        {(errorAt) => (
          <TextField
            label={t('spend.budgetLabel')}
            name="budget"
            type="number"
            min={0}
            step="any"
            defaultValue={budget ?? ''}
            hint={t('spend.budgetHint')}
            error={errorAt('ai_budget_usd')}
            autoFocus
          />
        )}
      </SubmitForm>
    </Dialog>
  );
}
