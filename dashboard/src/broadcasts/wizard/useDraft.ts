/** The unfinished broadcast of the page: what the address asks for, else what was left here, else nothing. */
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Template } from '@/api/schema';
import { t } from '@/i18n';
import { useSession } from '@/session/session';
import { notify } from '@/ui/toast';
import type { CopiedBroadcast } from '../queries';
import { nextHour } from '../zone';
import { copiedAudience, copiedVariables } from './copy';
import { type Draft, emptyDraft, NAME_CHARACTERS_MAX, suggestVariables } from './draft';
import { DraftStore } from './storage';

const route = getRouteApi('/shell/broadcasts/new');

export function useDraft(templates: Template[], copied: CopiedBroadcast | undefined) {
  const { account, user } = useSession();
  const search = route.useSearch();
  const navigate = useNavigate();
  const store = useMemo(() => new DraftStore(account.id, user.id), [account.id, user.id]);
  const kept = useMemo(() => store.load(account.country), [store, account.country]);
  const [draft, setDraft] = useState<Draft>(() => {
    const wanted =
      copied?.template ?? (search.template ? { name: search.template, language: search.language } : null);
    const template = templates.find(
      ({ name, language }) => name === wanted?.name && (!wanted?.language || language === wanted.language),
    );
    const empty = { ...emptyDraft(account.country), at: nextHour(Date.now(), account.timezone) };
    return {
      ...((!copied && kept) || empty),
      ...(copied && {
        name: t('broadcast.copyOf', { name: copied.name }).slice(0, NAME_CHARACTERS_MAX),
        audience: copiedAudience(empty.audience, copied),
      }),
      ...(template && {
        template: { name: template.name, language: template.language },
        variables: copied ? copiedVariables(copied, template) : suggestVariables(template),
        headerMediaUrl: copied?.header_media_url ?? '',
      }),
    };
  });
  const put = (next: Draft) => {
    setDraft(next);
    store.save(next);
  };
  const isTaken = useRef(false);
  useEffect(() => {
    if (isTaken.current || (!search.template && !search.copy)) return;
    isTaken.current = true;
    store.save(draft);
    // A reload must find the draft as it is by then, not begin anew.
    void navigate({ to: '/broadcasts/new', search: {}, replace: true });
    if (copied && kept) notify(t('wizard.replaced'), { label: t('ui.undo'), run: () => put(kept) });
  });
  return { draft, change: (next: Partial<Draft>) => put({ ...draft, ...next }), store };
}
