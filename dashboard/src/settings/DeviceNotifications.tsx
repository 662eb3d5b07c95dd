import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '@/api/client';
import type { PushDevice, PushKind, PushSettings } from '@/api/schema';
import { pushState, turnOff, turnOn } from '@/device/push';
import { t, tDynamic } from '@/i18n';
import { useSession } from '@/session/session';
import { Button } from '@/ui/Button';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Checkbox } from '@/ui/Field';
import { Section } from '@/ui/Page';
import { Loading } from '@/ui/Spinner';
import { Badge } from '@/ui/Tag';
import { Time } from '@/ui/Time';
import { notify, notifyFailure } from '@/ui/toast';
import { browserName } from './browser';
import { pushQuery } from './queries';

const KINDS: readonly PushKind[] = ['mentions', 'assignments', 'messages', 'unassigned', 'asks'];

/** Notifications that the browser shows while no page is open, and the devices on which the member gets them. */
export function DeviceNotifications() {
  const query = useQuery(pushQuery);
  return (
    <Section title={t('push.title')}>
      {query.isPending && <Loading />}
      {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
      {query.data && <Devices settings={query.data} />}
    </Section>
  );
}

function Devices({ settings }: { settings: PushSettings }) {
  const client = useQueryClient();
  const here = settings.devices.find(({ current }) => current);
  const refresh = () => client.invalidateQueries({ queryKey: pushQuery.queryKey });
  const remove = async (device: PushDevice) => {
    try {
      if (device.current) await turnOff();
      await call('DELETE /app/api/push/devices/{id}', { path: { id: device.id } });
    } catch (error) {
      notifyFailure(t('push.removeFailed'), error);
    } finally {
      await refresh();
    }
  };
  return (
    <div className="flex flex-col gap-4">
      {here ? (
        <Choices device={here} onChange={refresh} onTurnOff={() => void remove(here)} />
      ) : (
        <TurnOn publicKey={settings.public_key} onChange={refresh} />
      )}
      {settings.devices.length > 0 && (
        <div>
          <h3 className="font-medium">{t('push.devices')}</h3>
          <ul className="divide-y divide-line">
            {settings.devices.map((device) => (
              <li key={device.id} className="flex items-center gap-3 py-2.5">
                <div className="min-w-0 flex-1">
                  <p className="break-words">{browserName(device.user_agent)}</p>
                  <p className="text-sm text-ink-soft">
                    {device.last_success_at ? (
                      <>
                        {t('push.lastSent')} <Time at={device.last_success_at} style="relative" />
                      </>
                    ) : (
                      t('push.neverSent')
                    )}
                    {device.failures > 0 && ` · ${t('push.failures', { count: device.failures })}`}
                  </p>
                </div>
                {device.current && <Badge tone="accent">{t('push.thisDevice')}</Badge>}
                {!device.current && (
                  <Button
                    aria-label={t('push.removeDevice', { name: browserName(device.user_agent) })}
                    onClick={() => void remove(device)}
                  >
                    {t('push.remove')}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

function TurnOn({ publicKey, onChange }: { publicKey: string; onChange: () => Promise<void> }) {
  const { user } = useSession();
  const [state, setState] = useState(pushState);
  const [busy, setBusy] = useState(false);
  const start = async () => {
    setBusy(true);
    try {
      const isAllowed = (await Notification.requestPermission()) === 'granted';
      setState(pushState());
      if (isAllowed) await turnOn(publicKey, user.id);
    } catch (error) {
      notifyFailure(t('push.failed'), error);
    } finally {
      setBusy(false);
      await onChange();
    }
  };
  if (state !== 'possible') {
    return <p>{state === 'blocked' ? t('push.blocked') : t('push.unsupported')}</p>;
  }
  return (
    <div className="flex flex-col items-start gap-3">
      <p className="text-ink-soft">{t('push.help')}</p>
      <Button kind="primary" busy={busy} onClick={() => void start()}>
        {t('push.turnOn')}
      </Button>
    </div>
  );
}

function Choices({
  device,
  onChange,
  onTurnOff,
}: {
  device: PushDevice;
  onChange: () => Promise<void>;
  onTurnOff: () => void;
}) {
  const change = async (body: { kinds?: PushKind[]; with_text?: boolean }) => {
    try {
      await call('PATCH /app/api/push/devices/{id}', { path: { id: device.id }, body });
    } catch (error) {
      notifyFailure(t('push.changeFailed'), error);
    } finally {
      await onChange();
    }
  };
  const test = async () => {
    try {
      await call('POST /app/api/push/devices/{id}/test', { path: { id: device.id } });
      notify(t('push.testSent'));
    } catch (error) {
      notifyFailure(t('push.testFailed'), error);
    }
  };
  return (
    <div className="flex flex-col gap-3">
      <fieldset>
        <legend className="mb-1 text-ink-soft">{t('push.about')}</legend>
        {KINDS.map((kind) => (
          <Checkbox
            key={kind}
            label={tDynamic('pushKind', kind)}
            checked={device.kinds.includes(kind)}
            onChange={({ target }) =>
              void change({
                kinds: KINDS.filter((each) => (each === kind ? target.checked : device.kinds.includes(each))),
              })
            }
          />
        ))}
      </fieldset>
      <Checkbox
        label={t('push.withText')}
        hint={t('push.withTextHint')}
        checked={device.with_text}
        onChange={({ target }) => void change({ with_text: target.checked })}
      />
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => void test()}>{t('push.test')}</Button>
        <Button onClick={onTurnOff}>{t('push.turnOff')}</Button>
      </div>
    </div>
  );
}
