import { useQuery } from '@tanstack/react-query';
import { t } from '@/i18n';
import { Time } from '@/ui/Time';
import { shortAddress, webAddress } from './pages';
import { visitedPagesQuery } from './queries';

/** The pages of the website that the visitor of a web chat was on, the latest first. */
export function VisitedPages({ conversationId }: { conversationId: string }) {
  const pages = useQuery(visitedPagesQuery(conversationId)).data ?? [];
  if (pages.length === 0) return null;
  return (
    <section className="flex flex-col gap-2 p-4">
      <h2 className="font-semibold">{t('panel.pages')}</h2>
      <ol className="flex flex-col gap-2">
        {pages.map((page, at) => {
          const short = shortAddress(page.url);
          return (
            <li key={page.id} className="flex items-baseline gap-2">
              <span className="min-w-0 flex-1">
                <a
                  href={webAddress(page.url)}
                  target="_blank"
                  rel="noopener noreferrer"
                  title={page.url}
                  className={`block truncate hover:underline ${at === 0 ? 'font-medium' : ''}`}
                >
                  {page.title ?? short}
                </a>
                {page.title && <span className="block truncate text-xs text-ink-soft">{short}</span>}
              </span>
              <span className="shrink-0 text-xs text-ink-soft">
                <Time at={page.seen_at} />
              </span>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
