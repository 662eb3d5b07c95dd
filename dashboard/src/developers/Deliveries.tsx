import { useInfiniteQuery } from '@tanstack/react-query';
import { PackageCheck } from 'lucide-react';
import { useState } from 'react';
import type { Delivery, DeliveryStatus, WebhookEndpoint } from '@/api/schema';
import { t, tDynamic } from '@/i18n';
import { Button } from '@/ui/Button';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { FilterChips } from '@/ui/FilterChips';
import { LoadMore } from '@/ui/LoadMore';
import { Section } from '@/ui/Page';
import { LoadingRows } from '@/ui/Spinner';
import { Badge } from '@/ui/Tag';
import { Time } from '@/ui/Time';
import { DeliveryDialog } from './DeliveryDialog';
import { DELIVERY_TONES } from './delivery';
import { EventTypeField } from './EventTypeField';
import { type DeliveryFilter, deliveriesQuery } from './queries';

const STATUSES = Object.keys(DELIVERY_TONES) as DeliveryStatus[];
const ROW_PX = 52;

/** What was sent to an endpoint, the newest first. */
export function Deliveries({ endpoint, onTest }: { endpoint: WebhookEndpoint; onTest: () => void }) {
  const [filter, setFilter] = useState<DeliveryFilter>({});
  const [shown, setShown] = useState<string | null>(null);
  const query = useInfiniteQuery(deliveriesQuery(endpoint.id, filter));
  const deliveries = query.data?.pages.flatMap((page) => page.data) ?? [];
  const filtered = filter.status !== undefined || filter.event_type !== undefined;
  return (
    <Section
      title={t('deliveries.title')}
      actions={
        <div className="w-48">
          <EventTypeField
            value={filter.event_type}
            onChange={(type) => {
              const { event_type: _, ...rest } = filter;
              setFilter(type ? { ...rest, event_type: type } : rest);
            }}
          />
        </div>
      }
    >
      <div className="mb-3">
        <FilterChips
          label={t('deliveries.status')}
          all={t('ui.anyStatus')}
          chips={STATUSES.map((value) => ({ value, label: tDynamic('deliveryStatus', value) }))}
          value={filter.status}
          onChange={(status) => {
            const { status: _, ...rest } = filter;
            setFilter(status ? { ...rest, status } : rest);
          }}
        />
      </div>
      {query.isPending && <LoadingRows rowPx={ROW_PX} />}
      {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
      {query.isSuccess && deliveries.length === 0 && (
        <EmptyState
          icon={<PackageCheck size={40} />}
          title={filtered ? t('deliveries.noMatch') : t('deliveries.empty')}
          action={!filtered && <Button onClick={onTest}>{t('webhooks.test')}</Button>}
        >
          {!filtered && t('deliveries.emptyHelp')}
        </EmptyState>
      )}
      <ul
        className={`-mx-4 divide-y divide-line border-t border-line empty:hidden ${query.hasNextPage ? '' : '-mb-4'}`}
      >
        {deliveries.map((delivery) => (
          <DeliveryRow key={delivery.id} delivery={delivery} onOpen={() => setShown(delivery.id)} />
        ))}
      </ul>
      <LoadMore query={query} />
      <DeliveryDialog endpoint={endpoint} deliveryId={shown} onClose={() => setShown(null)} />
    </Section>
  );
}

function DeliveryRow({ delivery, onOpen }: { delivery: Delivery; onOpen: () => void }) {
  return (
    <li className="lazy-render relative flex min-h-13 flex-wrap items-center gap-x-3 gap-y-0.5 px-4 py-1.5 hover:bg-sunken">
      <span className="w-28">
        <Badge tone={DELIVERY_TONES[delivery.status]}>{tDynamic('deliveryStatus', delivery.status)}</Badge>
      </span>
      <button
        type="button"
        onClick={onOpen}
        className="min-w-0 flex-1 basis-40 truncate text-start font-mono text-sm after:absolute after:inset-0"
      >
        {delivery.event_type}
      </button>
      <span className="text-sm text-ink-soft">
        {[
          delivery.last_status_code,
          delivery.duration_ms !== null && t('deliveries.duration', { ms: delivery.duration_ms }),
          t('deliveries.attempts', { count: delivery.attempts }),
        ]
          .filter(Boolean)
          .join(' · ')}
      </span>
      <span className="w-20 text-end text-sm text-ink-soft max-sm:w-auto">
        <Time at={delivery.created_at} />
      </span>
    </li>
  );
}
