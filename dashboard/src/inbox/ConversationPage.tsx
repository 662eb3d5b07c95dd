import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { ConversationView } from './ConversationView';
import { setPanelOpen, usePanelOpen } from './panel';

const route = getRouteApi('/shell/inbox/$conversationId');

export function ConversationPage() {
  const { conversationId } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate();
  const back = () => void navigate({ to: '/inbox', search });
  return (
    <ConversationView id={conversationId} onBack={back} panelOpen={usePanelOpen()} onPanel={setPanelOpen} />
  );
}
