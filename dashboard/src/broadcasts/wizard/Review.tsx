import { useState } from 'react';
import type { BroadcastSender, Template } from '@/api/schema';
import { t, tDynamic } from '@/i18n';
import { mediumTime, money } from '@/i18n/time';
import { TextField } from '@/ui/Field';
import { SelectField } from '@/ui/SelectField';
import { toInstant } from '../zone';
import { Limit, sizeText } from './AudienceSummary';
import type { AudienceSize } from './audienceSize';
import type { Draft } from './draft';
import { durationText, parsePrice, WHATSAPP_PER_SECOND } from './estimate';
import type { DraftStore } from './storage';

/** What Meta bills in. */
const CURRENCIES = ['EUR', 'USD', 'GBP', 'AUD', 'INR', 'IDR', 'BRL', 'MXN'] as const;

interface ReviewProps {
  draft: Draft;
  template: Template | undefined;
  size: AudienceSize;
  timezone: string;
  store: DraftStore;
}

/** What is about to happen: to whom, with which words, when, for how long and for how much. */
export function Review({ draft, template, size, timezone, store }: ReviewProps) {
  const at = draft.when === 'later' ? toInstant(draft.at, timezone) : null;
  const { preview } = size;
  const recipients = preview?.recipients.count ?? 0;
  const perSecond = preview?.messages_per_second ?? WHATSAPP_PER_SECOND;
  const rows: Array<[string, string]> = [
    [t('broadcast.name'), draft.name || '–'],
    [t('audience.size'), preview ? sizeText(preview.recipients) : '–'],
    [t('template.choose'), template ? `${template.name} (${template.language})` : '–'],
    [t('broadcast.from'), preview?.connection ? senderText(preview.connection) : t('broadcast.noNumber')],
    [t('broadcast.when'), at ? mediumTime(at.toISOString()) : t('broadcast.now')],
    [t('broadcast.duration'), preview ? durationText(recipients, perSecond) : '–'],
  ];
  return (
    <>
      <dl className="grid gap-x-4 gap-y-1.5 sm:grid-cols-[10rem_1fr]">
        {rows.map(([label, value]) => (
          <div key={label} className="contents">
            <dt className="text-ink-soft">{label}</dt>
            <dd className="min-w-0 wrap-break-word max-sm:mb-1.5">{value}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-2 text-sm text-ink-soft">{t('broadcast.durationHelp', { count: perSecond })}</p>
      <Limit left={preview?.broadcasts_left ?? null} />
      {template && (
        <Cost key={template.category} category={template.category} recipients={recipients} store={store} />
      )}
    </>
  );
}

const senderText = ({ name, address }: BroadcastSender) => (address ? `${name} (${address})` : name);

interface CostProps {
  category: string;
  recipients: number;
  store: DraftStore;
}

/** Meta's prices differ by country and contract, so the member says theirs once. */
function Cost({ category, recipients, store }: CostProps) {
  const [price, setPrice] = useState(() => store.price(category));
  const change = (next: Partial<typeof price>) => {
    setPrice({ ...price, ...next });
    store.setPrice(category, { ...price, ...next });
  };
  const amount = parsePrice(price.amount);
  return (
    <fieldset className="mt-4 border-t border-line pt-4">
      <legend className="float-start mb-2 w-full font-medium">{t('broadcast.cost')}</legend>
      <div className="clear-both grid gap-3 sm:grid-cols-[1fr_8rem]">
        <TextField
          label={t('broadcast.price', { category: tDynamic('templateCategory', category) })}
          hint={t('broadcast.priceHint')}
          inputMode="decimal"
          value={price.amount}
          onChange={(event) => change({ amount: event.target.value })}
          error={price.amount.trim() !== '' && amount === null ? t('broadcast.priceWrong') : undefined}
        />
        <SelectField
          label={t('broadcast.currency')}
          value={price.currency}
          onChange={(event) => change({ currency: event.target.value })}
        >
          {CURRENCIES.map((currency) => (
            <option key={currency}>{currency}</option>
          ))}
        </SelectField>
      </div>
      <p aria-live="polite" className="mt-2 font-medium">
        {amount !== null && t('broadcast.costAtMost', { cost: money(amount * recipients, price.currency) })}
      </p>
    </fieldset>
  );
}
