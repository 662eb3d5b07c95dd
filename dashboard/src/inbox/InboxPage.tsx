import { getRouteApi, useMatch, useNavigate } from '@tanstack/react-router';
import { Inbox } from 'lucide-react';
import { useState } from 'react';
import { t } from '@/i18n';
import { EmptyState } from '@/ui/EmptyState';
import { ConversationList } from './ConversationList';
import { ConversationView } from './ConversationView';
import { useGuardUnsent } from './services';

const route = getRouteApi('/shell/inbox');

export function InboxPage() {
  useGuardUnsent();
  const open = useMatch({ from: '/shell/inbox/$conversationId', shouldThrow: false })?.params.conversationId;
  const search = route.useSearch();
  const navigate = useNavigate();
  const [panel, setPanel] = useState(() => window.matchMedia('(min-width: 80rem)').matches);
  const back = () => void navigate({ to: '/inbox', search });
  return (
    <div className="flex h-full min-h-0">
      <div className={`${open ? 'hidden lg:flex' : 'flex'} w-full min-w-0 shrink-0 flex-col border-e border-line bg-surface lg:w-88`}>
        <ConversationList openId={open} />
      </div>
      <div className={`${open ? 'flex' : 'hidden lg:flex'} min-w-0 flex-1`}>
        {open ? (
          <ConversationView key={open} id={open} onBack={back} panelOpen={panel} onPanel={setPanel} />
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
