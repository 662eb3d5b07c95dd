import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useAttempts } from '@/api/attempts';
import type { Template } from '@/api/schema';
import { t } from '@/i18n';
import { missingFields, type TemplateValues, toChoice } from '@/templates/template';
import { Button } from '@/ui/Button';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { TextField } from '@/ui/Field';
import type { DraftStore } from './storage';

interface TestProps {
  template: Template | undefined;
  /** The values of the person in the preview. */
  values: TemplateValues;
  store: DraftStore;
}

/** Sends the message of the preview to the member's own number. */
export function TestMessage({ template, values, store }: TestProps) {
  const [phone, setPhone] = useState(store.phone);
  const attempts = useAttempts();
  const send = useMutation({
    mutationFn: (chosen: Template) =>
      attempts.call('POST /messages', {
        body: { type: 'template', to: { phone }, template: toChoice(chosen, values) },
      }),
    onSuccess: () => {
      store.phone = phone;
    },
  });
  const isReady = template !== undefined && missingFields(template, values).length === 0;
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (template) send.mutate(template);
      }}
    >
      <div className="flex flex-wrap items-end gap-2">
        <div className="min-w-44 flex-1">
          <TextField
            type="tel"
            label={t('broadcast.testNumber')}
            hint={t('broadcast.testHint')}
            placeholder="+49 151 12345678"
            value={phone}
            onChange={(event) => {
              setPhone(event.target.value);
              send.reset();
            }}
            required
          />
        </div>
      </div>
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" busy={send.isPending} disabled={!isReady || phone.trim() === ''}>
          {t('broadcast.testSend')}
        </Button>
        <p role="status" className="text-sm text-success">
          {send.isSuccess && t('broadcast.testSent')}
        </p>
      </div>
      {!isReady && <p className="text-sm text-ink-soft">{t('broadcast.testNotReady')}</p>}
      {send.isError && <ErrorNotice error={send.error} />}
    </form>
  );
}
