import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Columns3, Download, Filter, Plus, Upload, Users } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { url } from '@/api/client';
import { useCommands } from '@/commands/commands';
import { KEYS } from '@/commands/shortcuts';
import { t, tDynamic } from '@/i18n';
import { useCan } from '@/session/session';
import { BUTTON, Button, IconButton, KINDS } from '@/ui/Button';
import { ButtonLink } from '@/ui/ButtonLink';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Menu, MenuCheck } from '@/ui/Menu';
import { Page } from '@/ui/Page';
import { SearchField } from '@/ui/SearchField';
import { SelectField } from '@/ui/SelectField';
import { LoadingRows } from '@/ui/Spinner';
import { toggled } from '@/ui/toggled';
import { useDebounced } from '@/ui/useDebounced';
import { useMedia } from '@/ui/useMedia';
import { ContactBulkBar } from './ContactBulkBar';
import { ContactCards } from './ContactCards';
import { ContactDialog } from './ContactForm';
import { ContactTable, ROW_PX } from './ContactTable';
import { FIXED_COLUMNS, storeColumns, storedColumns, usableColumns } from './columns';
import { ORDERS, parseOrder, USUAL_ORDER } from './order';
import {
  type ContactFilter,
  contactsQuery,
  contactTotalQuery,
  fieldsQuery,
  segmentsQuery,
  tagsQuery,
} from './queries';
import { totalText } from './total';

const route = getRouteApi('/shell/contacts');
/** Too narrow for a table. */
const PHONE = '(max-width: 639px)';
const ICON = { size: 16, 'aria-hidden': true } as const;

