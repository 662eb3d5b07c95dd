import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ConnectionDetail } from '@/api/app';
import { call } from '@/api/client';
import { t } from '@/i18n';
import { Button } from '@/ui/Button';
import { CodeBlock } from '@/ui/CodeBlock';
import { CopyField } from '@/ui/Copy';
import { ConfirmDialog } from '@/ui/Dialog';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { FilterChips } from '@/ui/FilterChips';
import { Section } from '@/ui/Page';
import { Badge } from '@/ui/Tag';
import { widgetQuery } from '../queries';
import { LANGUAGE_NAMES, SIGNING, SIGNING_LANGUAGES, type SigningLanguage, signedSnippet } from './identity';

interface IdentityProps {
  connection: ConnectionDetail;
  hasSecret: boolean;
}

/** Signs the ids of a website's users, so that each has one conversation in all browsers. */
export function IdentitySection({ connection, hasSecret }: IdentityProps) {
  const client = useQueryClient();
  const [asking, setAsking] = useState(false);
  const [language, setLanguage] = useState<SigningLanguage>('node');
  const create = useMutation({
    mutationFn: () =>
      call('POST /app/api/admin/connections/{id}/identity-secret', { path: { id: connection.id } }),
    onSuccess: () => {
      const { queryKey } = widgetQuery(connection.id);
      client.setQueryData(queryKey, (known) => known && { ...known, has_identity_secret: true });
    },
  });
  const secret = create.data?.data.identity_secret;
  const badge = hasSecret ? (
    <Badge tone="success">{t('identity.on')}</Badge>
  ) : (
    <Badge>{t('identity.off')}</Badge>
  );
  return (
    <Section title={t('identity.title')} actions={badge}>
      <div className="flex flex-col gap-4">
        <p className="text-ink-soft">{t('identity.help')}</p>
        {secret && (
          <div role="status" className="flex flex-col gap-2">
            <CopyField label={t('identity.secret')} value={secret} />
            <p className="text-warning">{t('identity.once')}</p>
          </div>
        )}
        {create.isError && <ErrorNotice error={create.error} />}
        <div>
          <Button busy={create.isPending} onClick={() => (hasSecret ? setAsking(true) : create.mutate())}>
            {hasSecret ? t('identity.replace') : t('identity.create')}
          </Button>
        </div>
        <div className="flex flex-col gap-2">
          <div className="flex flex-wrap items-center gap-2">
            <h3 className="flex-1 font-medium">{t('identity.sign')}</h3>
            <FilterChips
              label={t('identity.language')}
              chips={SIGNING_LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
              value={language}
              onChange={(value) => setLanguage(value ?? language)}
            />
          </div>
          <CodeBlock label={t('identity.sign')} code={SIGNING[language]} />
        </div>
        <div className="flex flex-col gap-2">
          <h3 className="font-medium">{t('identity.page')}</h3>
          <CodeBlock label={t('identity.page')} code={signedSnippet(connection.snippet ?? '')} />
        </div>
      </div>
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        title={t('identity.replace')}
        description={t('identity.replaceHelp')}
        action={t('identity.replace')}
        onConfirm={() => create.mutateAsync()}
      />
    </Section>
  );
}
