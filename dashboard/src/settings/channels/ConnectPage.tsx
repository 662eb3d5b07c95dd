import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { ConnectionDetail, NewChannel } from '@/api/app';
import { CHANNELS } from '@/api/channels';
import { call } from '@/api/client';
import type { Channel } from '@/api/schema';
import { t, tDynamic } from '@/i18n';
import { ChannelIcon } from '@/inbox/channel';
import { ButtonLink } from '@/ui/ButtonLink';
import { CopyField } from '@/ui/Copy';
import { Checkbox, TextField } from '@/ui/Field';
import { BackLink, Page, Section } from '@/ui/Page';
import { SubmitForm, textOf } from '@/ui/SubmitForm';
import { AdminOnly } from '../AdminOnly';
import { connectionsQuery } from '../queries';
import { FIELDS } from './fields';
import { rememberConnected } from './justConnected';
import { MetaForm } from './MetaForm';

const route = getRouteApi('/shell/settings/channels/new');

/** Only whoever runs the server chooses a bridge, so this is not a form. */
const BRIDGE_COMMAND =
  'frontdesk channel connect --channel personal_whatsapp --bridge-url URL --bridge-key KEY --session NAME';

/** Connects a channel: which one, and what it needs. */
export function ConnectPage() {
  return (
    <AdminOnly>
      <Connect />
    </AdminOnly>
  );
}

function Connect() {
  const { channel } = route.useSearch();
  const navigate = useNavigate();
  return (
    <Page
      title={t('channels.connect')}
      back={<BackLink to="/settings/channels" label={t('settings.channels')} />}
    >
      <div className="settings-column flex flex-col gap-4">
        <fieldset>
          <legend className="mb-2 font-medium">{t('connect.which')}</legend>
          <div className="grid gap-2 sm:grid-cols-2">
            {CHANNELS.map((each) => (
              <ChannelChoice
                key={each}
                channel={each}
                isChosen={each === channel}
                onChoose={() =>
                  void navigate({ to: '/settings/channels/new', search: { channel: each }, replace: true })
                }
              />
            ))}
          </div>
        </fieldset>
        {channel && <ChannelForm key={channel} channel={channel} />}
      </div>
    </Page>
  );
}

interface ChoiceProps {
  channel: Channel;
  isChosen: boolean;
  onChoose: () => void;
}

function ChannelChoice({ channel, isChosen, onChoose }: ChoiceProps) {
  return (
    <label
      className={`flex cursor-pointer items-start gap-3 rounded-xl border p-3 has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent ${isChosen ? 'border-accent bg-surface ring-1 ring-accent' : 'border-line bg-surface hover:border-line-strong'}`}
    >
      <input
        type="radio"
        name="channel"
        checked={isChosen}
        onChange={onChoose}
        className="mt-1 size-4 shrink-0 accent-accent outline-none"
      />
      <span className="min-w-0">
        <span className="flex items-center gap-1.5 font-medium">
          <span aria-hidden>
            <ChannelIcon channel={channel} />
          </span>
          {tDynamic('channel', channel)}
        </span>
        <span className="block text-sm text-ink-soft">{tDynamic('connectAbout', channel)}</span>
      </span>
    </label>
  );
}

function ChannelForm({ channel }: { channel: Channel }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [sandbox, setSandbox] = useState(false);
  const connect = async (entered: NewChannel) => {
    const body = { ...entered, name: entered.name ?? tDynamic('channel', channel) };
    const { data } = await call('POST /app/api/admin/connections', { body });
    rememberConnected(client, data.id, { verifyToken: body.verify_token ?? null });
    client.setQueryData(connectionsQuery.queryKey, (known) => known && [data, ...known]);
    void client.invalidateQueries({ queryKey: connectionsQuery.queryKey });
    await navigate({ to: '/settings/channels/$connectionId', params: { connectionId: data.id } });
  };
  const isMeta = channel === 'whatsapp' || channel === 'messenger' || channel === 'instagram';
  return (
    <>
      {channel !== 'web_chat' && (
        <Checkbox
          label={t('connect.sandbox')}
          hint={t('connect.sandboxHint')}
          checked={sandbox}
          onChange={(event) => setSandbox(event.target.checked)}
        />
      )}
      {isMeta && !sandbox ? (
        <MetaForm channel={channel} fields={FIELDS[channel]} onConnect={connect} />
      ) : channel === 'personal_whatsapp' && !sandbox ? (
        <BridgeNeeded />
      ) : (
        <Section title={tDynamic('channel', channel)}>
          <SubmitForm
            action={t('channels.connect')}
            onSubmit={(form) => {
              const name = textOf(form, 'name');
              return connect({ channel, ...(name && { name }), ...(sandbox && { sandbox }) });
            }}
          >
            {(errorAt) => (
              <TextField
                label={t('connect.name')}
                name="name"
                hint={t('connect.nameHint')}
                maxLength={100}
                error={errorAt('name')}
              />
            )}
          </SubmitForm>
        </Section>
      )}
    </>
  );
}

/** A personal number needs a bridge. Numbers that the operator has connected already are linked here. */
function BridgeNeeded() {
  const waiting = useQuery(connectionsQuery).data?.filter(isWaiting) ?? [];
  return (
    <Section title={tDynamic('channel', 'personal_whatsapp')}>
      <div className="flex flex-col gap-3">
        {waiting.length > 0 && (
          <>
            <p>{t('connect.waiting')}</p>
            <ul className="flex flex-wrap gap-2">
              {waiting.map(({ id, name }) => (
                <li key={id}>
                  <ButtonLink
                    kind="primary"
                    to="/settings/channels/$connectionId"
                    params={{ connectionId: id }}
                  >
                    {t('channels.linkNamed', { name })}
                  </ButtonLink>
                </li>
              ))}
            </ul>
          </>
        )}
        <p>{t('connect.bridgeNeeded')}</p>
        <CopyField label={t('connect.bridgeCommand')} value={BRIDGE_COMMAND} />
      </div>
    </Section>
  );
}

const isWaiting = ({ channel, status }: ConnectionDetail) =>
  channel === 'personal_whatsapp' && status === 'disconnected';
