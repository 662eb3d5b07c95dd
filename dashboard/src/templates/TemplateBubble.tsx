import { FileText, Image, Video } from 'lucide-react';
import { Fragment } from 'react';
import type { Template } from '@/api/schema';
import { t, tDynamic } from '@/i18n';
import { preview, type TemplateValues, templateFields } from './template';

const MEDIA_ICONS = { image: Image, video: Video, document: FileText } as const;

interface BubbleProps {
  template: Template;
  values: TemplateValues;
}

/** A template as the customer reads it, with its buttons. */
export function TemplateBubble({ template, values }: BubbleProps) {
  const shown = preview(template, values);
  const media = templateFields(template).find((field) => field.kind === 'header_media')?.name;
  return (
    <div className="flex flex-col gap-1">
      <div className="rounded-xl rounded-ss-sm bg-surface p-2.5 shadow-sm">
        {media && <MediaPlace kind={media} />}
        {shown.header && <p className="font-semibold wrap-break-word">{shown.header}</p>}
        <p dir="auto" className="wrap-break-word whitespace-pre-wrap">
          <Formatted text={shown.body} />
        </p>
        {shown.footer && <p className="mt-1 text-xs text-ink-soft">{shown.footer}</p>}
      </div>
      {shown.buttons.map((button) => (
        <p
          key={button}
          className="truncate rounded-xl bg-surface px-2 py-1.5 text-center font-medium text-accent shadow-sm"
        >
          {button}
        </p>
      ))}
    </div>
  );
}

function MediaPlace({ kind }: { kind: string }) {
  const Icon = MEDIA_ICONS[kind as keyof typeof MEDIA_ICONS] ?? FileText;
  return (
    <p className="mb-2 flex h-24 flex-col items-center justify-center gap-1 rounded-lg bg-sunken text-sm text-ink-soft">
      <Icon size={24} aria-hidden />
      {tDynamic('messageType', kind)}
    </p>
  );
}

const MARKED = /(\*[^*\n]+\*|_[^_\n]+_|~[^~\n]+~)/;

/** WhatsApp's own marks: *bold*, _italic_, ~struck~. */
function Formatted({ text }: { text: string }) {
  return text.split(MARKED).map((part, index) => {
    const inner = part.slice(1, -1);
    // The parts of a text have no other name.
    const key = index;
    if (!MARKED.test(part)) return <Fragment key={key}>{part}</Fragment>;
    if (part.startsWith('*')) return <strong key={key}>{inner}</strong>;
    return part.startsWith('_') ? <em key={key}>{inner}</em> : <s key={key}>{inner}</s>;
  });
}

/** The template on a phone. */
export function PhonePreview({ template, values, from }: Partial<BubbleProps> & { from: string }) {
  return (
    <section
      aria-label={t('template.preview')}
      className="mx-auto w-full max-w-72 overflow-hidden rounded-4xl border-6 border-line-strong bg-bubble"
    >
      <p className="flex items-center gap-2 truncate border-b border-line bg-surface px-4 py-2.5 text-sm font-semibold">
        {from}
      </p>
      <div className="min-h-72 p-3 pe-8 text-sm">
        {template && values ? (
          <TemplateBubble template={template} values={values} />
        ) : (
          <p className="pt-24 text-center text-ink-soft">{t('template.previewEmpty')}</p>
        )}
      </div>
    </section>
  );
}
