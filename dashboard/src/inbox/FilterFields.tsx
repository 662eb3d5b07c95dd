import { CHANNELS } from '@/api/channels';
import { t, tDynamic } from '@/i18n';
import { SelectField } from '@/ui/SelectField';
import { type InboxSearch, STATUSES } from './search';

interface FilterFieldsProps {
  search: InboxSearch;
  onChange: (change: { status?: string | undefined; channel?: string | undefined }) => void;
}

/** The filters of the inbox beyond its views. Loaded when they are opened: the first load has no select. */
export function FilterFields({ search, onChange }: FilterFieldsProps) {
  return (
    <div className="flex flex-col gap-3 p-1">
      <SelectField
        label={t('inbox.status')}
        value={search.status ?? ''}
        onChange={(event) => onChange({ status: event.target.value || undefined })}
      >
        <option value="">{t('inbox.statusDefault')}</option>
        <option value="any">{t('inbox.statusAny')}</option>
        {STATUSES.map((status) => (
          <option key={status} value={status}>
            {tDynamic('conversationStatus', status)}
          </option>
        ))}
      </SelectField>
      <SelectField
        label={t('inbox.channel')}
        value={search.channel ?? ''}
        onChange={(event) => onChange({ channel: event.target.value || undefined })}
      >
        <option value="">{t('inbox.channelAny')}</option>
        {CHANNELS.map((channel) => (
          <option key={channel} value={channel}>
            {tDynamic('channel', channel)}
          </option>
        ))}
      </SelectField>
    </div>
  );
}
