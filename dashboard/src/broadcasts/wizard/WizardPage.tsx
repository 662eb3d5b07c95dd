import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useAttempts } from '@/api/attempts';
import { isTemporary } from '@/api/client';
import { ApiError } from '@/api/errors';
import type { Broadcast, Contact, NewBroadcast, Template } from '@/api/schema';
import { t, tDynamic } from '@/i18n';
import { useCan, useSession } from '@/session/session';
import { templatesQuery } from '@/templates/queries';
import { PhonePreview } from '@/templates/TemplateBubble';
import { Button } from '@/ui/Button';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { TextField } from '@/ui/Field';
import { BackLink, Page, Section, UnreadyPage } from '@/ui/Page';
import { notify } from '@/ui/toast';
import { broadcastQuery } from '../queries';
import { SendTime } from '../SendTime';
import { nextHour } from '../zone';
import { AudienceFields } from './AudienceStep';
import { AudienceSummary } from './AudienceSummary';
import { useAudienceSize } from './audienceSize';
import {
  type Draft,
  emptyDraft,
  NAME_CHARACTERS_MAX,
  type Problem,
  previewValues,
  problemsOf,
  STEP_OF,
  STEPS,
  type Step,
  suggestVariables,
  toRequest,
} from './draft';
import { MessageFields } from './MessageStep';
import { Review } from './Review';
import { DraftStore } from './storage';
import { TestMessage } from './TestMessage';

const route = getRouteApi('/shell/broadcasts/new');

const back = () => <BackLink to="/broadcasts" label={t('nav.broadcasts')} />;

/** A new broadcast, step by step. What is entered survives a reload. */
export function WizardPage() {
  const { copy } = route.useSearch();
  const templates = useQuery(templatesQuery);
  const copied = useQuery({ ...broadcastQuery(copy ?? ''), enabled: copy !== undefined });
  const maySend = useCan()('broadcasts:send');
  if (!maySend)
    return (
      <Page title={t('broadcast.new')} back={back()}>
        <p className="p-4">{t('error.forbidden')}</p>
      </Page>
    );
  const failed = templates.error ?? copied.error;
  if (failed || !templates.data || (copy && !copied.data)) {
    return (
      <UnreadyPage
        title={t('broadcast.new')}
        back={back()}
        error={failed}
        onRetry={() => void Promise.all([templates.refetch(), copy && copied.refetch()])}
      />
    );
  }
  return <Wizard templates={templates.data} copied={copied.data} />;
}

/** What the page begins with: what the address asks for, else what was left here, else nothing. */
function useDraft(templates: Template[], copied: Broadcast | undefined) {
  const { account, user } = useSession();
  const search = route.useSearch();
  const store = useMemo(() => new DraftStore(account.id, user.id), [account.id, user.id]);
  const [draft, setDraft] = useState<Draft>(() => {
    const wanted =
      copied?.template ?? (search.template ? { name: search.template, language: search.language } : null);
    const template = templates.find(
      ({ name, language }) => name === wanted?.name && (!wanted?.language || language === wanted.language),
    );
    const begun = copied ? null : store.load(account.country);
    const start = begun ?? { ...emptyDraft(account.country), at: nextHour(Date.now(), account.timezone) };
    return {
      ...start,
      ...(copied && { name: t('broadcast.copyOf', { name: copied.name }).slice(0, NAME_CHARACTERS_MAX) }),
      ...(template && {
        template: { name: template.name, language: template.language },
        variables: suggestVariables(template),
        headerMediaUrl: '',
      }),
    };
  });
  const change = (next: Partial<Draft>) => {
    const changed = { ...draft, ...next };
    setDraft(changed);
    store.save(changed);
  };
  return { draft, change, store };
}

