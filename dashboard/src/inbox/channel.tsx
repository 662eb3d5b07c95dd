import { Camera, Globe, MessageCircle, MessagesSquare, Smartphone } from 'lucide-react';
import type { Channel } from '@/api/schema';
import { tDynamic } from '@/i18n';

const ICONS = {
  whatsapp: MessageCircle,
  personal_whatsapp: Smartphone,
  messenger: MessagesSquare,
  instagram: Camera,
  web_chat: Globe,
} as const;

export function ChannelIcon({ channel }: { channel: Channel }) {
  const Icon = ICONS[channel];
  return <Icon size={14} className="shrink-0" role="img" aria-label={tDynamic('channel', channel)} />;
}
