import { KeyCaps } from '@/commands/KeyCaps';
import { KEYS } from '@/commands/shortcuts';
import { t } from '@/i18n';
import { Page } from '@/ui/Page';

/** Every shortcut, also those of pages that are not open. */
const SHORTCUTS = [
  {
    title: 'shortcuts.everywhere',
    entries: [
      ['palette.title', KEYS.palette],
      ['shortcuts.title', KEYS.help],
      ['nav.firstSteps', KEYS.goFirstSteps],
      ['nav.inbox', KEYS.goInbox],
      ['nav.contacts', KEYS.goContacts],
      ['nav.deals', KEYS.goDeals],
      ['nav.broadcasts', KEYS.goBroadcasts],
      ['nav.inquiries', KEYS.goInquiries],
      ['nav.bookings', KEYS.goBookings],
      ['nav.assistants', KEYS.goAssistants],
      ['nav.approvals', KEYS.goApprovals],
      ['nav.runs', KEYS.goRuns],
      ['nav.triggers', KEYS.goTriggers],
      ['nav.spend', KEYS.goSpend],
      ['nav.developers', KEYS.goDevelopers],
      ['nav.settings', KEYS.goSettings],
      ['shortcuts.search', KEYS.search],
      ['shortcuts.create', KEYS.create],
    ],
  },
  {
    title: 'shortcuts.inbox',
    entries: [
      ['inbox.next', KEYS.next],
      ['inbox.previous', KEYS.previous],
      ['inbox.select', KEYS.select],
      ['inbox.assignToMe', KEYS.assignMe],
      ['inbox.assign', KEYS.assign],
      ['inbox.closeOrReopen', KEYS.close],
      ['inbox.snooze', KEYS.snooze],
      ['inbox.markUnread', KEYS.unread],
      ['inbox.handOver', KEYS.handOver],
      ['inbox.showContact', KEYS.contactPanel],
    ],
  },
  {
    title: 'shortcuts.writing',
    entries: [
      ['composer.reply', KEYS.reply],
      ['composer.note', KEYS.note],
      ['composer.template', KEYS.template],
      ['composer.canned', KEYS.canned],
      ['composer.send', KEYS.send],
    ],
  },
  {
    title: 'shortcuts.approvals',
    entries: [
      ['asks.approve', KEYS.approve],
      ['asks.decline', KEYS.decline],
      ['asks.answer', KEYS.answerAsk],
    ],
  },
  { title: 'nav.assistants', entries: [['assistants.save', KEYS.save]] },
  { title: 'shortcuts.rows', entries: [['shortcuts.selectRow', KEYS.select]] },
  { title: 'shortcuts.board', entries: [['deals.moveTo', KEYS.moveDeal]] },
] as const;

export function ShortcutsPage() {
  return (
    <Page title={t('shortcuts.title')}>
      <section
        aria-label={t('shortcuts.title')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: nothing else here takes the focus, and the arrow keys must scroll
        tabIndex={0}
        className="page-column grid gap-6 md:grid-cols-2"
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
