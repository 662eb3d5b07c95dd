import { useQuery, useQueryClient } from '@tanstack/react-query';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import type { ApiKey } from '@/api/app';
import { call } from '@/api/client';
import { t, tDynamic } from '@/i18n';
import { mediumTime } from '@/i18n/time';
import { useMemberName } from '@/session/members';
import { Button } from '@/ui/Button';
import { CodeBlock } from '@/ui/CodeBlock';
import { CopyField } from '@/ui/Copy';
import { ConfirmDialog, Dialog } from '@/ui/Dialog';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { TextField } from '@/ui/Field';
import { Page } from '@/ui/Page';
import { RowActions } from '@/ui/rows';
import { Loading } from '@/ui/Spinner';
import { SubmitForm, textOf } from '@/ui/SubmitForm';
import { Badge } from '@/ui/Tag';
import { Time } from '@/ui/Time';
import { curlOf } from './curl';
import { NewKeyForm } from './NewKeyForm';
import { keysQuery } from './queries';
import { impliedScopes } from './scopes';

type Asked = { action: 'revoke' | 'regenerate'; key: ApiKey } | null;

/** The account's API keys. */
export function KeysPage() {
  const client = useQueryClient();
  const query = useQuery(keysQuery);
  const [creating, setCreating] = useState(false);
  const [issued, setIssued] = useState<{ key: ApiKey; secret: string } | null>(null);
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
          <EmptyState
            icon={<KeyRound size={40} />}
            title={t('keys.empty')}
            action={
              <Button kind="primary" onClick={() => setCreating(true)}>
                {t('keys.new')}
              </Button>
            }
          >
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
              setIssued(data);
              await refresh();
            }}
          />
        )}
      </Dialog>
      <Dialog
        open={issued !== null}
        onClose={() => setIssued(null)}
        title={t('keys.secret')}
        description={t('keys.secretHelp')}
        wide
      >
        {issued && (
          <div className="flex flex-col gap-4">
            <CopyField label={t('keys.secret')} value={issued.secret} />
            <div>
              <h3 className="mb-1 font-semibold">{t('keys.try')}</h3>
              <CodeBlock
                label={t('ui.curl')}
                code={curlOf(window.location.origin, issued.key.scopes, issued.secret)}
              />
            </div>
          </div>
        )}
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
          setIssued(
            (await call('POST /app/api/admin/keys/{id}/regenerate', { path: { id: asked.key.id } })).data,
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
          {' · '}
          {apiKey.last_used_at ? (
            <>
              {t('keys.lastUsed')} <Time at={apiKey.last_used_at} style="relative" />
            </>
          ) : (
            t('keys.neverUsed')
          )}
          {apiKey.unattended && ` · ${t('keys.unattended')}`}
        </p>
        {!revoked && <KeyDetails apiKey={apiKey} />}
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

/** What the key may do, in words, and a command that uses it. */
function KeyDetails({ apiKey }: { apiKey: ApiKey }) {
  return (
    <details className="mt-1">
      <summary className="w-fit cursor-pointer text-sm font-medium text-accent">{t('keys.details')}</summary>
      <ul className="my-2 list-disc ps-5 text-sm">
        {impliedScopes(apiKey.scopes).map((scope) => (
          <li key={scope}>
            {tDynamic('scope', scope)} <code className="text-ink-soft">{scope}</code>
          </li>
        ))}
      </ul>
      <CodeBlock label={t('ui.curl')} code={curlOf(window.location.origin, apiKey.scopes)} />
    </details>
  );
}
