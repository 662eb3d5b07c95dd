import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { ContactName, Template } from '@/api/schema';
import { contactQuery } from '@/contacts/queries';
import { t, tDynamic } from '@/i18n';
import { useCan, useSession } from '@/session/session';
import { templatesQuery } from '@/templates/queries';
import { PhonePreview } from '@/templates/TemplateBubble';
import { Button } from '@/ui/Button';
import { TextField } from '@/ui/Field';
import { BackLink, Page, Section, UnreadyPage } from '@/ui/Page';
import { SelectField } from '@/ui/SelectField';
import { useNow } from '@/ui/useNow';
import { broadcastCopyQuery, type CopiedBroadcast } from '../queries';
import { SendTime } from '../SendTime';
import { AudienceFields } from './AudienceStep';
import { AudienceSummary } from './AudienceSummary';
import { useAudienceSize } from './audienceSize';
import { NAME_CHARACTERS_MAX, previewValues, problemsOf, STEPS, type Step, toRequest } from './draft';
import { MessageFields } from './MessageStep';
import { Practice } from './Practice';
import { Review } from './Review';
import { Missing, Send } from './Send';
import { TestMessage } from './TestMessage';
import { useDraft } from './useDraft';

const route = getRouteApi('/shell/broadcasts/new');

const CLOCK_MS = 5_000;

const back = () => <BackLink to="/broadcasts" label={t('nav.broadcasts')} />;

/** A new broadcast, step by step. What is entered survives a reload. */
export function WizardPage() {
  const { copy } = route.useSearch();
  const templates = useQuery(templatesQuery);
  const copied = useQuery({ ...broadcastCopyQuery(copy ?? ''), enabled: copy !== undefined });
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

function Wizard({ templates, copied }: { templates: Template[]; copied: CopiedBroadcast | undefined }) {
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
  const people = size.preview?.sample ?? [];
  const person = people.find(({ id }) => id === personId) ?? people[0];
  // The sample has names alone. The values of the other fields are those of the one in view.
  const contact = useQuery({ ...contactQuery(person?.id ?? ''), enabled: person !== undefined }).data;
  const values = template ? previewValues(template, draft, person && contact) : {};
  const go = (next: Step) => {
    setStep(next);
    // A screen reader continues at the new step.
    requestAnimationFrame(() => heading.current?.focus());
  };
  const discard = () => {
    store.clear();
    void navigate({ to: '/broadcasts' });
  };
  // A time to send at may pass while the page is open: it would be sent at once.
  useNow(CLOCK_MS);
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
      <div className="mx-auto grid max-w-columns grid-cols-1 items-start gap-4 p-gutter lg:grid-cols-[1fr_20rem]">
        <div className="flex min-w-0 flex-col gap-4">
          <Steps step={step} onChoose={go} />
          <h2 ref={heading} tabIndex={-1} className="sr-only">
            {tDynamic('wizardStep', step)}
          </h2>
          {step !== 'message' && <Practice />}
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
              <Send
                request={problems.length > 0 ? null : request}
                isLater={draft.when === 'later'}
                store={store}
                isGone={isGone}
              />
            )}
          </div>
        </div>
        <aside className="flex flex-col gap-4 lg:sticky lg:top-4" aria-label={t('wizard.beside')}>
          {step === 'audience' ? (
            <AudienceSummary size={size} />
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
  people: ContactName[];
  person: ContactName | undefined;
  onChoose: (id: string) => void;
  children: React.ReactNode;
}

/** The message as one of the recipients would read it. */
function PreviewFor({ people, person, onChoose, children }: PreviewProps) {
  return (
    <>
      {person && (
        <SelectField
          label={t('wizard.previewFor')}
          value={person.id}
          onChange={(event) => onChoose(event.target.value)}
        >
          {people.map((each) => (
            <option key={each.id} value={each.id}>
              {each.name ?? each.phone}
            </option>
          ))}
        </SelectField>
      )}
      {children}
    </>
  );
}
