import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Pencil, RotateCcw, ThumbsDown, Trash2, Trophy } from 'lucide-react';
import { useState } from 'react';
import { call } from '@/api/client';
import type { Deal, Pipeline } from '@/api/schema';
import { contactName } from '@/contacts/names';
import { OpenConversation } from '@/contacts/OpenConversation';
import { pipelinesQuery, useContactNames } from '@/contacts/queries';
import { Timeline } from '@/contacts/TimelineList';
import { t, tDynamic } from '@/i18n';
import { money } from '@/i18n/time';
import { useMemberName } from '@/session/members';
import { useCan } from '@/session/session';
import { Button, IconButton } from '@/ui/Button';
import { ConfirmDialog } from '@/ui/Dialog';
import { BackLink, Page, Section, UnreadyPage } from '@/ui/Page';
import { Badge } from '@/ui/Tag';
import { Time } from '@/ui/Time';
import { notifyFailure } from '@/ui/toast';
import { CloseDate, useToday } from './CloseDate';
import { applyDeal } from './cache';
import { DealDialog } from './DealForm';
import { DealHistory } from './DealHistory';
import { LostDialog } from './LostDialog';
import { dealQuery } from './queries';
import { useMoveDeal } from './useMoveDeal';

const route = getRouteApi('/shell/deals/$dealId');
const ICON = { size: 16, 'aria-hidden': true } as const;

export function DealPage() {
  const { dealId } = route.useParams();
  const query = useQuery(dealQuery(dealId));
  const pipelines = useQuery(pipelinesQuery).data;
  if (!query.data) {
    return (
      <UnreadyPage
        title={t('nav.deals')}
        back={<BackLink to="/deals" label={t('nav.deals')} />}
        error={query.error}
        onRetry={() => void query.refetch()}
      />
    );
  }
  return (
    <DealDetail
      deal={query.data}
      pipeline={pipelines?.find((pipeline) => pipeline.id === query.data.pipeline_id)}
    />
  );
}

type OpenDialog = 'edit' | 'lost' | 'delete' | null;

function DealDetail({ deal, pipeline }: { deal: Deal; pipeline: Pipeline | undefined }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const memberName = useMemberName();
  const writable = useCan()('deals:write');
  const names = useContactNames([deal.contact_id]);
  const move = useMoveDeal({ pipeline_id: deal.pipeline_id });
  const today = useToday();
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const path = { id: deal.id };
  const change = async (request: Promise<{ data: Deal }>) => {
    try {
      applyDeal(client, (await request).data);
    } catch (error) {
      notifyFailure(t('deals.changeFailed'), error);
    }
  };
  const remove = async () => {
    await call('DELETE /deals/{id}', { path });
    await navigate({ to: '/deals' });
    applyDeal(client, deal, true);
  };
  const open = deal.status === 'open';
  const contact = deal.contact_id ? names.get(deal.contact_id) : undefined;
  const facts: Array<[string, React.ReactNode]> = [
    [t('deals.value'), deal.value === null ? '–' : money(deal.value, deal.currency)],
    [
      t('deals.contact'),
      deal.contact_id ? (
        <Link
          key="contact"
          to="/contacts/$contactId"
          params={{ contactId: deal.contact_id }}
          className="text-accent underline"
        >
          {contactName(contact)}
        </Link>
      ) : (
        '–'
      ),
    ],
    [t('deals.owner'), memberName(deal.owner_user_id)],
    [
      t('deals.expected'),
      deal.expected_close_date ? <CloseDate key="expected" deal={deal} today={today} /> : '–',
    ],
    [t('deals.created'), <Time key="created" at={deal.created_at} style="medium" />],
    ...(deal.closed_at
      ? [
          [t('deals.closedAt'), <Time key="closed" at={deal.closed_at} style="medium" />] as [
            string,
            React.ReactNode,
          ],
        ]
      : []),
    ...(deal.lost_reason ? [[t('deals.lostReason'), deal.lost_reason] as [string, React.ReactNode]] : []),
  ];
  return (
    <Page
      title={deal.title}
      back={<BackLink to="/deals" search={{ pipeline: deal.pipeline_id }} label={t('nav.deals')} />}
      actions={
        <>
          <OpenConversation contactId={deal.contact_id} short />
          {writable && open && (
            <>
              <Button
                icon={<Trophy {...ICON} />}
                onClick={() =>
                  void change(call('POST /deals/{id}/close', { path, body: { outcome: 'won' } }))
                }
              >
                {t('deals.won')}
              </Button>
              <Button icon={<ThumbsDown {...ICON} />} onClick={() => setDialog('lost')}>
                {t('deals.lost')}
              </Button>
            </>
          )}
          {writable && !open && (
            <Button
              icon={<RotateCcw {...ICON} />}
              onClick={() => void change(call('POST /deals/{id}/reopen', { path }))}
            >
              {t('deals.reopen')}
            </Button>
          )}
          {writable && (
            <>
              <IconButton
                label={t('deals.edit')}
                icon={<Pencil {...ICON} />}
                onClick={() => setDialog('edit')}
              />
              <IconButton
                label={t('deals.delete')}
                icon={<Trash2 {...ICON} />}
                onClick={() => setDialog('delete')}
              />
            </>
          )}
        </>
      }
    >
      <div className="page-column flex flex-col gap-4">
        <Section
          title={pipeline?.name ?? t('deals.pipeline')}
          actions={
            <Badge tone={deal.status === 'won' ? 'accent' : deal.status === 'lost' ? 'danger' : 'neutral'}>
              {tDynamic('dealStatus', deal.status)}
            </Badge>
          }
        >
          <ol className="flex flex-wrap gap-1.5">
            {pipeline?.stages
              .toSorted((a, b) => a.position - b.position)
              .map((stage) => (
                <li key={stage.id}>
                  <button
                    type="button"
                    aria-pressed={stage.id === deal.stage_id}
                    disabled={!writable || !open}
                    onClick={() => void move(deal, stage)}
                    className="rounded-full border border-line px-3 py-1 enabled:hover:bg-sunken aria-pressed:border-accent aria-pressed:bg-active aria-pressed:font-semibold"
                  >
                    {stage.name}
                  </button>
                </li>
              ))}
          </ol>
        </Section>
        <Section title={t('deals.details')}>
          <dl className="grid gap-y-2 sm:grid-cols-[10rem_1fr]">
            {facts.map(([label, value]) => (
              <div key={label} className="contents">
                <dt className="text-ink-soft">{label}</dt>
                <dd className="break-words">{value}</dd>
              </div>
            ))}
          </dl>
        </Section>
        <Section title={t('timeline.title')}>
          {deal.contact_id ? (
            <Timeline contactId={deal.contact_id} ownDealId={deal.id} />
          ) : (
            <DealHistory dealId={deal.id} />
          )}
        </Section>
      </div>
      <DealDialog open={dialog === 'edit'} onClose={() => setDialog(null)} deal={deal} />
      <LostDialog
        open={dialog === 'lost'}
        onClose={() => setDialog(null)}
        onLost={(reason) =>
          change(call('POST /deals/{id}/close', { path, body: { outcome: 'lost', reason } }))
        }
      />
      <ConfirmDialog
        open={dialog === 'delete'}
        onClose={() => setDialog(null)}
        title={t('deals.delete')}
        description={t('deals.deleteHelp', { title: deal.title })}
        action={t('ui.delete')}
        onConfirm={remove}
      />
    </Page>
  );
}