function Wizard({ templates, copied }: { templates: Template[]; copied: Broadcast | undefined }) {
  const { account } = useSession();
  const navigate = useNavigate();
  const { draft, change, store } = useDraft(templates, copied);
  const [step, setStep] = useState<Step>('audience');
  const [isGone, setIsGone] = useState(false);
  const [personId, setPersonId] = useState('');
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => store.onCleared(() => setIsGone(true)), [store]);
  const template = templates.find(
    ({ name, language }) => name === draft.template?.name && language === draft.template.language,
  );
  const size = useAudienceSize(draft.audience);
  const people = size.sample.filter((each): each is Contact => 'custom_fields' in each);
  const person = people.find(({ id }) => id === personId) ?? people[0];
  const values = template ? previewValues(template, draft, person) : {};
  const go = (next: Step) => {
    setStep(next);
    // A screen reader continues at the new step.
    requestAnimationFrame(() => heading.current?.focus());
  };
  const discard = () => {
    store.clear();
    void navigate({ to: '/broadcasts' });
  };
  const problems = problemsOf(draft, template, account.timezone, Date.now());
  const request = toRequest(draft, template, account.timezone);
  const next = STEPS[STEPS.indexOf(step) + 1];
  const before = STEPS[STEPS.indexOf(step) - 1];
  return (
    <Page
      title={t('broadcast.new')}
      back={back()}
      actions={
        <Button kind="quiet" onClick={discard}>
          {t('broadcast.discard')}
        </Button>
      }
    >
      <div className="mx-auto grid max-w-6xl items-start gap-4 p-4 lg:grid-cols-[1fr_20rem]">
        <div className="flex min-w-0 flex-col gap-4">
          <Steps step={step} onChoose={go} />
          <h2 ref={heading} tabIndex={-1} className="sr-only">
            {tDynamic('wizardStep', step)}
          </h2>
          {step === 'audience' && (
            <>
              <Section title={t('broadcast.name')}>
                <TextField
                  label={t('broadcast.name')}
                  hideLabel
                  hint={t('broadcast.nameHint')}
                  value={draft.name}
                  maxLength={NAME_CHARACTERS_MAX}
                  onChange={(event) => change({ name: event.target.value })}
                />
              </Section>
              <Section title={t('audience.legend')}>
                <AudienceFields audience={draft.audience} onChange={(audience) => change({ audience })} />
              </Section>
            </>
          )}
          {step === 'message' && (
            <>
              <Section title={t('broadcast.message')}>
                <MessageFields draft={draft} templates={templates} template={template} onChange={change} />
              </Section>
              <Section title={t('broadcast.test')}>
                <TestMessage template={template} values={values} store={store} />
              </Section>
            </>
          )}
          {step === 'send' && (
            <>
              <Section title={t('broadcast.when')}>
                <SendTime draft={draft} timezone={account.timezone} onChange={change} />
              </Section>
              <Section title={t('wizard.review')}>
                <Review {...{ draft, template, size, store }} timezone={account.timezone} />
              </Section>
            </>
          )}
          {step === 'send' && <Missing problems={problems} onGo={go} />}
          <div className="flex flex-wrap items-start gap-2">
            {before && <Button onClick={() => go(before)}>{t('ui.back')}</Button>}
            {next ? (
              <Button kind="primary" className="ms-auto" onClick={() => go(next)}>
                {t('wizard.next', { step: tDynamic('wizardStep', next) })}
              </Button>
            ) : (
              <Send request={problems.length > 0 ? null : request} store={store} isGone={isGone} />
            )}
          </div>
        </div>
        <aside className="flex flex-col gap-4 lg:sticky lg:top-4" aria-label={t('wizard.beside')}>
          {step === 'audience' ? (
            <AudienceSummary audience={draft.audience} size={size} />
          ) : (
            <PreviewFor people={people} person={person} onChoose={setPersonId}>
              <PhonePreview {...(template && { template })} values={values} from={account.name} />
            </PreviewFor>
          )}
        </aside>
      </div>
    </Page>
  );
}

