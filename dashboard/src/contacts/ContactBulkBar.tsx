import { useQuery } from '@tanstack/react-query';
import { TagsIcon } from 'lucide-react';
import { call } from '@/api/client';
import type { ContactBulk } from '@/api/schema';
import { t } from '@/i18n';
import { BulkBar, type BulkSelection } from '@/ui/BulkBar';
import { Button } from '@/ui/Button';
import { Menu, MenuItem, MenuLabel } from '@/ui/Menu';
import { type ContactFilter, tagsQuery } from './queries';

type Subject = Pick<ContactBulk, 'ids' | 'filter'>;
type Change = Pick<ContactBulk, 'add_tag_ids' | 'remove_tag_ids'>;

export function ContactBulkBar({ filter, ...selection }: BulkSelection & { filter: ContactFilter }) {
  const tags = useQuery(tagsQuery).data ?? [];
  return (
    <BulkBar<Subject, Change>
      {...selection}
      list="contacts"
      allMatching={() => [{ filter }]}
      start={async (subject, change) =>
        (await call('POST /contacts/bulk', { body: { ...subject, ...change } })).data
      }
      read={async (id) => (await call('GET /contacts/bulk/{id}', { path: { id } })).data}
    >
      {(run, busy) => (
        <Menu
          trigger={
            <Button icon={<TagsIcon size={16} aria-hidden />} disabled={busy}>
              {t('settings.tags')}
            </Button>
          }
        >
          <MenuLabel>{t('bulk.addTag')}</MenuLabel>
          {tags.map((tag) => (
            <MenuItem key={`add-${tag.id}`} onSelect={() => run({ add_tag_ids: [tag.id] })}>
              {tag.name}
            </MenuItem>
          ))}
          <MenuLabel>{t('bulk.removeTag')}</MenuLabel>
          {tags.map((tag) => (
            <MenuItem key={`remove-${tag.id}`} onSelect={() => run({ remove_tag_ids: [tag.id] })}>
              {tag.name}
            </MenuItem>
          ))}
        </Menu>
      )}
    </BulkBar>
  );
}
