/** How the preview of a widget shows settings that are not saved: it answers for the server. */
import type { WidgetSettings } from '@/api/schema';

type Settings = WidgetSettings;

/** What the server would say of a widget with these settings. */
export function previewed<T extends { hours?: unknown }>(stored: T, settings: Settings): T & Settings {
  return { ...stored, ...settings, hours: settings.shows_hours ? stored.hours : null };
}

/** Requests of a page, with the widget's settings replaced in the one response that carries them. */
export function fetchWith(real: typeof fetch, settings: Settings): typeof fetch {
  return async (input, init) => {
    const answer = await real(input, init);
    const address = input instanceof Request ? input.url : String(input);
    if (!answer.ok || !new URL(address).pathname.endsWith('/config')) return answer;
    const { data } = (await answer.json()) as { data: { hours?: unknown } };
    return Response.json({ data: previewed(data, settings) });
  };
}
