/** What is known about a contact, as rows that can be shown and changed one by one. Pure. */
import type { Contact, ContactPatch, CustomField } from '@/api/schema';

export interface Detail {
  /** `phone`, `email`, `company` or `field:` with the id of a custom field. */
  key: string;
  /** One that every contact has; null for a custom field. */
  standard: Standard | null;
  /** Of a custom field. */
  name: string;
  value: string | null;
  field: CustomField | null;
}

const STANDARD = ['phone', 'email', 'company'] as const;
type Standard = (typeof STANDARD)[number];

/** Custom fields without a value are listed only where all fields are known. */
export function detailsOf(contact: Contact, fields: readonly CustomField[]): Detail[] {
  const values = new Map(contact.custom_fields.map((field) => [field.field_id, field]));
  const known = fields.map((field) => ({ id: field.id, name: field.name, field }));
  const others = contact.custom_fields
    .filter(({ field_id: id }) => !fields.some((field) => field.id === id))
    .map(({ field_id: id, name }) => ({ id, name, field: null }));
  return [
    ...STANDARD.map((key) => ({ key, standard: key, name: '', value: contact[key], field: null })),
    ...[...known, ...others].map(({ id, name, field }) => ({
      key: `field:${id}`,
      standard: null,
      name,
      value: values.get(id)?.value ?? null,
      field,
    })),
  ];
}

/** The change that stores a value. An empty one clears the field. */
export function changeOf({ key }: Detail, text: string, country: string | null): ContactPatch {
  const value = text.trim() || null;
  if (key === 'phone') return { phone: value, ...(country && { country }) };
  if (key.startsWith('field:')) return { custom_fields: { [key.slice('field:'.length)]: value } };
  return { [key]: value };
}

/** Where an error of the value is reported. */
export function pathOf({ key }: Detail): string {
  return key.replace('field:', 'custom_fields.');
}
