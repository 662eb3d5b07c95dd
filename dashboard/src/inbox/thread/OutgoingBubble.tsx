import { Clock, FileText } from 'lucide-react';
import { describeError } from '@/api/describe';
import { t } from '@/i18n';
import { Button } from '@/ui/Button';
import type { Outgoing } from '../outbox';
import { useDrafts, useOutbox } from '../services';
import { Words } from './Words';

/** A message that is on its way, or that could not be sent: with the reason and what to do. */
export function OutgoingBubble({ outgoing }: { outgoing: Outgoing }) {
  const outbox = useOutbox();
  const drafts = useDrafts();
  const failed = outgoing.state === 'failed';
  const template = outgoing.request?.type === 'template' ? outgoing.request.template.name : null;
  const edit = () => {
    const back = outbox.discard(outgoing.id);
    if (back?.text)
      drafts.set(
        back.conversationId,
        'reply',
        { text: back.text, replyTo: back.replyTo ?? undefined },
        Date.now(),
      );
  };
  return (
    <article className="flex flex-row-reverse">
      <div
        className={`max-w-[85%] rounded-2xl bg-accent-soft px-3 py-2 sm:max-w-[75%] ${failed ? 'border border-danger' : 'opacity-75'}`}
      >
        {outgoing.file && (
          <p className="flex items-center gap-1.5">
            <FileText size={16} aria-hidden />
            {outgoing.file.name}
          </p>
        )}
        {template && <p>{t('thread.template', { name: template })}</p>}
        {outgoing.text && <Words text={outgoing.text} />}
        {failed ? (
          <div role="alert" className="mt-1">
            <p className="text-sm text-danger">
              <strong>{t('outbox.failed')}</strong> {describeError(outgoing.error)}
            </p>
            <div className="mt-1 flex gap-1.5">
              <Button onClick={() => outbox.retry(outgoing.id)}>{t('ui.tryAgain')}</Button>
              <Button kind="quiet" onClick={edit}>
                {outgoing.text ? t('outbox.edit') : t('outbox.discard')}
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
