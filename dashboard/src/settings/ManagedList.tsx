import type { UseQueryResult } from '@tanstack/react-query';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { t } from '@/i18n';
import { Button, IconButton } from '@/ui/Button';
import { ConfirmDialog, Dialog } from '@/ui/Dialog';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Page } from '@/ui/Page';
import { RowActions } from '@/ui/rows';
import { Loading } from '@/ui/Spinner';

export interface FormProps<Item> {
  /** Null for a new one. */
  item: Item | null;
  onCancel: () => void;
  /** Closes the form and reads the list again. */
  onSaved: () => Promise<void>;
}

interface ManagedListProps<Item> {
  query: UseQueryResult<Item[]>;
  writable: boolean;
  nameOf: (item: Item) => string;
  render: (item: Item) => ReactNode;
  form: (props: FormProps<Item>) => ReactNode;
  onDelete: (item: Item) => Promise<unknown>;
  refresh: () => Promise<unknown>;
  icon: ReactNode;
  text: {
    title: string;
    create: string;
    edit: string;
    empty: string;
    emptyHelp: string;
    delete: string;
    deleteHelp: (name: string) => string;
  };
  /** Deleting loses values that cannot be brought back: the name has to be typed first. */
  typesName?: boolean;
}

/** A page of settings: a list whose items are created, edited and deleted in dialogs. */
export function ManagedList<Item extends { id: string }>({
  query,
  writable,
  nameOf,
  render,
  form,
  onDelete,
  refresh,
  icon,
  text,
  typesName = false,
}: ManagedListProps<Item>) {
  const [editing, setEditing] = useState<Item | 'new' | null>(null);
  const [deleting, setDeleting] = useState<Item | null>(null);
  const close = () => setEditing(null);
  const item = editing === 'new' ? null : editing;
  const deleted = deleting ? nameOf(deleting) : '';
  const create = writable && (
    <Button kind="primary" icon={<Plus size={16} aria-hidden />} onClick={() => setEditing('new')}>
      {text.create}
    </Button>
  );
  return (
    <Page title={text.title} actions={query.data?.length !== 0 && create}>
      <div className="settings-column">
        {query.isPending && <Loading />}
        {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
        {query.data?.length === 0 && (
          <EmptyState icon={icon} title={text.empty} action={create}>
            {text.emptyHelp}
          </EmptyState>
        )}
        <ul className="divide-y divide-line rounded-xl border border-line bg-surface empty:hidden">
          {query.data?.map((each) => (
            <li key={each.id} className="flex items-center gap-2 px-3 py-1.5">
              {render(each)}
              {writable && (
                <RowActions label={t('ui.actionsNamed', { name: nameOf(each) })}>
                  <IconButton
                    label={t('ui.editNamed', { name: nameOf(each) })}
                    icon={<Pencil size={16} aria-hidden />}
                    onClick={() => setEditing(each)}
                  />
                  <IconButton
                    label={t('ui.deleteNamed', { name: nameOf(each) })}
                    icon={<Trash2 size={16} aria-hidden />}
                    onClick={() => setDeleting(each)}
                  />
                </RowActions>
              )}
            </li>
          ))}
        </ul>
      </div>
      <Dialog open={editing !== null} onClose={close} title={item ? text.edit : text.create}>
        {editing !== null &&
          form({
            item,
            onCancel: close,
            onSaved: async () => {
              close();
              await refresh();
            },
          })}
      </Dialog>
      <ConfirmDialog
        open={deleting !== null}
        onClose={() => setDeleting(null)}
        title={text.delete}
        description={text.deleteHelp(deleted)}
        action={t('ui.delete')}
        {...(typesName && { typed: deleted })}
        onConfirm={async () => {
          if (deleting) await onDelete(deleting);
          await refresh();
        }}
      />
    </Page>
  );
}
