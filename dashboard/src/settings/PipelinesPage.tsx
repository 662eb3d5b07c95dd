import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ArrowDown, ArrowUp, Pencil, Plus, Trash2, Workflow } from 'lucide-react';
import { useState } from 'react';
import { call } from '@/api/client';
import type { Pipeline, Stage } from '@/api/schema';
import { pipelinesQuery } from '@/contacts/queries';
import { t } from '@/i18n';
import { useCan } from '@/session/session';
import { Button, IconButton } from '@/ui/Button';
import { ConfirmDialog, Dialog } from '@/ui/Dialog';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { TextField } from '@/ui/Field';
import { Page } from '@/ui/Page';
import { RowActions } from '@/ui/rows';
import { Loading } from '@/ui/Spinner';
import { SubmitForm, textOf } from '@/ui/SubmitForm';
import { notifyFailure } from '@/ui/toast';

type Asked =
  | { kind: 'pipeline'; pipeline: Pipeline | null }
  | { kind: 'stage'; pipeline: Pipeline; stage: Stage | null }
  | { kind: 'deletePipeline'; pipeline: Pipeline }
  | { kind: 'deleteStage'; pipeline: Pipeline; stage: Stage };

export function PipelinesPage() {
  const client = useQueryClient();
  const writable = useCan()('deals:write');
  const query = useQuery(pipelinesQuery);
  const [asked, setAsked] = useState<Asked | null>(null);
  const close = () => setAsked(null);
  const refresh = () => client.invalidateQueries({ queryKey: pipelinesQuery.queryKey });
  const move = async (pipeline: Pipeline, index: number, step: 1 | -1) => {
    const ids = ordered(pipeline).map((stage) => stage.id);
    const [moved] = ids.splice(index, 1);
    if (moved) ids.splice(index + step, 0, moved);
    try {
      await call('PATCH /pipelines/{id}', { path: { id: pipeline.id }, body: { stage_ids: ids } });
      await refresh();
    } catch (error) {
      notifyFailure(t('pipelines.changeFailed'), error);
    }
  };
  const create = writable && (
    <Button
      kind="primary"
      icon={<Plus size={16} aria-hidden />}
      onClick={() => setAsked({ kind: 'pipeline', pipeline: null })}
    >
      {t('pipelines.new')}
    </Button>
  );
  return (
    <Page title={t('settings.pipelines')} actions={query.data?.length !== 0 && create}>
      <div className="settings-column flex flex-col gap-4">
        {query.isPending && <Loading />}
        {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
        {query.data?.length === 0 && (
          <EmptyState icon={<Workflow size={40} />} title={t('pipelines.empty')} action={create}>
            {t('pipelines.emptyHelp')}
          </EmptyState>
        )}
        {query.data?.map((pipeline) => (
          <section
            key={pipeline.id}
            aria-label={pipeline.name}
            className="rounded-xl border border-line bg-surface"
          >
            <header className="flex items-center gap-1 border-b border-line px-3 py-2">
              <h2 className="flex-1 font-semibold">{pipeline.name}</h2>
              {writable && (
                <RowActions label={t('ui.actionsNamed', { name: pipeline.name })}>
                  <IconButton
                    label={t('ui.editNamed', { name: pipeline.name })}
                    icon={<Pencil size={16} aria-hidden />}
                    onClick={() => setAsked({ kind: 'pipeline', pipeline })}
                  />
                  <IconButton
                    label={t('ui.deleteNamed', { name: pipeline.name })}
                    icon={<Trash2 size={16} aria-hidden />}
                    onClick={() => setAsked({ kind: 'deletePipeline', pipeline })}
                  />
                </RowActions>
              )}
            </header>
            <ol className="divide-y divide-line">
              {ordered(pipeline).map((stage, index, stages) => (
                <li key={stage.id} className="flex items-center gap-1 px-3 py-1">
                  <span className="min-w-0 flex-1 truncate">{stage.name}</span>
                  <span className="text-sm text-ink-soft">
                    {t('pipelines.probability', { percent: stage.probability })}
                  </span>
                  {writable && (
                    <RowActions label={t('ui.actionsNamed', { name: stage.name })}>
                      <IconButton
                        label={t('pipelines.up', { name: stage.name })}
                        icon={<ArrowUp size={16} aria-hidden />}
                        disabled={index === 0}
                        onClick={() => void move(pipeline, index, -1)}
                      />
                      <IconButton
                        label={t('pipelines.down', { name: stage.name })}
                        icon={<ArrowDown size={16} aria-hidden />}
                        disabled={index === stages.length - 1}
                        onClick={() => void move(pipeline, index, 1)}
                      />
                      <IconButton
                        label={t('ui.editNamed', { name: stage.name })}
                        icon={<Pencil size={16} aria-hidden />}
                        onClick={() => setAsked({ kind: 'stage', pipeline, stage })}
                      />
                      <IconButton
                        label={t('ui.deleteNamed', { name: stage.name })}
                        icon={<Trash2 size={16} aria-hidden />}
                        onClick={() => setAsked({ kind: 'deleteStage', pipeline, stage })}
                      />
                    </RowActions>
                  )}
                </li>
              ))}
            </ol>
            {writable && (
              <div className="p-2">
                <Button
                  kind="quiet"
                  icon={<Plus size={16} aria-hidden />}
                  onClick={() => setAsked({ kind: 'stage', pipeline, stage: null })}
                >
                  {t('pipelines.addStage')}
                </Button>
              </div>
            )}
          </section>
        ))}
      </div>
      <PipelineDialogs asked={asked} onClose={close} onDone={refresh} />
    </Page>
  );
}

function ordered(pipeline: Pipeline): Stage[] {
  return pipeline.stages.toSorted((a, b) => a.position - b.position);
}

function PipelineDialogs({
  asked,
  onClose,
  onDone,
}: {
  asked: Asked | null;
  onClose: () => void;
  onDone: () => Promise<void>;
}) {
  const pipeline = asked?.pipeline ?? null;
  const stage = asked && 'stage' in asked ? asked.stage : null;
  return (
    <>
      <Dialog
        open={asked?.kind === 'pipeline'}
        onClose={onClose}
        title={pipeline ? t('pipelines.edit') : t('pipelines.new')}
      >
        <SubmitForm
          action={t('ui.save')}
          onCancel={onClose}
          onSubmit={async (form) => {
            const body = { name: textOf(form, 'name') };
            if (pipeline) await call('PATCH /pipelines/{id}', { path: { id: pipeline.id }, body });
            else await call('POST /pipelines', { body });
            onClose();
            await onDone();
          }}
        >
          {(errorAt) => (
            <TextField
              label={t('pipelines.name')}
              name="name"
              defaultValue={pipeline?.name ?? ''}
              required
              maxLength={100}
              hint={pipeline ? undefined : t('pipelines.newHint')}
              error={errorAt('name')}
              autoFocus
            />
          )}
        </SubmitForm>
      </Dialog>
      <Dialog
        open={asked?.kind === 'stage'}
        onClose={onClose}
        title={stage ? t('pipelines.editStage') : t('pipelines.addStage')}
      >
        <SubmitForm
          action={t('ui.save')}
          onCancel={onClose}
          onSubmit={async (form) => {
            if (!pipeline) return;
            const body = { name: textOf(form, 'name'), probability: Number(textOf(form, 'probability')) };
            if (stage)
              await call('PATCH /pipelines/{id}/stages/{stage_id}', {
                path: { id: pipeline.id, stage_id: stage.id },
                body,
              });
            else await call('POST /pipelines/{id}/stages', { path: { id: pipeline.id }, body });
            onClose();
            await onDone();
          }}
        >
          {(errorAt) => (
            <>
              <TextField
                label={t('pipelines.stageName')}
                name="name"
                defaultValue={stage?.name ?? ''}
                required
                maxLength={100}
                error={errorAt('name')}
                autoFocus
              />
              <TextField
                label={t('pipelines.probabilityLabel')}
                name="probability"
                type="number"
                min={0}
                max={100}
                defaultValue={stage?.probability ?? 50}
                required
                error={errorAt('probability')}
              />
            </>
          )}
        </SubmitForm>
      </Dialog>
      <ConfirmDialog
        open={asked?.kind === 'deletePipeline'}
        onClose={onClose}
        title={t('pipelines.delete')}
        description={t('pipelines.deleteHelp', { name: pipeline?.name ?? '' })}
        action={t('ui.delete')}
        onConfirm={async () => {
          if (pipeline) await call('DELETE /pipelines/{id}', { path: { id: pipeline.id } });
          await onDone();
        }}
      />
      <ConfirmDialog
        open={asked?.kind === 'deleteStage'}
        onClose={onClose}
        title={t('pipelines.deleteStage')}
        description={t('pipelines.deleteStageHelp', { name: stage?.name ?? '' })}
        action={t('ui.delete')}
        onConfirm={async () => {
          if (pipeline && stage)
            await call('DELETE /pipelines/{id}/stages/{stage_id}', {
              path: { id: pipeline.id, stage_id: stage.id },
            });
          await onDone();
        }}
      />
    </>
  );
}
