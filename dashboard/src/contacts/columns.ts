/** The columns of the contacts table, as the member has chosen them. */
import type { Contact, CustomField } from '@/api/schema';

export const FIXED_COLUMNS = ['phone', 'email', 'company', 'tags', 'created_at', 'updated_at'] as const;
export type FixedColumn = (typeof FIXED_COLUMNS)[number];
export type Column = FixedColumn | `field:${string}`;

const DEFAULTS: readonly Column[] = ['phone', 'email', 'company', 'tags'];
const STORAGE_KEY = 'frontdesk.contact-columns';

/** Chosen columns in a stable order. A custom field that is gone leaves no empty column. */
export function usableColumns(chosen: readonly string[], fields: readonly CustomField[]): Column[] {
  const known: Column[] = [...FIXED_COLUMNS, ...fields.map((field): Column => `field:${field.id}`)];
  return known.filter((column) => chosen.includes(column));
}

export function storedColumns(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? 'null');
    return Array.isArray(stored) ? stored.filter((column) => typeof column === 'string') : DEFAULTS;
  } catch {
    return DEFAULTS;
  }
}

export function storeColumns(columns: readonly string[]): void {
  localStorage.setItem(STORAGE_KEY, JSON.stringify(columns));
}

export function fieldValue(contact: Contact, fieldId: string): string | null {
  return contact.custom_fields.find((field) => field.field_id === fieldId)?.value ?? null;
}
