import { useQuery, useQueryClient } from '@tanstack/react-query';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import type { ApiKey, NewApiKey } from '@/api/app';
import { call } from '@/api/client';
import { t } from '@/i18n';
import { mediumTime } from '@/i18n/time';
import { useMemberName } from '@/session/members';
import { Button } from '@/ui/Button';
import { CopyField } from '@/ui/Copy';
import { ConfirmDialog, Dialog } from '@/ui/Dialog';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Checkbox, SelectField, TextArea, TextField } from '@/ui/Field';
import { Page } from '@/ui/Page';
import { RowActions } from '@/ui/rows';
import { Loading } from '@/ui/Spinner';
import { SubmitForm, textOf } from '@/ui/SubmitForm';
import { Badge } from '@/ui/Tag';
import { toggled } from '@/ui/toggled';
import { AdminOnly } from './AdminOnly';
import { keysQuery } from './queries';
import { isIncluded, SCOPE_NAMES, type Scope } from './scopes';

const EXPIRY_DAYS = [30, 90, 180, 365] as const;

export function KeysPage() {
  return (
    <AdminOnly>
      <ApiKeys />
    </AdminOnly>
  );
}

type Asked = { action: 'revoke' | 'regenerate'; key: ApiKey } | null;

function ApiKeys() {
  const client = useQueryClient();
  const query = useQuery(keysQuery);
  const [creating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const [asked, setAsked] = useState<Asked>(null);
  const refresh = () => client.invalidateQueries({ queryKey: keysQuery.queryKey });
  return (
    <Page
      title={t('settings.keys')}
      actions={
        <Button kind="primary" icon={<Plus size={16} aria-hidden />} onClick={() => setCreating(true)}>
          {t('keys.new')}
        </Button>
      }
    >
      <div className="settings-column">
        {query.isPending && <Loading />}
        {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
        {query.data?.length === 0 && (
          <EmptyState icon={<KeyRound size={40} />} title={t('keys.empty')}>
            {t('keys.emptyHelp')}{' '}
            <a href="/docs" className="text-accent underline">
              {t('keys.docs')}
            </a>
          </EmptyState>
        )}
        <ul className="divide-y divide-line rounded-xl border border-line bg-surface empty:hidden">
          {query.data?.map((key) => (
            <KeyRow key={key.id} apiKey={key} onAsk={(action) => setAsked({ action, key })} />
          ))}
        </ul>
      </div>
      <Dialog open={creating} onClose={() => setCreating(false)} title={t('keys.new')} wide>
        {creating && (
          <NewKeyForm
            onClose={() => setCreating(false)}
            onCreate={async (body) => {
              const { data } = await call('POST /app/api/admin/keys', { body });
              setCreating(false);
              setSecret(data.secret);
              await refresh();
            }}
          />
        )}
      </Dialog>
      <Dialog
        open={secret !== null}
        onClose={() => setSecret(null)}
        title={t('keys.secret')}
        description={t('keys.secretHelp')}
      >
        {secret && <CopyField label={t('keys.secret')} value={secret} />}
      </Dialog>
      <Dialog
        open={asked?.action === 'revoke'}
        onClose={() => setAsked(null)}
        title={t('keys.revoke')}
        description={t('keys.revokeHelp', { name: asked?.key.name ?? '' })}
      >
        <SubmitForm
          action={t('keys.revoke')}
          onCancel={() => setAsked(null)}
          onSubmit={async (form) => {
            if (!asked) return;
            await call('POST /app/api/admin/keys/{id}/revoke', {
              path: { id: asked.key.id },
              body: { reason: textOf(form, 'reason') },
            });
            setAsked(null);
            await refresh();
          }}
        >
          {(errorAt) => (
            <TextField
              label={t('keys.reason')}
              name="reason"
              required
              maxLength={500}
              error={errorAt('reason')}
            />
          )}
        </SubmitForm>
      </Dialog>
      <ConfirmDialog
        open={asked?.action === 'regenerate'}
        onClose={() => setAsked(null)}
        title={t('keys.regenerate')}
        description={t('keys.regenerateHelp', { name: asked?.key.name ?? '' })}
        action={t('keys.regenerate')}
        onConfirm={async () => {
          if (!asked) return;
          setSecret(
            (await call('POST /app/api/admin/keys/{id}/regenerate', { path: { id: asked.key.id } })).data
              .secret,
          );
          await refresh();
        }}
      />
    </Page>
  );
}

function KeyRow({ apiKey, onAsk }: { apiKey: ApiKey; onAsk: (action: 'revoke' | 'regenerate') => void }) {
  const memberName = useMemberName();
  const revoked = apiKey.revoked_at !== null;
  const expired = apiKey.expires_at !== null && Date.parse(apiKey.expires_at) <= Date.now();
  return (
    <li className={`flex flex-wrap items-center gap-3 px-3 py-2.5 ${revoked ? 'opacity-70' : ''}`}>
      <div className="min-w-48 flex-1">
        <p className="font-medium">
          {apiKey.name} <code className="text-sm text-ink-soft">…{apiKey.hint}</code>
        </p>
        <p className="text-sm text-ink-soft">
          {t('keys.scopes', { count: apiKey.scopes.length })}
          {' · '}
          {apiKey.expires_at
            ? t('keys.expires', { time: mediumTime(apiKey.expires_at) })
            : t('keys.neverExpires')}
        </p>
        {revoked && (
          <p className="text-sm">
            {t('keys.revokedBy', {
              name: memberName(apiKey.revoked_by),
              reason: apiKey.revoked_reason ?? '–',
            })}
          </p>
        )}
      </div>
      {revoked && <Badge tone="danger">{t('keys.revoked')}</Badge>}
      {!revoked && expired && <Badge tone="warning">{t('keys.expired')}</Badge>}
      {!revoked && (
        <RowActions label={t('ui.actionsNamed', { name: apiKey.name })}>
          <Button onClick={() => onAsk('regenerate')}>{t('keys.regenerate')}</Button>
          <Button onClick={() => onAsk('revoke')}>{t('keys.revoke')}</Button>
        </RowActions>
      )}
    </li>
  );
}

function NewKeyForm({
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
            <div className="grid sm:grid-cols-2">
              {SCOPE_NAMES.map((scope) => (
                <Checkbox
                  key={scope}
                  label={<code>{scope}</code>}
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
