import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { call } from '@/api/client';
import type { Contact } from '@/api/schema';
import { t } from '@/i18n';
import { useCan } from '@/session/session';
import { Menu, MenuCheck } from '@/ui/Menu';
import { Tag } from '@/ui/Tag';
import { notifyFailure } from '@/ui/toast';
import { applyContact } from './cache';
import { tagsQuery } from './queries';

/** A contact's tags, changed in place. */
export function TagEditor({ contact }: { contact: Contact }) {
  const client = useQueryClient();
  const writable = useCan()('contacts:write');
  const tags = useQuery(tagsQuery).data ?? [];
  const has = (id: string) => contact.tags.some((tag) => tag.id === id);
  const toggle = async (id: string) => {
    try {
      const { data } = has(id)
        ? await call('DELETE /contacts/{id}/tags/{tag_id}', { path: { id: contact.id, tag_id: id } })
        : await call('POST /contacts/{id}/tags', { path: { id: contact.id }, body: { tag_ids: [id] } });
      applyContact(client, data);
    } catch (error) {
      notifyFailure(t('contact.saveFailed'), error);
    }
  };
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      {contact.tags.map((tag) => (
        <Tag
          key={tag.id}
          name={tag.name}
          color={tag.color}
          {...(writable && { onRemove: () => void toggle(tag.id) })}
        />
      ))}
      {writable && (
        <Menu
          align="start"
          trigger={
            <button
              type="button"
              className="inline-flex min-h-chip items-center gap-1 rounded-md px-1.5 text-sm text-ink-soft first:-ms-1.5 hover:bg-sunken hover:text-ink"
            >
              <Plus size={14} aria-hidden />
              {t('contact.addTag')}
            </button>
          }
        >
          {tags.length === 0 && <p className="p-2 text-ink-soft">{t('tags.emptyHelp')}</p>}
          {tags.map((tag) => (
            <MenuCheck key={tag.id} checked={has(tag.id)} onChange={() => void toggle(tag.id)}>
              <span className="size-2.5 rounded-full" style={{ background: tag.color }} aria-hidden />
              {tag.name}
            </MenuCheck>
          ))}
        </Menu>
      )}
    </div>
  );
}
