/** The HTML that shows the web chat, with the settings that it carries. Pure. */
export interface WidgetSettings {
  title: string;
  /** A hex colour; empty for the widget's own. */
  color: string;
}

export const USUAL_SETTINGS: WidgetSettings = { title: '', color: '' };

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The settings as attributes of the script, by name. Those that are as usual are left out. */
export function attributesOf({ title, color }: WidgetSettings): Array<[name: string, value: string]> {
  const all: Array<[string, string]> = [
    ['data-title', title.trim()],
    ['data-color', color],
  ];
  return all.filter(([, value]) => value !== '');
}

/** The server's snippet with the settings, before its last attribute. */
export function snippetWith(snippet: string, settings: WidgetSettings): string {
  const attributes = attributesOf(settings).map(([name, value]) => `${name}="${escaped(value)}" `);
  // A function, because `$` in a title would otherwise stand for something else.
  return snippet.replace(/async>/, () => `${attributes.join('')}async>`);
}
