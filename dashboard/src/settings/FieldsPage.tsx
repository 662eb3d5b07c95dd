import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ListPlus } from 'lucide-react';
import { call } from '@/api/client';
import { FieldForm } from '@/contacts/FieldForm';
import { fieldsQuery } from '@/contacts/queries';
import { t, tDynamic } from '@/i18n';
import { useCan } from '@/session/session';
import { Badge } from '@/ui/Tag';
import { ManagedList } from './ManagedList';

export function FieldsPage() {
  const client = useQueryClient();
  return (
    <ManagedList
      query={useQuery(fieldsQuery)}
      writable={useCan()('contacts:write')}
      nameOf={(field) => field.name}
      render={(field) => (
        <>
          <span className="min-w-0 flex-1 truncate">
            {field.name} <span className="text-sm text-ink-soft">{field.options.join(', ')}</span>
          </span>
          <Badge>{tDynamic('fieldType', field.type)}</Badge>
        </>
      )}
      form={(props) => <FieldForm {...props} />}
      onDelete={(field) => call('DELETE /custom-fields/{id}', { path: { id: field.id } })}
      typesName
      refresh={() =>
        Promise.all([
          client.invalidateQueries({ queryKey: fieldsQuery.queryKey }),
          client.invalidateQueries({ queryKey: ['contacts'] }),
          client.invalidateQueries({ queryKey: ['contact'] }),
        ])
      }
      icon={<ListPlus size={40} />}
      text={{
        title: t('settings.fields'),
        create: t('fields.new'),
        edit: t('fields.edit'),
        empty: t('fields.empty'),
        emptyHelp: t('fields.emptyHelp'),
        delete: t('fields.delete'),
        deleteHelp: (name) => t('fields.deleteHelp', { name }),
      }}
    />
  );
}