export function ContactsPage() {
  const search = route.useSearch();
  const navigate = useNavigate();
  const can = useCan();
  const [creating, setCreating] = useState(false);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [chosen, setChosen] = useState(storedColumns);
  const narrow = useMedia(PHONE);
  const fields = useQuery(fieldsQuery).data ?? [];
  const filter = useMemo<ContactFilter>(
    () => ({
      ...(search.q && { q: search.q }),
      ...(search.tag && { tag_id: search.tag }),
      ...(search.segment && { segment_id: search.segment }),
    }),
    [search],
  );
  // A search is answered with the newest first, whatever the address says.
  const order = search.q ? undefined : search.sort;
  const query = useInfiniteQuery(contactsQuery(filter, order));
  const total = useQuery(contactTotalQuery(filter)).data;
  const contacts = useMemo(() => query.data?.pages.flatMap((page) => page.data) ?? [], [query.data]);
  const writable = can('contacts:write');
  useCommands(
    writable
      ? [
          {
            id: 'contacts.new',
            group: t('nav.contacts'),
            label: t('contact.new'),
            shortcut: KEYS.create,
            run: () => setCreating(true),
          },
        ]
      : [],
  );
  const toggleColumn = (column: string) => {
    const next = chosen.includes(column) ? chosen.filter((other) => other !== column) : [...chosen, column];
    setChosen(next);
    storeColumns(next);
  };
  const filtered = Object.keys(filter).length > 0;
  const create = (
    <Button kind="primary" icon={<Plus {...ICON} />} onClick={() => setCreating(true)}>
      {t('contact.new')}
    </Button>
  );
  const list = {
    contacts,
    selected,
    onToggle: writable ? (id: string) => setSelected((before) => toggled(before, id)) : undefined,
    hasMore: query.hasNextPage,
    loadingMore: query.isFetchingNextPage,
    onMore: () => void query.fetchNextPage(),
  };
  return (
    <Page
      title={t('nav.contacts')}
      actions={
        <>
          {!narrow && (
            <Menu
              trigger={<IconButton label={t('contacts.columns')} icon={<Columns3 size={18} aria-hidden />} />}
            >
              {FIXED_COLUMNS.map((column) => (
                <MenuCheck
                  key={column}
                  checked={chosen.includes(column)}
                  onChange={() => toggleColumn(column)}
                >
                  {tDynamic('contact', column)}
                </MenuCheck>
              ))}
              {fields.map((field) => (
                <MenuCheck
                  key={field.id}
                  checked={chosen.includes(`field:${field.id}`)}
                  onChange={() => toggleColumn(`field:${field.id}`)}
                >
                  {field.name}
                </MenuCheck>
              ))}
            </Menu>
          )}
          <a
            href={url('/app/api/contacts/export.csv', { query: { ...filter } })}
            download
            className={`${BUTTON} ${KINDS.quiet}`}
          >
            <Download {...ICON} />
            <span className="max-sm:sr-only">{t('contacts.export')}</span>
          </a>
          {writable && (
            <>
              <ButtonLink to="/contacts/import" kind="quiet" icon={<Upload {...ICON} />}>
                <span className="max-sm:sr-only">{t('contacts.import')}</span>
              </ButtonLink>
              {create}
            </>
          )}
        </>
      }
    >
      <div className="flex h-full min-h-0 flex-col">
        <Filters isNarrow={narrow} />
        <p aria-live="polite" className="px-gutter text-sm text-ink-soft not-empty:py-1.5">
          {total && totalText(total)}
          {search.q && search.sort && ` · ${t('contacts.searchOrder')}`}
        </p>
        {selected.size > 0 && (
          <ContactBulkBar
            selected={selected}
            filter={filter}
            allLoaded={contacts.every((contact) => selected.has(contact.id))}
            onSelectAll={() => setSelected(new Set(contacts.map((contact) => contact.id)))}
            onDone={() => setSelected(new Set())}
          />
        )}
        {query.isPending && <LoadingRows rowPx={ROW_PX} />}
        {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
        {query.isSuccess && contacts.length === 0 && (
          <EmptyState
            icon={<Users size={40} />}
            title={filtered ? t('contacts.noMatch') : t('contacts.empty')}
            action={
              filtered ? (
                <ButtonLink to="/contacts">{t('inbox.clearFilters')}</ButtonLink>
              ) : (
                writable && (
                  <>
                    {create}
                    <ButtonLink to="/contacts/import">{t('contacts.import')}</ButtonLink>
                  </>
                )
              )
            }
          >
            {filtered ? t('contacts.noMatchHelp') : t('contacts.emptyHelp')}
          </EmptyState>
        )}
        {contacts.length > 0 && narrow && <ContactCards {...list} />}
        {contacts.length > 0 && !narrow && (
          <ContactTable
            {...list}
            columns={usableColumns(chosen, fields)}
            fields={fields}
            order={order ?? USUAL_ORDER}
            onOrder={
              search.q
                ? undefined
                : (next) =>
                    void navigate({
                      to: '/contacts',
                      search: (before) => ({ ...before, sort: parseOrder(next) }),
                      replace: true,
                    })
            }
            isBusy={query.isPlaceholderData}
          />
        )}
      </div>
      <ContactDialog
        open={creating}
        onClose={() => setCreating(false)}
        onSaved={(contact) =>
          void navigate({ to: '/contacts/$contactId', params: { contactId: contact.id } })
        }
      />
    </Page>
  );
}

function Filters({ isNarrow }: { isNarrow: boolean }) {
  const search = route.useSearch();
  const navigate = useNavigate();
  const can = useCan();
  const tags = useQuery(tagsQuery).data ?? [];
  const segments = useQuery(segmentsQuery).data ?? [];
  const [text, setText] = useState(search.q ?? '');
  const settled = useDebounced(text);
  const input = useRef<HTMLInputElement>(null);
  const change = (next: Record<string, string | undefined>) =>
    void navigate({ to: '/contacts', search: (before) => ({ ...before, ...next }), replace: true });
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed changes the address
  useEffect(() => {
    if (settled !== (search.q ?? '')) change({ q: settled || undefined });
  }, [settled]);
  useCommands([
    {
      id: 'contacts.search',
      group: t('nav.contacts'),
      label: t('contacts.search'),
      shortcut: KEYS.search,
      run: () => input.current?.focus(),
    },
  ]);
  return (
    <div className="filter-bar">
      <div className="min-w-48 flex-1 max-sm:basis-full">
        <SearchField
          ref={input}
          label={t('contacts.search')}
          hint={t('contacts.searchHint')}
          value={text}
          onChange={setText}
        />
      </div>
      <div className="w-48 max-sm:w-auto max-sm:basis-[calc(50%-0.25rem)]">
        <SelectField
          label={t('contacts.tag')}
          hideLabel
          value={search.tag ?? ''}
          onChange={(event) => change({ tag: event.target.value || undefined })}
        >
          <option value="">{t('contacts.anyTag')}</option>
          {tags.map((tag) => (
            <option key={tag.id} value={tag.id}>
              {tag.name}
            </option>
          ))}
        </SelectField>
      </div>
      <div className="w-48 max-sm:w-auto max-sm:basis-[calc(50%-0.25rem)]">
        <SelectField
          label={t('contacts.segment')}
          hideLabel
          value={search.segment ?? ''}
          onChange={(event) => change({ segment: event.target.value || undefined })}
        >
          <option value="">{t('contacts.anySegment')}</option>
          {segments.map((segment) => (
            <option key={segment.id} value={segment.id}>
              {segment.name} ({segment.contact_count})
            </option>
          ))}
        </SelectField>
      </div>
      {isNarrow && !search.q && (
        <div className="basis-full">
          <SelectField
            label={t('contacts.order')}
            hideLabel
            value={search.sort ?? USUAL_ORDER}
            onChange={(event) =>
              void navigate({
                to: '/contacts',
                search: (before) => ({ ...before, sort: parseOrder(event.target.value) }),
                replace: true,
              })
            }
          >
            {ORDERS.map((order) => (
              <option key={order} value={order}>
                {tDynamic('contactOrder', order)}
              </option>
            ))}
          </SelectField>
        </div>
      )}
      {can('contacts:write') && (
        <ButtonLink
          to="/segments/$segmentId"
          params={{ segmentId: search.segment ?? 'new' }}
          kind="quiet"
          icon={<Filter {...ICON} />}
        >
          {search.segment ? t('segment.edit') : t('segment.new')}
        </ButtonLink>
      )}
    </div>
  );
}
