import type { BroadcastStatus, RecipientStatus } from '@/api/schema';
import { tDynamic } from '@/i18n';
import { Badge } from '@/ui/Tag';

const TONES: Record<BroadcastStatus, 'neutral' | 'accent' | 'danger' | 'warning'> = {
  draft: 'neutral',
  scheduled: 'warning',
  sending: 'accent',
  sent: 'neutral',
  failed: 'danger',
};

export function StatusBadge({ status }: { status: BroadcastStatus }) {
  return <Badge tone={TONES[status]}>{tDynamic('broadcastStatus', status)}</Badge>;
}

export function RecipientBadge({ status }: { status: RecipientStatus }) {
  const tone = status === 'failed' ? 'danger' : status === 'replied' ? 'accent' : 'neutral';
  return <Badge tone={tone}>{tDynamic('recipientStatus', status)}</Badge>;
}
