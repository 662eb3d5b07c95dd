import { FileText, MapPin } from 'lucide-react';
import type { ThreadMessage } from '@/api/app';
import { t } from '@/i18n';
import { fileSize } from '@/i18n/time';
import { useRetries } from './useRetries';

/** The file of a message, shown in place where the browser can. */
export function Media({ message }: { message: ThreadMessage }) {
  const { attempt, waiting, broken, onError } = useRetries();
  const { media_url: url, media } = message;
  if (message.type === 'location') {
    return (
      <p className="flex items-center gap-1.5">
        <MapPin size={16} aria-hidden />
        {t('media.location')}
      </p>
    );
  }
  if (!url) {
    const awaited = ['image', 'video', 'audio', 'document'].includes(message.type);
    return awaited ? <p className="text-ink-soft italic">{t('media.pending')}</p> : null;
  }
  if (waiting) return <p className="text-ink-soft italic">{t('media.pending')}</p>;
  const name = media?.filename ?? t('media.file');
  if (message.type === 'image' && !broken) {
    return (
      <a href={url} target="_blank" rel="noopener noreferrer" aria-label={t('media.openImage')}>
        <img
          key={attempt}
          src={url}
          alt={message.text ?? t('media.image')}
          loading="lazy"
          onError={onError}
          className="my-1 max-h-80 min-h-16 max-w-full rounded-lg object-contain"
        />
      </a>
    );
  }
  if (message.type === 'video' && !broken) {
    return (
      <video
        key={attempt}
        src={url}
        controls
        preload="metadata"
        onError={onError}
        className="my-1 max-h-80 max-w-full rounded-lg"
      />
    );
  }
  if (message.type === 'audio' && !broken) {
    return (
      <audio
        key={attempt}
        src={url}
        controls
        preload="metadata"
        onError={onError}
        className="my-1 max-w-full"
      />
    );
  }
  return (
    <a
      href={url}
      download={name}
      className="my-1 flex items-center gap-2 rounded-lg border border-line bg-surface p-2 hover:bg-sunken"
    >
      <FileText size={20} className="shrink-0" aria-hidden />
      <span className="min-w-0 flex-1 truncate">{name}</span>
      {media && <span className="text-xs text-ink-soft">{fileSize(media.size)}</span>}
    </a>
  );
}
