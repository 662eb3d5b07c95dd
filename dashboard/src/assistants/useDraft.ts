import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { call } from '@/api/client';
import {
  changedFields,
  type Draft,
  type DraftField,
  patchOf,
  rebase,
  takeStored,
  toolSettingsOf,
} from './draft';
import { keep, readKept } from './kept';
import { readStored } from './queries';

interface State {
  /** The stored version that the draft is compared with. */
  base: Draft;
  draft: Draft;
  /** Fields that a colleague has changed too. */
  conflicts: DraftField[];
}

function begin(owner: string, id: string, stored: Draft): State {
  const kept = readKept(owner, id);
  return kept
    ? { base: stored, ...rebase(kept.base, stored, kept.draft) }
    : { base: stored, draft: stored, conflicts: [] };
}

export class ChangedMeanwhile extends Error {}

/** A member's draft of an assistant: kept in the browser until it is saved or discarded. */
export function useDraft(owner: string, id: string, stored: Draft) {
  const client = useQueryClient();
  const [state, setState] = useState(() => begin(owner, id, stored));
  const { base, draft, conflicts } = state;
  // The stored version has changed: a colleague has saved.
  if (changedFields(base, stored).length > 0) {
    const next = rebase(base, stored, draft);
    setState({ base: stored, draft: next.draft, conflicts: [...new Set([...conflicts, ...next.conflicts])] });
  }
  const changed = changedFields(base, draft);
  const isChanged = changed.length > 0;
  useEffect(() => keep(owner, id, isChanged ? { base, draft } : null), [owner, id, base, draft, isChanged]);

  const save = useMutation({
    mutationFn: async () => {
      const { stored: now, tools } = await readStored(client, id);
      const wanted = rebase(base, now, draft);
      // A colleague has saved since: the member sees it before it is replaced.
      if (wanted.conflicts.some((field) => !conflicts.includes(field))) throw new ChangedMeanwhile();
      const path = { id };
      const fields = changedFields(now, wanted.draft);
      const patch = patchOf(now, wanted.draft);
      try {
        if (patch) await call('PATCH /assistants/{id}', { path, body: patch });
        if (fields.includes('tools')) {
          const body = toolSettingsOf(wanted.draft, tools);
          await call('PUT /assistants/{id}/tools', { path, body });
        }
        if (fields.includes('instruction_ids')) {
          const body = { instruction_ids: wanted.draft.instruction_ids };
          await call('PUT /assistants/{id}/instructions', { path, body });
        }
      } finally {
        // Also when one of them failed: what was stored is no longer a change.
        void client.invalidateQueries({ queryKey: ['assistants'] });
        const { stored: after } = await readStored(client, id);
        setState((before) => afterSaving(before, draft, after));
      }
    },
  });
  return {
    draft,
    changed,
    conflicts: conflicts.filter((field) => changed.includes(field)),
    save,
    set: (more: Partial<Draft>) => setState((before) => ({ ...before, draft: { ...before.draft, ...more } })),
    takeTheirs: () =>
      setState((before) => ({
        ...before,
        draft: takeStored(before.base, before.draft, before.conflicts),
        conflicts: [],
      })),
    discard: () => {
      keep(owner, id, null);
      setState((before) => ({ base: before.base, draft: before.base, conflicts: [] }));
    },
  };
}

/** What was typed while it was saved stays a change. What the server wrote differently, such as without spaces, is none. */
function afterSaving(before: State, sent: Draft, stored: Draft): State {
  const typed = changedFields(sent, before.draft);
  const unsaved = changedFields(before.base, before.draft).filter(
    (field) => changedFields(before.base, stored).includes(field) === false,
  );
  const kept = [...new Set([...typed, ...unsaved])];
  return {
    base: stored,
    draft: { ...stored, ...Object.fromEntries(kept.map((field) => [field, before.draft[field]])) },
    conflicts: [],
  };
}
