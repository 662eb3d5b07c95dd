import { Outlet, useMatch } from '@tanstack/react-router';
import { Inbox } from 'lucide-react';
import { useEffect } from 'react';
import { t } from '@/i18n';
import { EmptyState } from '@/ui/EmptyState';
import { usePageTitle } from '@/ui/usePageTitle';
import { ConversationList } from './ConversationList';

/** The list, and beside it the open conversation. A narrow screen shows one of the two. */
export function InboxPage() {
  const open = useMatch({ from: '/shell/inbox/$conversationId', shouldThrow: false })?.params.conversationId;
  usePageTitle(t('nav.inbox'));
  useEffect(() => {
    // Once the list is on screen: the first conversation should open without waiting for its code.
    const timer = setTimeout(() => void import('./ConversationPage'), 0);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="flex h-full min-h-0">
      <div
        className={`${open ? 'hidden lg:flex' : 'flex'} w-full min-w-0 shrink-0 flex-col border-e border-line bg-surface lg:w-92`}
      >
        {!open && <h1 className="sr-only">{t('nav.inbox')}</h1>}
        <ConversationList openId={open} />
      </div>
      <div className={`${open ? 'flex' : 'hidden lg:flex'} min-w-0 flex-1`}>
        {open ? (
          <Outlet />
        ) : (
          <div className="m-auto">
            <EmptyState icon={<Inbox size={40} />} title={t('inbox.pick')}>
              {t('inbox.pickHelp')}
            </EmptyState>
          </div>
        )}
      </div>
    </div>
  );
}
