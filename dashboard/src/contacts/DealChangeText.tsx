import { useQuery } from '@tanstack/react-query';
import type { DealChange } from '@/api/schema';
import { t } from '@/i18n';
import { useAssistantName } from '@/session/assistants';
import { useMemberName } from '@/session/members';
import { changedBy, changeText, type Names } from './dealChanges';
import { contactName } from './names';
import { pipelinesQuery, useContactNames } from './queries';

/** What the ids in changes are called. */
export function useChangeNames(changes: readonly DealChange[]): Names {
  const member = useMemberName();
  const assistant = useAssistantName();
  const { data: pipelines, isLoading } = useQuery(pipelinesQuery);
  const moved = changes.filter((change) => change.kind === 'contact');
  const contacts = useContactNames(moved.flatMap((change) => [change.old_value, change.new_value]));
  return {
    member,
    assistant,
    contact: (id) => {
      const contact = contacts.get(id);
      return contact ? contactName(contact) : t('dealChange.someContact');
    },
    stage: (id) =>
      pipelines?.flatMap((pipeline) => pipeline.stages).find((stage) => stage.id === id)?.name ??
      t(isLoading ? 'ui.notYet' : 'dealChange.formerStage'),
  };
}

/** What happened, and who did it. */
export function DealChangeText({ change, names }: { change: DealChange; names: Names }) {
  const name = changedBy(change, names);
  return (
    <>
      {changeText(change, names)}
      {name && <span className="text-ink-soft"> · {name}</span>}
    </>
  );
}
