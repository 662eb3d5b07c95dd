import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ConnectionDetail } from '@/api/app';
import { call } from '@/api/client';
import { ApiError } from '@/api/errors';
import type { WidgetDetail } from '@/api/schema';
import { locale, t } from '@/i18n';
import { CodeBlock } from '@/ui/CodeBlock';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Section } from '@/ui/Page';
import { LoadingRows } from '@/ui/Spinner';
import { notify } from '@/ui/toast';
import { widgetQuery } from '../queries';
import { SaveBar } from '../SaveBar';
import { useSettingsDraft } from '../useSettingsDraft';
import { IdentitySection } from './IdentitySection';
import { Behaviour, Look, type TextLanguage, Texts } from './WidgetFields';
import { WidgetPreview } from './WidgetPreview';

const ROW_PX = 60;

/** The web chat: how it looks and behaves, the HTML that shows it, and who its visitors are. */
export function WebChatSetup({ connection }: { connection: ConnectionDetail }) {
  const query = useQuery(widgetQuery(connection.id));
  if (query.data) return <WidgetSetup connection={connection} widget={query.data} />;
  if (query.isError) return <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />;
  return <LoadingRows rowPx={ROW_PX} count={4} />;
}

function WidgetSetup({ connection, widget }: { connection: ConnectionDetail; widget: WidgetDetail }) {
  const client = useQueryClient();
  const { has_identity_secret: hasSecret, ...stored } = widget;
  const { draft, isChanged, isOutdated, set, discard } = useSettingsDraft(stored);
  const [language, setLanguage] = useState<TextLanguage>(locale().startsWith('de') ? 'de' : 'en');
  const save = useMutation({
    mutationFn: () =>
      call('PUT /app/api/admin/connections/{id}/widget', { path: { id: connection.id }, body: draft }),
    onSuccess: async ({ data }) => {
      const { queryKey } = widgetQuery(connection.id);
      // An answer that is under way was written before this change.
      await client.cancelQueries({ queryKey });
      client.setQueryData(queryKey, data);
      discard();
      notify(t('webChat.saved'));
    },
  });
  const errorAt = (path: string) => (save.error instanceof ApiError ? save.error.at(path) : undefined);
  return (
    <>
      <div className="grid gap-4 lg:grid-cols-2">
        <div className="flex flex-col gap-4">
          <Look draft={draft} set={set} errorAt={errorAt} />
          <Texts draft={draft} set={set} errorAt={errorAt} language={language} onLanguage={setLanguage} />
          <Behaviour draft={draft} set={set} />
        </div>
        <div className="lg:sticky lg:top-0 lg:self-start">
          <Section title={t('webChat.preview')}>
            <p className="mb-3 text-ink-soft">{t('webChat.previewHelp')}</p>
            <WidgetPreview connectionId={connection.id} settings={draft} language={language} />
          </Section>
        </div>
      </div>
      <SaveBar
        group={t('webChat.settings')}
        isChanged={isChanged}
        isOutdated={isOutdated}
        busy={save.isPending}
        error={save.error}
        onSave={() => save.mutate()}
        onDiscard={() => {
          save.reset();
          discard();
        }}
      />
      <Section title={t('channels.snippet')}>
        <p className="mb-3 text-ink-soft">{t('webChat.snippetHelp')}</p>
        <CodeBlock label={t('channels.snippet')} code={connection.snippet ?? ''} />
      </Section>
      <IdentitySection connection={connection} hasSecret={hasSecret} />
    </>
  );
}
