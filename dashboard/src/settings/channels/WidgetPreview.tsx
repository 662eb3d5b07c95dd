import type { WidgetSettings } from '@/api/schema';
import { t } from '@/i18n';
import { BlankFrame } from '@/ui/BlankFrame';
import { useDebounced } from '@/ui/useDebounced';
import { fetchWith } from './widgetPreview';

/** Settings that are still being typed do not load the widget again and again. */
const SETTLE_MS = 400;
/** Widths of the lines that stand for a website's text, in percent. */
const LINES = [35, 90, 80, 86, 60];

interface WidgetPreviewProps {
  connectionId: string;
  /** Also those that are not saved yet. */
  settings: WidgetSettings;
  /** The language of the website that it is shown on. */
  language: string;
}

/** The widget itself on a sketch of a website. What is written in it arrives as a visitor's message. */
export function WidgetPreview({ connectionId, settings, language }: WidgetPreviewProps) {
  const settled = useDebounced(JSON.stringify(settings), SETTLE_MS);
  return (
    <div className="h-160 overflow-hidden rounded-lg border border-line">
      {/* Made smaller, because a chat in a narrow frame fills it as on a phone, and shows no position. */}
      <BlankFrame
        key={`${settled}\n${language}`}
        title={t('webChat.preview')}
        className="h-4/3 w-4/3 origin-top-left scale-75 rtl:origin-top-right"
        fill={(page) => {
          sketchWebsite(page, language);
          const { defaultView: view } = page;
          if (view) view.fetch = fetchWith(view.fetch.bind(view), JSON.parse(settled));
          loadWidget(page, connectionId);
        }}
      />
    </div>
  );
}

function sketchWebsite(page: Document, language: string): void {
  page.documentElement.lang = language;
  Object.assign(page.body.style, { margin: '0', background: '#fff' });
  const sketch = page.createElement('div');
  sketch.setAttribute('aria-hidden', 'true');
  Object.assign(sketch.style, { padding: '16px', display: 'grid', gap: '12px' });
  for (const percent of LINES) {
    const line = page.createElement('div');
    Object.assign(line.style, {
      width: `${percent}%`,
      height: percent === LINES[0] ? '24px' : '12px',
      background: '#e5e7eb',
      borderRadius: '6px',
    });
    sketch.append(line);
  }
  page.body.append(sketch);
}

function loadWidget(page: Document, connectionId: string): void {
  const script = page.createElement('script');
  // From this server under the name that the member uses, which the policy of the page allows.
  script.src = new URL('/widget.js', location.origin).href;
  script.setAttribute('data-connection', connectionId);
  openWhenReady(page);
  page.body.append(script);
}

/** The script shows the widget once the server knows its connection. */
function openWhenReady(page: Document): void {
  const Observer = page.defaultView?.MutationObserver;
  if (!Observer) return;
  const observer = new Observer(() => openWidget(page) && observer.disconnect());
  observer.observe(page.body, { childList: true });
}

/** Opens the chat, and leaves the focus where the member is. Says whether there was one to open. */
function openWidget(page: Document): boolean {
  const roots = [...page.body.children].map((element) => element.shadowRoot);
  const launcher = roots.map((root) => root?.querySelector('button[aria-expanded="false"]')).find(Boolean);
  if (!launcher) return false;
  const focused = document.activeElement;
  (launcher as HTMLElement).click();
  // An element that had the focus gets it back; where none had, the frame must not keep it.
  if (focused instanceof HTMLElement && focused !== document.body) focused.focus({ preventScroll: true });
  else (document.activeElement as HTMLElement | null)?.blur();
  return true;
}
