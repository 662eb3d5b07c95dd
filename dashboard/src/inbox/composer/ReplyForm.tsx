import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { FileText, LayoutTemplate, Paperclip, Reply, Send, X, Zap } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { InboxRow } from '@/api/app';
import type { CannedReply, NewMessage } from '@/api/schema';
import { FILE_BYTES_MAX } from '@/api/upload';
import { useCommands } from '@/commands/commands';
import { KEYS } from '@/commands/shortcuts';
import { contactQuery } from '@/contacts/queries';
import { t } from '@/i18n';
import { fileSize } from '@/i18n/time';
import { useSession } from '@/session/session';
import { Button, IconButton } from '@/ui/Button';
import { notify } from '@/ui/toast';
import { mediaKind } from '../outbox/outbox';
import { threadQuery } from '../queries';
import { useChosenFiles, useOutbox } from '../services';
import { newestId, repliesAfter } from '../thread/entries';
import { CannedList } from './CannedList';
import { fillIn, leftOver, shortcutQuery } from './canned';
import type { ChosenFile } from './files';
import { charactersLeft } from './limit';
import { QuoteStrip } from './QuoteStrip';
import { MeanwhileStrip } from './strips';
import { TextBox } from './TextBox';
import { useDraftText } from './useDraftText';

const TYPING_PAUSE_MS = 4_000;
const CAPTION_CHARS_MAX = 1_024;
const ICON = { size: 18, 'aria-hidden': true } as const;

interface ReplyFormProps {
  row: InboxRow;
  onTyping: (typing: boolean) => void;
  onTemplate: (() => void) | undefined;
}

const ofDevice = (file: File): ChosenFile => ({
  name: file.name,
  size: file.size,
  contentType: file.type,
  url: null,
  onDevice: file,
});

/** The files of a canned reply. The server has them, so they are not uploaded again. */
const filesOf = (reply: CannedReply): ChosenFile[] =>
  reply.media.map(({ filename, size, content_type, url }) => ({
    name: filename ?? t('media.file'),
    size,
    contentType: content_type,
    url,
  }));

