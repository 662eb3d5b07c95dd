import { t } from '@/i18n';
import { BlankFrame } from '@/ui/BlankFrame';

/** A hosted page as visitors see it. It cannot be filled in here. */
export function FormPreview({ html }: { html: string }) {
  return (
    <BlankFrame
      key={html}
      title={t('forms.preview')}
      className="h-160 w-full rounded-lg border border-line"
      fill={(page) => {
        const hosted = new DOMParser().parseFromString(html, 'text/html');
        page.documentElement.lang = hosted.documentElement.lang;
        page.head.append(...hosted.head.querySelectorAll('style'));
        page.body.append(...hosted.body.childNodes);
        page.body.inert = true;
      }}
    />
  );
}
