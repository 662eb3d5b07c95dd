import { KeyCaps } from '@/commands/KeyCaps';
import { SHORTCUTS } from '@/commands/shortcuts';
import { t } from '@/i18n';
import { Page } from '@/ui/Page';

/** Every shortcut, also those of pages that are not open. */
export function ShortcutsPage() {
  return (
    <Page title={t('shortcuts.title')}>
      <section
        aria-label={t('shortcuts.title')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: nothing else here takes the focus, and the arrow keys must scroll
        tabIndex={0}
        className="mx-auto grid max-w-4xl gap-6 p-4 md:grid-cols-2"
      >
        {SHORTCUTS.map((group) => (
          <section key={group.title} aria-labelledby={`shortcuts-${group.title}`}>
            <h2 id={`shortcuts-${group.title}`} className="mb-2 font-semibold">
              {t(group.title)}
            </h2>
            <dl className="divide-y divide-line rounded-xl border border-line bg-surface">
              {group.entries.map(([label, shortcut]) => (
                <div key={label} className="flex items-center gap-3 px-3 py-2">
                  <dt className="flex-1">{t(label)}</dt>
                  <dd>
                    <KeyCaps shortcut={shortcut} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </section>
    </Page>
  );
}
