import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Ask } from '@/api/schema';
import { AskCard } from '@/approvals/AskCard';
import { isOpen } from '@/approvals/asks';
import { askQuery } from '@/approvals/queries';
import { t } from '@/i18n';

/** What a run waits for. An ask stays once it is shown, with who answered it. */
export function RunAsks({ asks }: { asks: readonly Ask[] }) {
  const [seen, setSeen] = useState<Ask[]>([]);
  const added = asks.filter((ask) => !seen.some((other) => other.id === ask.id));
  if (added.length > 0) setSeen([...seen, ...added]);
  if (seen.length === 0) return null;
  return (
    <section aria-label={t('run.waitsFor')} className="flex flex-col gap-2">
      {seen.map((ask) => (
        <SeenAsk key={ask.id} ask={ask} takesKeys={ask.id === asks[0]?.id} />
      ))}
    </section>
  );
}

function SeenAsk({ ask, takesKeys }: { ask: Ask; takesKeys: boolean }) {
  const { data: now } = useQuery({ ...askQuery(ask.id), initialData: ask });
  return <AskCard ask={now} takesKeys={takesKeys && isOpen(now)} withContext={false} />;
}