function Steps({ step, onChoose }: { step: Step; onChoose: (step: Step) => void }) {
  return (
    <ol className="flex gap-2">
      {STEPS.map((each, index) => (
        <li key={each} className="min-w-0 flex-1">
          <button
            type="button"
            aria-current={step === each ? 'step' : undefined}
            onClick={() => onChoose(each)}
            className="flex w-full min-w-0 items-center gap-2 rounded-lg border-t-3 border-line px-1 py-2 text-start text-sm font-medium text-ink-soft hover:bg-sunken aria-[current=step]:border-accent aria-[current=step]:text-ink"
          >
            <span
              aria-hidden
              className="inline-flex size-5.5 shrink-0 items-center justify-center rounded-full bg-active text-xs"
            >
              {index + 1}
            </span>
            <span className="truncate">{tDynamic('wizardStep', each)}</span>
          </button>
        </li>
      ))}
    </ol>
  );
}

interface PreviewProps {
  people: Contact[];
  person: Contact | undefined;
  onChoose: (id: string) => void;
  children: React.ReactNode;
}

/** The message as one of the recipients would read it. */
function PreviewFor({ people, person, onChoose, children }: PreviewProps) {
  return (
    <>
      {person && (
        <label className="flex flex-col gap-1 text-sm">
          <span className="font-medium">{t('wizard.previewFor')}</span>
          <select className="control" value={person.id} onChange={(event) => onChoose(event.target.value)}>
            {people.map((each) => (
              <option key={each.id} value={each.id}>
                {each.name ?? each.phone}
              </option>
            ))}
          </select>
        </label>
      )}
      {children}
    </>
  );
}

/** What keeps it from being sent, with the way there. */
function Missing({ problems, onGo }: { problems: Problem[]; onGo: (step: Step) => void }) {
  if (problems.length === 0) return null;
  return (
    <div className="rounded-lg bg-warning-soft p-3">
      <p className="font-medium">{t('wizard.missing')}</p>
      <ul className="list-disc ps-5">
        {problems.map((problem) => (
          <li key={problem}>
            <button type="button" className="text-start underline" onClick={() => onGo(STEP_OF[problem])}>
              {tDynamic('problem', problem)}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

interface SendProps {
  /** Null while something is missing. */
  request: NewBroadcast | null;
  store: DraftStore;
  /** Another tab has sent or discarded it. */
  isGone: boolean;
}

/** The first request may still be under way: `POST /broadcasts` knows no other conflict. */
const isInFlight = (error: unknown) => error instanceof ApiError && error.status === 409;
const isOpen = (error: unknown) => isTemporary(error) || isInFlight(error);

/** The last button. A request whose response was lost keeps its key, also over a reload: nothing is sent twice. */
function Send({ request, store, isGone }: SendProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const attempts = useAttempts(store.attempts, isOpen);
  const send = useMutation({
    mutationFn: (body: NewBroadcast) => attempts.call('POST /broadcasts', { body }),
    onSuccess: async ({ data }) => {
      store.clear();
      client.setQueryData(broadcastQuery(data.id).queryKey, data);
      void client.invalidateQueries({ queryKey: ['broadcasts'] });
      notify(data.status === 'scheduled' ? t('broadcast.scheduled') : t('broadcast.started'));
      await navigate({ to: '/broadcasts/$broadcastId', params: { broadcastId: data.id } });
    },
  });
  return (
    <div className="flex min-w-0 flex-1 flex-col items-end gap-2">
      <Button
        kind="primary"
        busy={send.isPending}
        disabled={request === null || isGone}
        onClick={() => request && send.mutate(request)}
      >
        {request?.schedule_at ? t('broadcast.schedule') : t('broadcast.sendNow')}
      </Button>
      {isGone && (
        <p role="alert" className="rounded-lg bg-warning-soft p-3">
          {t('wizard.gone')}
        </p>
      )}
      {send.isError &&
        (isInFlight(send.error) ? (
          <p role="alert" className="rounded-lg bg-warning-soft p-3">
            {t('wizard.inFlight')}
          </p>
        ) : (
          <ErrorNotice error={send.error} />
        ))}
    </div>
  );
}
