import { useState } from 'react';
import type { ConnectionDetail, NewChannel } from '@/api/app';
import { CHANNELS } from '@/api/channels';
import { call } from '@/api/client';
import type { Channel } from '@/api/schema';
import { type MessageKey, t, tDynamic } from '@/i18n';
import { CopyField } from '@/ui/Copy';
import { Dialog } from '@/ui/Dialog';
import { Checkbox, SelectField, TextField } from '@/ui/Field';
import { SubmitForm, textOf } from '@/ui/SubmitForm';

/** What each channel asks for. Secrets are typed, never shown again. */
const FIELDS: Record<Channel, Array<{ name: keyof NewChannel; label: MessageKey; secret?: boolean }>> = {
  whatsapp: [
    { name: 'phone_number_id', label: 'connect.phoneNumberId' },
    { name: 'waba_id', label: 'connect.wabaId' },
    { name: 'access_token', label: 'connect.accessToken', secret: true },
    { name: 'app_secret', label: 'connect.appSecret', secret: true },
    { name: 'verify_token', label: 'connect.verifyToken' },
  ],
  messenger: [
    { name: 'page_id', label: 'connect.pageId' },
    { name: 'access_token', label: 'connect.accessToken', secret: true },
    { name: 'app_secret', label: 'connect.appSecret', secret: true },
    { name: 'verify_token', label: 'connect.verifyToken' },
  ],
  instagram: [
    { name: 'page_id', label: 'connect.pageId' },
    { name: 'access_token', label: 'connect.accessToken', secret: true },
    { name: 'app_secret', label: 'connect.appSecret', secret: true },
    { name: 'verify_token', label: 'connect.verifyToken' },
  ],
  personal_whatsapp: [],
  web_chat: [],
};

/** Only whoever runs the server chooses a bridge, so this is not a form. */
const BRIDGE_COMMAND =
  'frontdesk channel connect --channel personal_whatsapp --bridge-url URL --bridge-key KEY --session NAME';

interface ConnectDialogProps {
  open: boolean;
  onClose: () => void;
  onConnected: (connection: ConnectionDetail) => void;
}

export function ConnectDialog({ open, onClose, onConnected }: ConnectDialogProps) {
  const [channel, setChannel] = useState<Channel>('whatsapp');
  const [sandbox, setSandbox] = useState(false);
  const fields = sandbox ? [] : FIELDS[channel];
  const needsBridge = channel === 'personal_whatsapp' && !sandbox;
  return (
    <Dialog open={open} onClose={onClose} title={t('channels.connect')} description={t('connect.help')}>
      <SubmitForm
        action={t('channels.connect')}
        onCancel={onClose}
        disabled={needsBridge}
        onSubmit={async (form) => {
          const name = textOf(form, 'name');
          const given = Object.fromEntries(fields.map((field) => [field.name, textOf(form, field.name)]));
          const body: NewChannel = {
            channel,
            ...(name && { name }),
            ...(sandbox && { sandbox }),
            ...given,
          };
          onConnected((await call('POST /app/api/admin/connections', { body })).data);
        }}
      >
        {(errorAt) => (
          <>
            <SelectField
              label={t('inbox.channel')}
              value={channel}
              onChange={(event) => setChannel(event.target.value as Channel)}
            >
              {CHANNELS.map((each) => (
                <option key={each} value={each}>
                  {tDynamic('channel', each)}
                </option>
              ))}
            </SelectField>
            {channel !== 'web_chat' && (
              <Checkbox
                label={t('connect.sandbox')}
                hint={t('connect.sandboxHint')}
                checked={sandbox}
                onChange={(event) => setSandbox(event.target.checked)}
              />
            )}
            {needsBridge ? (
              <>
                <p>{t('connect.bridgeNeeded')}</p>
                <CopyField label={t('connect.bridgeCommand')} value={BRIDGE_COMMAND} />
              </>
            ) : (
              <TextField label={t('connect.name')} name="name" maxLength={100} error={errorAt('name')} />
            )}
            {fields.map((field) => (
              <TextField
                key={`${channel}-${field.name}`}
                label={t(field.label as 'connect.name')}
                name={field.name}
                required
                autoComplete="off"
                error={errorAt(field.name)}
                {...(field.secret && { type: 'password' })}
              />
            ))}
          </>
        )}
      </SubmitForm>
    </Dialog>
  );
}
