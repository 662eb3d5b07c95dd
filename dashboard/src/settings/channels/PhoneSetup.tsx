import { useQuery, useQueryClient } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import { useState } from 'react';
import type { ConnectionDetail } from '@/api/app';
import { t } from '@/i18n';
import { Section } from '@/ui/Page';
import { Loading } from '@/ui/Spinner';
import { connectionsQuery, deviceQuery } from '../queries';
import { forgetConnected, justConnected } from './justConnected';
import { Pairing } from './Pairing';

/** Whether the phone of a personal number is linked; if not, its QR code at once. */
export function PhoneSetup({ connection }: { connection: ConnectionDetail }) {
  const client = useQueryClient();
  const { id, status } = connection;
  const [isNew, setIsNew] = useState(() => justConnected(client, id) !== undefined);
  // A number counts as connected before its phone is linked for the first time, so the bridge is asked.
  const isOn = status === 'connected' && !isNew;
  const device = useQuery({ ...deviceQuery(id), enabled: isOn });
  const finish = () => {
    forgetConnected(client, id);
    setIsNew(false);
    for (const { queryKey } of [connectionsQuery, deviceQuery(id)])
      void client.invalidateQueries({ queryKey });
  };
  if (isOn && device.isPending) return <Loading />;
  if (!isOn || device.data?.status !== 'connected') return <Pairing connectionId={id} onLinked={finish} />;
  return (
    <Section title={t('pairing.title')}>
      <p className="flex items-center gap-2">
        <CircleCheck size={18} aria-hidden className="shrink-0 text-success" />
        {t('pairing.done')}
      </p>
    </Section>
  );
}
