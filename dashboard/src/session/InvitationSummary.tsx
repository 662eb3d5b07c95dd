import type { LinkInfo } from '@/api/app';
import { t } from '@/i18n';

/** Whom a one-time link is from and for, before anything is typed. */
export function InvitationSummary({ link }: { link: LinkInfo }) {
  const rows: Array<[label: string, value: string]> = [
    [t('invitation.account'), link.account_name],
    [t('invitation.from'), link.invited_by ?? t('invitation.operator')],
    [t('signIn.email'), link.email],
  ];
  return (
    <dl className="mb-4 grid grid-cols-[auto_1fr] gap-x-3 gap-y-1 rounded-lg bg-sunken p-3 text-sm">
      {rows.map(([label, value]) => (
        <div key={label} className="contents">
          <dt className="text-ink-soft">{label}</dt>
          <dd className="min-w-0 break-words font-medium">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
