import { CircleCheck, LoaderCircle, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import type { NewChannel } from '@/api/app';
import { t, tDynamic } from '@/i18n';
import { TextField } from '@/ui/Field';
import { Section } from '@/ui/Page';
import { SubmitForm, textOf } from '@/ui/SubmitForm';
import {
  checkField,
  type FieldName,
  isWrong,
  type MetaChannel,
  type MetaField,
  newVerifyToken,
  type Values,
} from './fields';
import { type MetaAnswer, useMetaCheck } from './useMetaCheck';

interface MetaFormProps {
  channel: MetaChannel;
  fields: readonly MetaField[];
  onConnect: (body: NewChannel) => Promise<void>;
}

/** The values of a channel at Meta. Each is checked when it is left, and all by Meta when the form is sent. */
export function MetaForm({ channel, fields, onConnect }: MetaFormProps) {
  const [values, setValues] = useState<Values>(() => ({ verify_token: newVerifyToken() }));
  const [left, setLeft] = useState<ReadonlySet<FieldName>>(new Set());
  const answerTo = useMetaCheck(channel, values, left);
  return (
    <Section title={t('connect.values')}>
      <p className="mb-4 text-ink-soft">{t('connect.valuesHelp')}</p>
      <SubmitForm
        action={t('channels.connect')}
        onSubmit={async (form) => {
          setLeft(new Set(fields.map(({ name }) => name)));
          if (isWrong(channel, values)) return;
          const name = textOf(form, 'name');
          const given = Object.fromEntries(fields.map((field) => [field.name, values[field.name]?.trim()]));
          await onConnect({ channel, ...(name && { name }), ...given });
        }}
      >
        {(errorAt) => (
          <>
            {fields.map((field) => (
              <CheckedField
                key={field.name}
                field={field}
                values={values}
                isLeft={left.has(field.name)}
                answer={answerTo(field.name)}
                error={errorAt(field.name)}
                onLeave={() => setLeft((before) => new Set([...before, field.name]))}
                onChange={(value) => setValues((before) => ({ ...before, [field.name]: value }))}
              />
            ))}
            <TextField
              label={t('connect.name')}
              name="name"
              hint={t('connect.nameHint')}
              maxLength={100}
              error={errorAt('name')}
            />
          </>
        )}
      </SubmitForm>
    </Section>
  );
}

interface CheckedFieldProps {
  field: MetaField;
  values: Values;
  /** The member has left it, so that what is wrong is no longer just unfinished. */
  isLeft: boolean;
  answer: MetaAnswer;
  error: string | undefined;
  onLeave: () => void;
  onChange: (value: string) => void;
}

function CheckedField({ field, values, isLeft, answer, error, onLeave, onChange }: CheckedFieldProps) {
  const value = values[field.name] ?? '';
  const finding = checkField(field.name, values);
  const isAnswered = typeof answer === 'object' && answer.result !== 'unknown';
  const isRight = value.trim() !== '' && finding === null && !isAnswered;
  const refusal = error ?? (isLeft && finding?.kind === 'wrong' ? t(finding.text) : undefined);
  return (
    <TextField
      label={t(field.label)}
      name={field.name}
      required
      autoComplete="off"
      spellCheck={false}
      value={value}
      error={refusal}
      onBlur={() => value.trim() !== '' && onLeave()}
      onChange={(event) => onChange(event.target.value)}
      {...(field.isSecret && { type: 'password' })}
      hint={
        <>
          {t(field.help)}
          {isRight && (
            <span className="mt-0.5 flex items-center gap-1 text-success">
              <CircleCheck size={14} aria-hidden />
              {t('connectCheck.right')}
            </span>
          )}
          <MetaSays answer={answer} />
          {isLeft && finding?.kind === 'unusual' && !isAnswered && (
            <span className="mt-0.5 flex items-start gap-1 text-warning">
              <TriangleAlert size={14} aria-hidden className="mt-0.5 shrink-0" />
              {t(finding.text)}
            </span>
          )}
        </>
      }
    />
  );
}

/** What Meta says about the value, beside it. */
function MetaSays({ answer }: { answer: MetaAnswer }) {
  return (
    <span aria-live="polite">
      {answer === 'asking' && (
        <span className="mt-0.5 flex items-center gap-1">
          <LoaderCircle size={14} aria-hidden className="animate-spin" />
          {t('connectCheck.asking')}
        </span>
      )}
      {typeof answer === 'object' && answer.result === 'ok' && (
        <span className="mt-0.5 flex items-center gap-1 text-success">
          <CircleCheck size={14} aria-hidden />
          {t('connectCheck.confirmed')}
        </span>
      )}
      {typeof answer === 'object' && answer.reason && (
        <span
          className={`mt-0.5 flex items-start gap-1 ${answer.result === 'wrong' ? 'text-danger' : 'text-ink-soft'}`}
        >
          {answer.result === 'wrong' && <TriangleAlert size={14} aria-hidden className="mt-0.5 shrink-0" />}
          {tDynamic('connectMeta', answer.reason)}
        </span>
      )}
    </span>
  );
}
