import { useNavigate } from '@tanstack/react-router';
import { MessageCirclePlus } from 'lucide-react';
import { useState } from 'react';
import { useAttempts } from '@/api/attempts';
import type { Contact, TemplateChoice } from '@/api/schema';
import { t, withTexts } from '@/i18n';
import { Button } from '@/ui/Button';
import { lazyDialog } from '@/ui/Lazy';

const TemplateDialog = lazyDialog(() =>
  withTexts(() => import('@/templates/TemplateDialog'), 'templates').then((module) => module.TemplateDialog),
);

/** Writes to a contact first. On WhatsApp that takes a template, because no window is open. */
export function StartConversation({ contact, phone }: { contact: Contact; phone: string }) {
  const navigate = useNavigate();
  const [open, setOpen] = useState(false);
  const attempts = useAttempts();
  const send = async (template: TemplateChoice) => {
    const body = { type: 'template' as const, to: { phone }, template };
    const { data } = await attempts.call('POST /messages', { body });
    await navigate({ to: '/inbox/$conversationId', params: { conversationId: data.conversation_id } });
  };
  return (
    <>
      <Button icon={<MessageCirclePlus size={16} aria-hidden />} onClick={() => setOpen(true)}>
        {t('contact.startConversation')}
      </Button>
      <TemplateDialog contact={contact} open={open} onClose={() => setOpen(false)} onSend={send} />
    </>
  );
}
