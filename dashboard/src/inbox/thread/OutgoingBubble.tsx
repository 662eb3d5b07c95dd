import { Clock, FileText } from 'lucide-react';
import { t } from '@/i18n';
import { Button } from '@/ui/Button';
import { focusComposer } from '../composer/focus';
import { NEWER_REPLY } from '../outbox/outbox';
import type { Outgoing } from '../outbox/outgoing';
import { useChosenFiles, useDrafts, useOutbox } from '../services';
import { describeFailure } from './describeFailure';
import { Words } from './Words';

/** A message that is on its way, or that could not be sent: with the reason and what to do. */
export function OutgoingBubble({ outgoing }: { outgoing: Outgoing }) {
  const outbox = useOutbox();
  const drafts = useDrafts();
  const { addFiles } = useChosenFiles(outgoing.conversationId);
  const { state, file } = outgoing;
  const template = outgoing.request?.type === 'template' ? outgoing.request.template.name : null;
  const takeBack = async () => {
    const taken = await outbox.discard(outgoing.id);
    if (!taken || template) return;
    const { text, replyTo, conversationId, file } = taken.outgoing;
    drafts.prepend(conversationId, 'reply', { text: text ?? '', replyTo: replyTo ?? undefined }, Date.now());
    if (file && (taken.file || file.url)) addFiles([{ ...file, onDevice: taken.file }]);
    focusComposer();
  };
  return (
    <article className="flex flex-row-reverse">
      <div
        className={`max-w-[85%] rounded-2xl bg-bubble px-3 py-2 sm:max-w-[75%] ${state === 'failed' ? 'border border-danger' : state === 'waiting' ? 'border border-warning' : 'opacity-75'}`}
      >
        {file && (
          <p className="flex items-center gap-1.5">
            <FileText size={16} aria-hidden />
            {file.name}
          </p>
        )}
        {file && file.url === null && state !== 'sending' && (
          <p className="text-sm text-ink-soft">{t('outbox.fileNotUploaded')}</p>
        )}
        {template && <p>{t('thread.template', { name: template })}</p>}
        {outgoing.text && <Words text={outgoing.text} />}
        {state !== 'sending' && outgoing.error ? (
          <div role={state === 'failed' ? 'alert' : 'status'} className="mt-1">
            <p className={`text-sm ${state === 'failed' ? 'text-danger' : 'text-warning'}`}>
              <strong>{t(state === 'failed' ? 'outbox.failed' : 'outbox.waiting')}</strong>{' '}
              {describeFailure(outgoing.error, state === 'waiting')}
            </p>
            <div className="mt-1 flex gap-1.5">
              <Button onClick={() => void outbox.retry(outgoing.id)}>
                {outgoing.error.reason === NEWER_REPLY ? t('composer.sendAnyway') : t('ui.tryAgain')}
              </Button>
              <Button kind="quiet" onClick={() => void takeBack()}>
                {template ? t('outbox.discard') : t('outbox.edit')}
              </Button>
            </div>
          </div>
        ) : (
          <p className="flex items-center justify-end gap-1 text-xs text-ink-soft">
            <Clock size={12} aria-hidden />
            {t('status.sending')}
          </p>
        )}
      </div>
    </article>
  );
}
