import type { AssistantTool, Delegation } from '@/api/schema';
import { t, tDynamic } from '@/i18n';
import { Checkbox, TextField } from '@/ui/Field';
import { SelectField } from '@/ui/SelectField';
import { Switch } from '@/ui/Switch';
import { EditorSection, type SectionProps } from './section';

const CHILDREN_MAX = 20;

/** Whether it may split its work, and how far. */
export function DelegationSection({
  draft,
  set,
  errorAt,
  tools,
}: SectionProps & { tools: readonly AssistantTool[] }) {
  const { delegation } = draft;
  const change = (more: Partial<Delegation>) => set({ delegation: { ...delegation, ...more } });
  const allowed = delegation.allowed_tools;
  const has = tools.filter((tool) => draft.tools[tool.id]?.enabled);
  return (
    <EditorSection name="delegation">
      <Switch
        label={t('delegation.enabled')}
        hint={t('delegation.enabledHelp')}
        checked={delegation.enabled}
        onChange={(enabled) => change({ enabled })}
      />
      {delegation.enabled && (
        <>
          <div className="grid items-start gap-3 sm:grid-cols-2">
            <TextField
              label={t('delegation.children')}
              type="number"
              min={0}
              max={CHILDREN_MAX}
              value={String(delegation.max_children_per_run)}
              error={errorAt('delegation.max_children_per_run')}
              onChange={(event) => {
                const count = Math.trunc(Number(event.target.value)) || 0;
                change({ max_children_per_run: Math.min(CHILDREN_MAX, Math.max(0, count)) });
              }}
            />
            <TextField
              label={t('delegation.cost')}
              hint={t('delegation.costHint')}
              type="number"
              min={0}
              step="any"
              value={delegation.max_cost_usd ?? ''}
              error={errorAt('delegation.max_cost_usd')}
              onChange={(event) =>
                change({ max_cost_usd: event.target.value === '' ? null : Number(event.target.value) })
              }
            />
          </div>
          <SelectField
            label={t('delegation.tools')}
            value={allowed ? 'these' : 'any'}
            onChange={(event) => change({ allowed_tools: event.target.value === 'any' ? null : [] })}
          >
            <option value="any">{t('delegation.anyTool')}</option>
            <option value="these">{t('delegation.theseTools')}</option>
          </SelectField>
          {allowed && (
            <fieldset className="grid sm:grid-cols-2">
              <legend className="sr-only">{t('delegation.tools')}</legend>
              {has.map(({ id }) => (
                <Checkbox
                  key={id}
                  label={tDynamic('tool', id)}
                  checked={allowed.includes(id)}
                  onChange={(event) =>
                    change({
                      allowed_tools: event.target.checked
                        ? [...allowed, id]
                        : allowed.filter((other) => other !== id),
                    })
                  }
                />
              ))}
            </fieldset>
          )}
        </>
      )}
    </EditorSection>
  );
}
