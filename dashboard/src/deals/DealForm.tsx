import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAttempts } from '@/api/attempts';
import { call } from '@/api/client';
import { ApiError } from '@/api/errors';
import type { Deal } from '@/api/schema';
import type { ContactSummary } from '@/api/shapes';
import { ContactPicker } from '@/contacts/ContactPicker';
import { contactQuery, pipelinesQuery } from '@/contacts/queries';
import { t } from '@/i18n';
import { useActiveMembers } from '@/session/members';
import { useSession } from '@/session/session';
import { Button } from '@/ui/Button';
import { changedOf } from '@/ui/changed';
import { Dialog, DialogActions } from '@/ui/Dialog';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { TextField } from '@/ui/Field';
import { SelectField } from '@/ui/SelectField';
import { applyDeal } from './cache';

import { usePipelineCurrency } from './usePipelineCurrency';

const CURRENCY_KEY = 'frontdesk.currency';

interface DealDialogProps {
  open: boolean;
  onClose: () => void;
  /** Absent: a new deal is made. */
  deal?: Deal;
  contactId?: string;
  pipelineId?: string;
}

export function DealDialog({ open, onClose, ...rest }: DealDialogProps) {
  return (
    <Dialog open={open} onClose={onClose} title={rest.deal ? t('deals.edit') : t('deals.new')}>
      {open && <DealForm onClose={onClose} {...rest} />}
    </Dialog>
  );
}

function DealForm({ deal, contactId, pipelineId, onClose }: Omit<DealDialogProps, 'open'>) {
  const client = useQueryClient();
  const me = useSession().user.id;
  const members = useActiveMembers();
  const pipelines = useQuery(pipelinesQuery).data ?? [];
  const known = deal?.contact_id ?? contactId;
  const current = useQuery({
    ...contactQuery(known ?? ''),
    enabled: known !== undefined && known !== null,
  }).data;
  const [picked, setPicked] = useState<ContactSummary | null | undefined>(undefined);
  const contact = picked === undefined ? (current ?? null) : picked;
  const [chosen, setChosen] = useState(deal?.pipeline_id ?? pipelineId ?? null);
  const currency = usePipelineCurrency(chosen ?? pipelines[0]?.id, deal);
  // A deal in another currency may keep it, or be corrected.
  const isFixed = currency !== undefined && (!deal || deal.currency === currency);
  const attempts = useAttempts();
  // As it was when its fields were filled. A colleague may change it meanwhile.
  const [opened] = useState(deal);
  const store = async (form: FormData) => {
    const text = (name: string) => String(form.get(name) ?? '').trim() || null;
    const value = text('value');
    const currency = (text('currency') ?? 'USD').toUpperCase();
    const entered = {
      title: text('title') ?? '',
      value: value === null ? null : Number(value),
      currency,
      // One that was not picked here may not be read yet.
      contact_id: picked === undefined ? (known ?? null) : (picked?.id ?? null),
      owner_user_id: text('owner'),
      expected_close_date: text('date'),
    };
    localStorage.setItem(CURRENCY_KEY, currency);
    if (!opened)
      return attempts.call('POST /deals', { body: { ...entered, pipeline_id: text('pipeline') ?? chosen } });
    const body = changedOf<typeof entered>(opened, entered);
    return call('PATCH /deals/{id}', { path: { id: opened.id }, body });
  };
  const save = useMutation({
    mutationFn: store,
    onSuccess: ({ data }) => {
      applyDeal(client, data);
      onClose();
    },
  });
  const api = save.error instanceof ApiError ? save.error : null;
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(new FormData(event.currentTarget));
      }}
    >
      <TextField
        label={t('deals.title')}
        name="title"
        defaultValue={deal?.title ?? ''}
        required
        maxLength={200}
        error={api?.at('title')}
        autoFocus
      />
      <div className="grid grid-cols-[1fr_7rem] gap-3">
        <TextField
          label={t('deals.value')}
          name="value"
          type="number"
          min={0}
          step="any"
          defaultValue={deal?.value ?? ''}
          error={api?.at('value')}
        />
        <TextField
          key={currency ?? ''}
          label={t('deals.currency')}
          name="currency"
          defaultValue={deal?.currency ?? currency ?? localStorage.getItem(CURRENCY_KEY) ?? 'USD'}
          readOnly={isFixed}
          pattern="[A-Za-z]{3}"
          maxLength={3}
          required
          error={api?.at('currency')}
        />
      </div>
      {currency && <p className="-mt-2 text-sm text-ink-soft">{t('deals.currencyHint', { currency })}</p>}
      <ContactPicker label={t('deals.contact')} value={contact} onChange={setPicked} />
      {!deal && pipelines.length > 1 && (
        <SelectField
          label={t('deals.pipeline')}
          name="pipeline"
          value={chosen ?? pipelines[0]?.id}
          onChange={(event) => setChosen(event.target.value)}
        >
          {pipelines.map((pipeline) => (
            <option key={pipeline.id} value={pipeline.id}>
              {pipeline.name}
            </option>
          ))}
        </SelectField>
      )}
      <SelectField
        label={t('deals.owner')}
        name="owner"
        defaultValue={deal ? (deal.owner_user_id ?? '') : me}
      >
        <option value="">{t('member.nobody')}</option>
        {members.map((member) => (
          <option key={member.id} value={member.id}>
            {member.name}
          </option>
        ))}
      </SelectField>
      <TextField
        label={t('deals.expected')}
        name="date"
        type="date"
        defaultValue={deal?.expected_close_date ?? ''}
        error={api?.at('expected_close_date')}
      />
      {save.isError && (api?.details.length ?? 0) === 0 && <ErrorNotice error={save.error} />}
      <DialogActions>
        <Button onClick={onClose}>{t('ui.cancel')}</Button>
        <Button type="submit" kind="primary" busy={save.isPending}>
          {t('ui.save')}
        </Button>
      </DialogActions>
    </form>
  );
}
