/** The draft that a copy of a broadcast starts with. Pure. */
import type { CopiedVariable, Template } from '@/api/schema';
import { templateFields } from '@/templates/template';
import type { CopiedBroadcast } from '../queries';
import { type AudienceDraft, apiKey, type VariableDraft, type VariableSource } from './draft';

/** Whom it was for. Without an audience, whom the copy is for is chosen anew. */
export function copiedAudience(
  empty: AudienceDraft,
  { audience, contacts }: Pick<CopiedBroadcast, 'audience' | 'contacts'>,
): AudienceDraft {
  if (!audience) return { ...empty, type: 'contacts' };
  return {
    ...empty,
    type: audience.type,
    tagIds: audience.tag_ids,
    excludeTagIds: audience.exclude_tag_ids,
    segmentId: audience.segment_id ?? '',
    contacts,
  };
}

function fromVariable({ type, value, fallback }: CopiedVariable): VariableDraft {
  if (type === 'static') return { source: 'static', text: value, fallback: '' };
  const source = type === 'custom_field' ? `field:${value}` : value;
  return { source: source as VariableSource, text: '', fallback: fallback ?? '' };
}

/** The values by the keys of the template's fields. A field that the template has got since has none. */
export function copiedVariables(
  { variables }: Pick<CopiedBroadcast, 'variables'>,
  template: Template,
): Record<string, VariableDraft> {
  return Object.fromEntries(
    templateFields(template).flatMap(({ key }) => {
      const found = variables[apiKey(key)];
      return found ? [[key, fromVariable(found)]] : [];
    }),
  );
}