export function ReplyForm({ row, onTyping, onTemplate }: ReplyFormProps) {
  const conversationId = row.conversation.id;
  const session = useSession();
  const contact = useQuery(contactQuery(row.contact.id)).data;
  const outbox = useOutbox();
  const thread = useInfiniteQuery({ ...threadQuery(conversationId), enabled: false }).data;
  const newest = newestId(thread);
  const draft = useDraftText(conversationId, 'reply', newest);
  const meanwhile = draft.text.trim() === '' ? [] : repliesAfter(thread, draft.seen, session.user.id);
  const left = charactersLeft(draft.text, row.conversation.channel);
  const { files, addFiles, setFiles } = useChosenFiles(conversationId);
  const [dropping, setDropping] = useState(false);
  const [canned, setCanned] = useState(false);
  const [warned, setWarned] = useState(false);
  /** The last reply of somebody else that the member was shown on sending. */
  const [shown, setShown] = useState('');
  const picker = useRef<HTMLInputElement>(null);
  const cannedKeys = useRef<((event: KeyboardEvent) => boolean) | null>(null);

  useEffect(() => {
    if (draft.text.trim() === '') return onTyping(false);
    onTyping(true);
    const timer = setTimeout(() => onTyping(false), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [draft.text, onTyping]);
  useCommands([
    {
      id: 'composer.canned',
      group: t('palette.conversation'),
      label: t('composer.canned'),
      shortcut: KEYS.canned,
      run: () => setCanned(true),
    },
    {
      id: 'composer.attach',
      group: t('palette.conversation'),
      label: t('composer.attach'),
      run: () => picker.current?.click(),
    },
  ]);

  const attach = (added: File[]) => {
    const small = added.filter((file) => file.size <= FILE_BYTES_MAX);
    if (small.length < added.length) notify(t('composer.fileTooLarge', { size: fileSize(FILE_BYTES_MAX) }));
    addFiles(small.map(ofDevice));
  };

  const send = () => {
    const text = draft.text.trim();
    if (text === '' && files.length === 0) return;
    if (left !== null && left < 0) return;
    if (leftOver(text).length > 0 && !warned) return setWarned(true);
    // What somebody else has sent meanwhile is looked at first: it may be the same answer.
    const last = meanwhile.at(-1)?.id ?? '';
    if (meanwhile.length > 0 && shown !== last) return setShown(last);
    const replyTo = draft.replyTo ?? null;
    const base = { conversationId, createdAt: new Date().toISOString(), lastSeen: newest };
    // The text goes as the caption of the first file. Audio has no caption, and a caption cannot be as long as a
    // text: then it goes first, by itself.
    const takesCaption = files[0] && mediaKind(files[0].contentType) !== 'audio';
    const captioned = takesCaption && text.length <= CAPTION_CHARS_MAX ? 0 : -1;
    const stored: Promise<void>[] = [];
    if (text !== '' && captioned < 0) {
      const request: NewMessage = {
        type: 'text',
        to: { conversation_id: conversationId },
        text,
        ...(replyTo && { reply_to_message_id: replyTo }),
      };
      stored.push(outbox.add({ ...base, text, file: null, replyTo, request }));
    }
    for (const [index, { onDevice, ...file }] of files.entries()) {
      const isCaptioned = index === captioned;
      stored.push(
        outbox.add(
          {
            ...base,
            text: isCaptioned && text !== '' ? text : null,
            file,
            replyTo: isCaptioned ? replyTo : null,
            request: null,
          },
          onDevice,
        ),
      );
    }
    draft.clear(Promise.all(stored));
    setFiles([]);
    setWarned(false);
  };

  const insertCanned = (reply: CannedReply) => {
    const filled = fillIn(reply.body, { contact, member: session.user, account: session.account });
    const before = shortcutQuery(draft.text) === null ? draft.text : '';
    draft.setText(before === '' ? filled : `${before.trimEnd()}\n${filled}`);
    addFiles(filesOf(reply));
    setCanned(false);
  };
  const query = shortcutQuery(draft.text);
  const choosing = canned || query !== null;
  const takesOver = row.conversation.handler === 'assistant';
  const sendLabel =
    warned || meanwhile.length > 0
      ? t('composer.sendAnyway')
      : takesOver
        ? t('composer.takeOver')
        : t('composer.send');
  const warning = warned ? leftOver(draft.text) : [];

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping files is a second way beside the button
    <div
      className={`p-3 ${dropping ? 'bg-accent-soft' : ''}`}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setDropping(true);
      }}
      onDragLeave={() => setDropping(false)}
      onDrop={(event) => {
        event.preventDefault();
        setDropping(false);
        attach([...event.dataTransfer.files]);
      }}
    >
      {draft.replyTo && (
        <QuoteStrip
          conversationId={conversationId}
          messageId={draft.replyTo}
          onRemove={() => draft.setReplyTo(undefined)}
        />
      )}
      {meanwhile.length > 0 && (
        <MeanwhileStrip replies={meanwhile} onUnderstood={() => draft.setSeen(newest)} />
      )}
      {choosing && (
        <CannedList
          query={query ?? ''}
          keys={cannedKeys}
          onChoose={insertCanned}
          onClose={() => setCanned(false)}
        />
      )}
      <TextBox
        label={t('composer.replyLabel')}
        placeholder={dropping ? t('composer.drop') : t('composer.replyPlaceholder')}
        text={draft.text}
        onText={draft.setText}
        onSend={send}
        onFiles={attach}
        onKey={(event) => (choosing ? (cannedKeys.current?.(event) ?? false) : false)}
      />
      {left !== null && (
        <p role="status" className={`mt-1 text-end text-sm ${left < 0 ? 'text-danger' : 'text-ink-soft'}`}>
          {left < 0 ? t('composer.tooLong', { count: -left }) : t('composer.charactersLeft', { count: left })}
        </p>
      )}
      {warning.length > 0 && (
        <p role="alert" className="mt-1 text-sm text-warning">
          {t('composer.leftOver', { names: warning.join(', ') })}
        </p>
      )}
      {files.length > 0 && (
        <ul className="mt-2 flex flex-wrap gap-2" aria-label={t('composer.files')}>
          {files.map((file, index) => (
            <li
              key={`${index}-${file.name}`}
              className="flex items-center gap-1.5 rounded-lg border border-line bg-canvas ps-2"
            >
              <FileText size={16} aria-hidden />
              <span className="max-w-40 truncate">{file.name}</span>
              <span className="text-xs text-ink-soft">{fileSize(file.size)}</span>
              <IconButton
                label={t('ui.removeNamed', { name: file.name })}
                icon={<X size={16} aria-hidden />}
                onClick={() => setFiles(files.toSpliced(index, 1))}
              />
            </li>
          ))}
        </ul>
      )}
      <div className="mt-2 flex flex-wrap items-center gap-1">
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          aria-label={t('composer.attach')}
          onChange={(event) => {
            attach([...(event.target.files ?? [])]);
            event.target.value = '';
          }}
        />
        <IconButton
          label={t('composer.attach')}
          icon={<Paperclip {...ICON} />}
          onClick={() => picker.current?.click()}
        />
        <IconButton
          label={t('composer.canned')}
          icon={<Zap {...ICON} />}
          pressed={canned}
          onClick={() => setCanned(!canned)}
        />
        {onTemplate && (
          <IconButton
            label={t('composer.template')}
            icon={<LayoutTemplate {...ICON} />}
            onClick={onTemplate}
          />
        )}
        <Button
          kind="primary"
          className="ms-auto"
          onClick={send}
          disabled={(draft.text.trim() === '' && files.length === 0) || (left !== null && left < 0)}
          icon={draft.replyTo ? <Reply {...ICON} /> : <Send {...ICON} className="rtl:-scale-x-100" />}
        >
          {sendLabel}
        </Button>
      </div>
    </div>
  );
}
