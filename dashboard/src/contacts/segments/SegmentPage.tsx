import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { call } from '@/api/client';
import type { CustomField, Match, Segment } from '@/api/schema';
import { t } from '@/i18n';
import { Button } from '@/ui/Button';
import { ConfirmDialog } from '@/ui/Dialog';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { TextField } from '@/ui/Field';
import { BackLink, Page, Section, UnreadyPage } from '@/ui/Page';
import { SelectField } from '@/ui/SelectField';
import { notify } from '@/ui/toast';
import { fieldsQuery, segmentQuery, segmentsQuery } from '../queries';
import { RuleRow } from './RuleRow';
import { type DraftRule, fromRule, isComplete, toInput } from './rules';
import { SegmentPreview } from './SegmentPreview';

const route = getRouteApi('/shell/segments/$segmentId');

export function SegmentPage() {
  const { segmentId } = route.useParams();
  const isNew = segmentId === 'new';
  const fields = useQuery(fieldsQuery);
  const segment = useQuery({ ...segmentQuery(segmentId), enabled: !isNew });
  const failed = fields.error ?? segment.error;
  if (failed || !fields.data || (!isNew && !segment.data)) {
    return (
      <UnreadyPage
        title={isNew ? t('segment.new') : t('segment.edit')}
        back={<BackLink to="/contacts" label={t('nav.contacts')} />}
        error={failed}
        onRetry={() => void Promise.all([fields.refetch(), !isNew && segment.refetch()])}
      />
    );
  }
  return <SegmentForm key={segmentId} segment={segment.data} fields={fields.data} />;
}

const emptyRule = (): DraftRule => ({ key: crypto.randomUUID(), field: 'tag', op: 'is', value: '' });

function SegmentForm({ segment, fields }: { segment: Segment | undefined; fields: CustomField[] }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState(segment?.name ?? '');
  const [match, setMatch] = useState<Match>(segment?.match ?? 'all');
  const [rules, setRules] = useState<DraftRule[]>(
    () => segment?.rules.map((rule) => fromRule(rule, crypto.randomUUID(), fields)) ?? [emptyRule()],
  );
  const [deleting, setDeleting] = useState(false);
  const whole = rules.length > 0 && rules.every((rule) => isComplete(rule, fields));
  const complete = name.trim() !== '' && whole;
  const save = useMutation({
    mutationFn: () => {
      const body = { name: name.trim(), match, rules: rules.map((rule) => toInput(rule, fields)) };
      return segment
        ? call('PATCH /segments/{id}', { path: { id: segment.id }, body })
        : call('POST /segments', { body });
    },
    onSuccess: async ({ data }) => {
      await client.invalidateQueries({ queryKey: segmentsQuery.queryKey });
      client.setQueryData(segmentQuery(data.id).queryKey, data);
      void client.invalidateQueries({ queryKey: ['contacts'] });
      notify(t('segment.saved', { count: data.contact_count }));
      await navigate({ to: '/contacts', search: { segment: data.id } });
    },
  });
  const remove = async () => {
    if (!segment) return;
    await call('DELETE /segments/{id}', { path: { id: segment.id } });
    await client.invalidateQueries({ queryKey: segmentsQuery.queryKey });
    await navigate({ to: '/contacts' });
  };
  return (
    <Page
      title={segment ? t('segment.edit') : t('segment.new')}
      back={<BackLink to="/contacts" label={t('nav.contacts')} />}
    >
      <form
        className="page-column flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <Section title={t('segment.rules')}>
          <div className="flex flex-col gap-3">
            <TextField
              label={t('segment.name')}
              value={name}
              onChange={(event) => setName(event.target.value)}
              required
              maxLength={100}
            />
            <SelectField
              label={t('segment.match')}
              value={match}
              onChange={(event) => setMatch(event.target.value as Match)}
            >
              <option value="all">{t('segment.matchAll')}</option>
              <option value="any">{t('segment.matchAny')}</option>
            </SelectField>
            <ol className="flex flex-col gap-2">
              {rules.map((rule, index) => (
                <RuleRow
                  key={rule.key}
                  number={index + 1}
                  rule={rule}
                  fields={fields}
                  onChange={(next) => setRules((before) => before.with(index, next))}
                  onRemove={() => setRules((before) => before.toSpliced(index, 1))}
                />
              ))}
            </ol>
            <div>
              <Button
                icon={<Plus size={16} aria-hidden />}
                onClick={() => setRules((before) => [...before, emptyRule()])}
              >
                {t('segment.addRule')}
              </Button>
            </div>
          </div>
        </Section>
        <SegmentPreview match={match} rules={whole ? rules.map((rule) => toInput(rule, fields)) : null} />
        {save.isError && <ErrorNotice error={save.error} />}
        <div className="flex flex-wrap justify-end gap-2">
          {segment && (
            <Button kind="quiet" className="me-auto text-danger" onClick={() => setDeleting(true)}>
              {t('segment.delete')}
            </Button>
          )}
          <Button type="submit" kind="primary" busy={save.isPending} disabled={!complete}>
            {t('segment.save')}
          </Button>
        </div>
      </form>
      <ConfirmDialog
        open={deleting}
        onClose={() => setDeleting(false)}
        title={t('segment.delete')}
        description={t('segment.deleteHelp', { name })}
        action={t('ui.delete')}
        onConfirm={remove}
      />
    </Page>
  );
}
