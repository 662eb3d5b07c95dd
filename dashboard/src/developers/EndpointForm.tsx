import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAttempts } from '@/api/attempts';
import { call } from '@/api/client';
import type { EventPattern, WebhookEndpoint } from '@/api/schema';
import { t } from '@/i18n';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Checkbox, TextField } from '@/ui/Field';
import { SubmitForm, textOf } from '@/ui/SubmitForm';
import {
  type Chosen,
  chosenOf,
  type EventGroup,
  groupTypes,
  hasType,
  toggleGroup,
  toggleType,
} from './patterns';
import { eventTypesQuery } from './queries';

interface EndpointFormProps {
  /** Undefined for a new one. */
  endpoint: WebhookEndpoint | undefined;
  onCancel: () => void;
  onSaved: (endpoint: WebhookEndpoint) => Promise<unknown>;
}

/** Creates or changes an endpoint: its address, and which events it gets. */
export function EndpointForm({ endpoint, onCancel, onSaved }: EndpointFormProps) {
  const types = useQuery(eventTypesQuery);
  const before = chosenOf(endpoint?.event_types ?? []);
  const [all, setAll] = useState(before.all);
  const [chosen, setChosen] = useState(before.chosen);
  const attempts = useAttempts();
  return (
    <SubmitForm
      action={endpoint ? t('ui.save') : t('webhooks.create')}
      onCancel={onCancel}
      disabled={!all && chosen.size === 0}
      onSubmit={async (form) => {
        const body = {
          url: textOf(form, 'url'),
          description: textOf(form, 'description') || null,
          event_types: all ? [] : ([...chosen] as EventPattern[]),
        };
        const { data } = endpoint
          ? await call('PATCH /webhooks/{id}', { path: { id: endpoint.id }, body })
          : await attempts.call('POST /webhooks', { body });
        await onSaved(data);
      }}
    >
      {(errorAt) => (
        <>
          <TextField
            label={t('webhooks.url')}
            name="url"
            type="url"
            required
            maxLength={2048}
            placeholder="https://example.com/hook"
            defaultValue={endpoint?.url}
            hint={t('webhooks.urlHint')}
            error={errorAt('url')}
            autoFocus
          />
          <TextField
            label={t('webhooks.description')}
            name="description"
            maxLength={500}
            defaultValue={endpoint?.description ?? ''}
            error={errorAt('description')}
          />
          <fieldset className="rounded-lg border border-line p-3">
            <legend className="px-1 font-medium">{t('webhooks.which')}</legend>
            <Checkbox label={t('webhooks.allEvents')} checked={all} onChange={() => setAll(!all)} />
            {!all && types.isError && (
              <ErrorNotice error={types.error} onRetry={() => void types.refetch()} />
            )}
            {!all &&
              groupTypes(types.data ?? []).map((group) => (
                <Group key={group.pattern} group={group} chosen={chosen} onChange={setChosen} />
              ))}
          </fieldset>
        </>
      )}
    </SubmitForm>
  );
}

interface GroupProps {
  group: EventGroup;
  chosen: Chosen;
  onChange: (chosen: Chosen) => void;
}

function Group({ group, chosen, onChange }: GroupProps) {
  return (
    <div className="border-t border-line py-1">
      <Checkbox
        label={<code className="font-semibold">{group.pattern}</code>}
        checked={chosen.has(group.pattern)}
        onChange={() => onChange(toggleGroup(chosen, group))}
      />
      <div className="grid gap-x-4 ps-6 sm:grid-cols-2">
        {group.types.map(({ event_type: type, description }) => (
          <Checkbox
            key={type}
            label={<code>{type}</code>}
            hint={<span lang="en">{description}</span>}
            checked={hasType(chosen, group, type)}
            onChange={() => onChange(toggleType(chosen, group, type))}
          />
        ))}
      </div>
    </div>
  );
}
