import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { RotateCw } from 'lucide-react';
import { call } from '@/api/client';
import type { Delivery, WebhookEndpoint } from '@/api/schema';
import { t, tDynamic } from '@/i18n';
import { mediumTime } from '@/i18n/time';
import { useSession } from '@/session/session';
import { Button } from '@/ui/Button';
import { CodeBlock } from '@/ui/CodeBlock';
import { Dialog, DialogActions } from '@/ui/Dialog';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Loading } from '@/ui/Spinner';
import { Badge } from '@/ui/Tag';
import { Attempts } from './Attempts';
import { DELIVERY_TONES, requestBody, requestHeaders } from './delivery';
import { deliveriesKey, deliveryQuery } from './queries';

interface DeliveryDialogProps {
  endpoint: WebhookEndpoint;
  /** Null while none is open. */
  deliveryId: string | null;
  onClose: () => void;
}

/** One delivery: what was sent, what came back each time, and what happens next. */
export function DeliveryDialog({ endpoint, deliveryId, onClose }: DeliveryDialogProps) {
  return (
    <Dialog open={deliveryId !== null} onClose={onClose} title={t('deliveries.one')} wide>
      {deliveryId && <Body endpoint={endpoint} deliveryId={deliveryId} onClose={onClose} />}
    </Dialog>
  );
}

function Body({ endpoint, deliveryId, onClose }: DeliveryDialogProps & { deliveryId: string }) {
  const client = useQueryClient();
  const query = useQuery(deliveryQuery(endpoint.id, deliveryId));
  const retry = useMutation({
    mutationFn: () =>
      call('POST /webhooks/{id}/deliveries/{delivery_id}/retry', {
        path: { id: endpoint.id, delivery_id: deliveryId },
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: deliveriesKey(endpoint.id) }),
  });
  if (query.isError) return <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <Loading />;
  const delivery = query.data;
  return (
    <div className="flex flex-col gap-4">
      <Facts delivery={delivery} />
      <Request endpoint={endpoint} delivery={delivery} />
      <Attempts endpointId={endpoint.id} delivery={delivery} />
      {retry.isError && <ErrorNotice error={retry.error} />}
      <DialogActions>
        <Button onClick={onClose}>{t('ui.close')}</Button>
        <Button
          kind="primary"
          icon={<RotateCw size={16} aria-hidden />}
          busy={retry.isPending}
          disabled={delivery.status === 'claimed'}
          onClick={() => retry.mutate()}
        >
          {t('deliveries.retry')}
        </Button>
      </DialogActions>
    </div>
  );
}

function Facts({ delivery }: { delivery: Delivery }) {
  const facts: Array<[string, string | null]> = [
    [t('deliveries.event'), `${delivery.event_type} · ${delivery.event_id}`],
    [t('deliveries.made'), mediumTime(delivery.created_at)],
    [t('deliveries.attemptsLabel'), delivery.attempts.toLocaleString()],
    [t('deliveries.delivered'), delivery.delivered_at && mediumTime(delivery.delivered_at)],
    [t('deliveries.next'), delivery.next_attempt_at && mediumTime(delivery.next_attempt_at)],
    [t('deliveries.error'), delivery.last_error],
  ];
  return (
    <div>
      <p role="status" className="mb-2">
        <Badge tone={DELIVERY_TONES[delivery.status]}>{tDynamic('deliveryStatus', delivery.status)}</Badge>{' '}
        <span className="text-sm text-ink-soft">{tDynamic('deliveryHelp', delivery.status)}</span>
      </p>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1">
        {facts.map(([label, value]) =>
          value ? (
            <div key={label} className="contents">
              <dt className="text-ink-soft">{label}</dt>
              <dd className="min-w-0 break-words">{value}</dd>
            </div>
          ) : null,
        )}
      </dl>
    </div>
  );
}

function Request({ endpoint, delivery }: { endpoint: WebhookEndpoint; delivery: Delivery }) {
  const { account } = useSession();
  const headers = requestHeaders(delivery).map(
    ([name, value]) => `${name}: ${value ?? `(${t('deliveries.perAttempt')})`}`,
  );
  const request = [`POST ${endpoint.url}`, ...headers, '', requestBody(delivery, account.id)].join('\n');
  return (
    <section>
      <h3 className="mb-1 font-semibold">{t('deliveries.request')}</h3>
      <CodeBlock label={t('deliveries.request')} code={request} />
    </section>
  );
}
