import type { AssistantTool } from '@/api/schema';
import { t, tDynamic } from '@/i18n';
import { Checkbox } from '@/ui/Field';
import { Switch } from '@/ui/Switch';
import type { ToolChoice } from './draft';
import { EditorSection, type SectionProps } from './section';

/** Asking for leave to ask a person would be asking twice. */
const ASKS = 'ask_human';
const NO_CHOICE: ToolChoice = { enabled: false, gated: false, unconfined: false };

/** Every tool as a switch, with what it may do. */
export function ToolsSection({ draft, set, tools }: SectionProps & { tools: readonly AssistantTool[] }) {
  const categories = [...new Set(tools.map((tool) => tool.category))];
  const change = (id: string, more: Partial<ToolChoice>) =>
    set({ tools: { ...draft.tools, [id]: { ...NO_CHOICE, ...draft.tools[id], ...more } } });
  return (
    <EditorSection name="tools">
      <p className="text-sm text-ink-soft">{t('assistants.toolsHelp')}</p>
      {categories.map((category) => (
        <section key={category} aria-label={tDynamic('toolCategory', category)}>
          <h3 className="mb-1 text-sm font-semibold text-ink-soft">{tDynamic('toolCategory', category)}</h3>
          <ul className="divide-y divide-line">
            {tools
              .filter((tool) => tool.category === category)
              .map((tool) => (
                <ToolRow
                  key={tool.id}
                  tool={tool}
                  choice={draft.tools[tool.id] ?? NO_CHOICE}
                  onChange={(more) => change(tool.id, more)}
                />
              ))}
          </ul>
        </section>
      ))}
    </EditorSection>
  );
}

interface RowProps {
  tool: AssistantTool;
  choice: ToolChoice;
  onChange: (more: Partial<ToolChoice>) => void;
}

function ToolRow({ tool, choice, onChange }: RowProps) {
  const name = tDynamic('tool', tool.id);
  return (
    <li className="py-1">
      <Switch
        label={<span className="font-medium">{name}</span>}
        hint={tDynamic('toolHelp', tool.id)}
        checked={choice.enabled}
        onChange={(enabled) => onChange({ enabled })}
      />
      {choice.enabled && (
        <div className="flex flex-wrap gap-x-5 ps-1 text-sm">
          {tool.id === ASKS ? null : tool.critical ? (
            <p className="py-1 text-ink-soft">{t('assistants.critical')}</p>
          ) : (
            <Checkbox
              label={t('assistants.gated')}
              aria-label={t('assistants.gatedNamed', { name })}
              checked={choice.gated}
              onChange={(event) => onChange({ gated: event.target.checked })}
            />
          )}
          {tool.can_be_unconfined && (
            <Checkbox
              label={t('assistants.unconfined')}
              aria-label={t('assistants.unconfinedNamed', { name })}
              checked={choice.unconfined}
              onChange={(event) => onChange({ unconfined: event.target.checked })}
            />
          )}
        </div>
      )}
    </li>
  );
}
