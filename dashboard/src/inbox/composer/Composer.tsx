import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { InboxRow } from '@/api/app';
import type { TemplateChoice } from '@/api/schema';
import { useCommands } from '@/commands/commands';
import { KEYS } from '@/commands/shortcuts';
import { t, withTexts } from '@/i18n';
import { useCan } from '@/session/session';
import { lazyDialog } from '@/ui/Lazy';
import { useNow } from '@/ui/useNow';
import { useTellPresence } from '../presence';
import { threadQuery } from '../queries';
import { useOutbox } from '../services';
import { newestId, type ThreadPages } from '../thread/entries';
import { ClosedWindow } from './ClosedWindow';
import { focusComposer } from './focus';
import { NoteForm } from './NoteForm';
import { ReplyForm } from './ReplyForm';
import { TakeOverStrip } from './strips';
import { WindowCountdown } from './WindowCountdown';
import { windowState } from './window';

const TemplateDialog = lazyDialog(() =>
  withTexts(() => import('@/templates/TemplateDialog'), 'templates').then((module) => module.TemplateDialog),
);

type Mode = 'reply' | 'note';

/**
 * Where a member writes. Reply and note are two forms with two drafts; the mode changes only when
 * the member changes it.
 */
export function Composer({ row }: { row: InboxRow }) {
  const { conversation } = row;
  const [mode, setMode] = useState<Mode>('reply');
  const [typing, setTyping] = useState(false);
  const [templates, setTemplates] = useState(false);
  const can = useCan();
  const outbox = useOutbox();
  const client = useQueryClient();
  const window = windowState(conversation, useNow(1_000));
  const isWhatsApp = conversation.channel === 'whatsapp';
  useTellPresence(conversation.id, typing);

  const switchTo = (next: Mode) => {
    setMode(next);
    setTimeout(focusComposer, 0);
  };
  const sendTemplate = (template: TemplateChoice, text: string) =>
    void outbox.add({
      conversationId: conversation.id,
      createdAt: new Date().toISOString(),
      text,
      file: null,
      replyTo: null,
      lastSeen: newestId(client.getQueryData<ThreadPages>(threadQuery(conversation.id).queryKey)),
      request: { type: 'template', to: { conversation_id: conversation.id }, template },
    });
  const canNote = can('conversations:write');
  useCommands([
    {
      id: 'composer.reply',
      group: t('palette.conversation'),
      label: t('composer.reply'),
      shortcut: KEYS.reply,
      run: () => switchTo('reply'),
    },
    ...(canNote
      ? [
          {
            id: 'composer.note',
            group: t('palette.conversation'),
            label: t('composer.note'),
            shortcut: KEYS.note,
            run: () => switchTo('note'),
          },
        ]
      : []),
    ...(isWhatsApp
      ? [
          {
            id: 'composer.template',
            group: t('palette.conversation'),
            label: t('composer.template'),
            shortcut: KEYS.template,
            run: () => setTemplates(true),
          },
        ]
      : []),
  ]);
  const tab = (name: Mode, label: string) => (
    <button
      type="button"
      role="tab"
      aria-selected={mode === name}
      onClick={() => switchTo(name)}
      className={`rounded-t-lg px-3 py-1.5 text-sm font-medium ${mode === name ? (name === 'note' ? 'bg-note text-note-ink' : 'bg-surface text-ink') : 'text-ink-soft hover:bg-sunken'}`}
    >
      {label}
    </button>
  );
  return (
    <div className={`border-t-2 ${mode === 'note' ? 'border-note-line bg-note' : 'border-line bg-surface'}`}>
      <div className="flex items-center gap-1 bg-canvas px-2 pt-1">
        <div role="tablist" aria-label={t('composer.mode')} className="flex flex-1 gap-1">
          {tab('reply', t('composer.reply'))}
          {canNote && tab('note', t('composer.note'))}
        </div>
        {mode === 'reply' && window.kind === 'open' && (
          <WindowCountdown remainingMs={window.remainingMs} closing={window.closing} />
        )}
      </div>
      {mode === 'reply' && conversation.handler === 'assistant' && (
        <TakeOverStrip assistantId={conversation.assistant_id} />
      )}
      {mode === 'note' ? (
        <NoteForm conversationId={conversation.id} />
      ) : window.kind === 'closed' ? (
        <ClosedWindow
          neverWrote={conversation.window_expires_at === null}
          onTemplate={isWhatsApp ? () => setTemplates(true) : undefined}
        />
      ) : (
        <ReplyForm
          row={row}
          onTyping={setTyping}
          onTemplate={isWhatsApp ? () => setTemplates(true) : undefined}
        />
      )}
      {isWhatsApp && (
        <TemplateDialog
          contact={row.contact}
          open={templates}
          onClose={() => setTemplates(false)}
          onSend={sendTemplate}
        />
      )}
    </div>
  );
}
