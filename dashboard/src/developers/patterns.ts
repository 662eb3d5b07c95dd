/** Which events an endpoint gets: event types such as `contact.created`, or whole groups such as `contact.*`. */
import type { EventPattern, EventTypeInfo } from '@/api/schema';

export interface EventGroup {
  /** Such as `contact.*`. */
  pattern: EventPattern;
  types: readonly EventTypeInfo[];
}

/** Only ever sent by the test button, whatever an endpoint is subscribed to. */
const TEST_TYPE = 'webhook.test';

export function groupTypes(types: readonly EventTypeInfo[]): EventGroup[] {
  const groups = new Map<string, EventTypeInfo[]>();
  for (const type of types) {
    if (type.event_type === TEST_TYPE) continue;
    const [name = ''] = type.event_type.split('.');
    groups.set(name, [...(groups.get(name) ?? []), type]);
  }
  return [...groups].map(([name, members]) => ({ pattern: `${name}.*` as EventPattern, types: members }));
}

export type Chosen = ReadonlySet<string>;

export function hasType(chosen: Chosen, group: EventGroup, type: string): boolean {
  return chosen.has(group.pattern) || chosen.has(type);
}

/** A whole group is one pattern, so that types that are added later belong to it. */
export function toggleGroup(chosen: Chosen, group: EventGroup): Chosen {
  const others = [...chosen].filter(
    (pattern) => pattern !== group.pattern && !group.types.some((type) => type.event_type === pattern),
  );
  return new Set(chosen.has(group.pattern) ? others : [...others, group.pattern]);
}

export function toggleType(chosen: Chosen, group: EventGroup, type: string): Chosen {
  const all = group.types.map((each) => each.event_type);
  const before = chosen.has(group.pattern) ? all : all.filter((each) => chosen.has(each));
  const after = before.includes(type) ? before.filter((each) => each !== type) : [...before, type];
  const others = [...chosen].filter((pattern) => pattern !== group.pattern && !all.includes(pattern));
  return new Set([...others, ...(after.length === all.length ? [group.pattern] : after)]);
}

/** What an endpoint is subscribed to, as the form shows it: an empty list and `*` mean all events. */
export function chosenOf(patterns: readonly string[]): { all: boolean; chosen: Chosen } {
  const all = patterns.length === 0 || patterns.includes('*');
  return { all, chosen: new Set(all ? [] : patterns) };
}
