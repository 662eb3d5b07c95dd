import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { ConversationView } from './ConversationView';
import { setPanelOpen, usePanelOpen } from './panel';
import { inboxQuery } from './queries';
import { flatten, nextAfter } from './rows';
import { toFilter } from './search';

const route = getRouteApi('/shell/inbox/$conversationId');

export function ConversationPage() {
  const { conversationId } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate();
  const client = useQueryClient();
  const back = () => void navigate({ to: '/inbox', search });
  const openNext = () => {
    const rows = flatten(client.getQueryData(inboxQuery(toFilter(search)).queryKey));
    const next = nextAfter(rows, conversationId);
    if (next === null) back();
    else if (next) void navigate({ to: '/inbox/$conversationId', params: { conversationId: next }, search });
  };
  return (
    <ConversationView
      id={conversationId}
      onBack={back}
      onClosing={openNext}
      panelOpen={usePanelOpen()}
      onPanel={setPanelOpen}
    />
  );
}
