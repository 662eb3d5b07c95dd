import { Tabs } from '@base-ui/react/tabs';
import { t } from '@/i18n';
import { CodeBlock } from '@/ui/CodeBlock';
import { SNIPPETS } from './snippets';

/** How a receiver tells our webhooks from others, in three languages. */
export function VerifySnippets() {
  return (
    <Tabs.Root defaultValue={SNIPPETS[0].language} className="flex flex-col gap-2">
      <p className="text-sm text-ink-soft">{t('webhooks.verifyHelp')}</p>
      <Tabs.List aria-label={t('webhooks.verify')} className="flex gap-1">
        {SNIPPETS.map(({ language }) => (
          <Tabs.Tab
            key={language}
            value={language}
            className="min-h-9 rounded-lg px-3 font-medium text-ink-soft hover:bg-sunken data-active:bg-active data-active:text-ink"
          >
            {language}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {SNIPPETS.map(({ language, code }) => (
        <Tabs.Panel key={language} value={language} tabIndex={-1}>
          <CodeBlock label={t('webhooks.verifyIn', { language })} code={code} height="tall" />
        </Tabs.Panel>
      ))}
    </Tabs.Root>
  );
}
