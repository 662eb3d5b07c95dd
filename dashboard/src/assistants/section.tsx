import type { ReactNode } from 'react';
import { tDynamic } from '@/i18n';
import { Section } from '@/ui/Page';
import type { Draft } from './draft';

export interface SectionProps {
  draft: Draft;
  set: (more: Partial<Draft>) => void;
  /** What the server said about a field. */
  errorAt: (path: string) => string | undefined;
}

/** A section of the editor, which the list of sections leads to. */
export function EditorSection({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div id={name} className="scroll-mt-4">
      <Section title={tDynamic('assistantSection', name)}>
        <div className="flex flex-col gap-4">{children}</div>
      </Section>
    </div>
  );
}
