import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useId } from 'react';
import type { Tag as TagResource } from '@/api/schema';
import type { ContactSummary } from '@/api/shapes';
import { ContactPicker } from '@/contacts/ContactPicker';
import { contactName } from '@/contacts/names';
import { segmentsQuery, tagsQuery } from '@/contacts/queries';
import { t, tDynamic } from '@/i18n';
import { Button } from '@/ui/Button';
import { CountryField } from '@/ui/CountryField';
import { TextArea } from '@/ui/Field';
import { Menu, MenuCheck } from '@/ui/Menu';
import { SelectField } from '@/ui/SelectField';
import { Tag } from '@/ui/Tag';
import { AUDIENCE_TYPES, type AudienceDraft, LISTED_MAX, parsePhones } from './draft';

interface AudienceProps {
  audience: AudienceDraft;
  onChange: (audience: AudienceDraft) => void;
}

/** Whom it is for: one of the five kinds that the API knows. */
export function AudienceFields({ audience, onChange }: AudienceProps) {
  const name = useId();
  const change = (next: Partial<AudienceDraft>) => onChange({ ...audience, ...next });
  return (
    <div className="flex flex-col gap-4">
      <fieldset>
        <legend className="sr-only">{t('audience.legend')}</legend>
        <div className="grid gap-2 sm:grid-cols-2">
          {AUDIENCE_TYPES.map((type) => (
            <label
              key={type}
              className="flex items-start gap-2.5 rounded-lg border border-line p-3 hover:bg-sunken has-checked:border-accent has-checked:bg-selected"
            >
              <input
                type="radio"
                name={name}
                checked={audience.type === type}
                onChange={() => change({ type })}
                className="mt-0.5 size-4.5 shrink-0 accent-accent"
              />
              <span>
                <span className="block font-medium">{tDynamic('audienceType', type)}</span>
                <span className="block text-sm text-ink-soft">{tDynamic('audienceTypeHelp', type)}</span>
              </span>
            </label>
          ))}
        </div>
      </fieldset>
      <Choice audience={audience} onChange={change} />
      {(audience.type === 'all' || audience.type === 'tags' || audience.type === 'segment') && (
        <TagChoice
          label={t('audience.exclude')}
          action={t('audience.addExclude')}
          chosen={audience.excludeTagIds}
          onChange={(excludeTagIds) => change({ excludeTagIds })}
        />
      )}
    </div>
  );
}

interface ChoiceProps {
  audience: AudienceDraft;
  onChange: (next: Partial<AudienceDraft>) => void;
}

function Choice({ audience, onChange }: ChoiceProps) {
  switch (audience.type) {
    case 'all':
      return null;
    case 'tags':
      return (
        <TagChoice
          label={t('audience.anyOf')}
          action={t('bulk.addTag')}
          chosen={audience.tagIds}
          onChange={(tagIds) => onChange({ tagIds })}
        />
      );
    case 'segment':
      return <SegmentChoice audience={audience} onChange={onChange} />;
    case 'contacts':
      return <ContactChoice chosen={audience.contacts} onChange={(contacts) => onChange({ contacts })} />;
    case 'phones':
      return <PhoneChoice audience={audience} onChange={onChange} />;
  }
}

interface TagChoiceProps {
  label: string;
  action: string;
  chosen: string[];
  onChange: (chosen: string[]) => void;
}

function TagChoice({ label, action, chosen, onChange }: TagChoiceProps) {
  const tags = useQuery(tagsQuery).data ?? [];
  const remove = (id: string) => onChange(chosen.filter((each) => each !== id));
  const toggle = ({ id }: TagResource) => (chosen.includes(id) ? remove(id) : onChange([...chosen, id]));
  return (
    <fieldset>
      <legend className="mb-1 font-medium">{label}</legend>
      <div className="flex flex-wrap items-center gap-1.5">
        {tags
          .filter(({ id }) => chosen.includes(id))
          .map((tag) => (
            <Tag key={tag.id} name={tag.name} color={tag.color} onRemove={() => remove(tag.id)} />
          ))}
        <Menu
          align="start"
          trigger={
            <Button kind="quiet" icon={<Plus size={16} aria-hidden />}>
              {action}
            </Button>
          }
        >
          {tags.length === 0 && <p className="p-2 text-ink-soft">{t('tags.emptyHelp')}</p>}
          {tags.map((tag) => (
            <MenuCheck key={tag.id} checked={chosen.includes(tag.id)} onChange={() => toggle(tag)}>
              <span className="size-2.5 rounded-full" style={{ background: tag.color }} aria-hidden />
              {tag.name}
            </MenuCheck>
          ))}
        </Menu>
      </div>
    </fieldset>
  );
}

function SegmentChoice({ audience, onChange }: ChoiceProps) {
  const segments = useQuery(segmentsQuery).data;
  if (segments?.length === 0)
    return (
      <p className="text-ink-soft">
        {t('audience.noSegments')}{' '}
        <Link to="/segments/$segmentId" params={{ segmentId: 'new' }} className="text-accent underline">
          {t('segment.new')}
        </Link>
      </p>
    );
  return (
    <SelectField
      label={t('audience.segment')}
      value={audience.segmentId}
      onChange={(event) => onChange({ segmentId: event.target.value })}
    >
      <option value="">{t('audience.chooseSegment')}</option>
      {segments?.map((segment) => (
        <option key={segment.id} value={segment.id}>
          {segment.name} ({segment.contact_count})
        </option>
      ))}
    </SelectField>
  );
}

function ContactChoice({
  chosen,
  onChange,
}: {
  chosen: ContactSummary[];
  onChange: (chosen: ContactSummary[]) => void;
}) {
  return (
    <div className="flex flex-col gap-2">
      <ContactPicker
        key={chosen.length}
        label={t('audience.addContact')}
        value={null}
        onChange={(contact) => {
          if (!contact || chosen.some(({ id }) => id === contact.id)) return;
          const { id, name, phone, avatar_url } = contact;
          onChange([...chosen, { id, name, phone, avatar_url }]);
        }}
      />
      <ul aria-label={t('audience.chosen')} className="flex flex-wrap gap-1.5 empty:hidden">
        {chosen.map((contact) => (
          <li key={contact.id} className="max-w-full">
            <Tag
              name={contactName(contact)}
              color="transparent"
              onRemove={() => onChange(chosen.filter(({ id }) => id !== contact.id))}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** How many wrong numbers are named. */
const WRONG_SHOWN_MAX = 3;

function PhoneChoice({ audience, onChange }: ChoiceProps) {
  const { phones, wrong } = parsePhones(audience.phones);
  const tooMany = phones.length > LISTED_MAX && t('audience.tooMany', { count: LISTED_MAX });
  const unread =
    wrong.length > 0 &&
    t('audience.wrongNumbers', { count: wrong.length, numbers: wrong.slice(0, WRONG_SHOWN_MAX).join(', ') });
  return (
    <div className="flex flex-col gap-3">
      <TextArea
        label={t('audience.numbers')}
        hint={t('audience.numbersHint')}
        rows={6}
        value={audience.phones}
        onChange={(event) => onChange({ phones: event.target.value })}
        error={tooMany || unread || undefined}
      />
      <CountryField
        hint={t('audience.countryHint')}
        value={audience.country || null}
        onChange={(country) => onChange({ country: country ?? '' })}
      />
    </div>
  );
}
