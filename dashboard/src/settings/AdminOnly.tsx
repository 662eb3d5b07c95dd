import { ShieldAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { t } from '@/i18n';
import { useIsAdmin } from '@/session/session';
import { EmptyState } from '@/ui/EmptyState';

/** Says why a page is empty for an agent. The server refuses in any case. */
export function AdminOnly({ children }: { children: ReactNode }) {
  if (useIsAdmin()) return children;
  return (
    <EmptyState icon={<ShieldAlert size={40} />} title={t('settings.adminOnly')} isPage>
      {t('settings.adminOnlyHelp')}
    </EmptyState>
  );
}
