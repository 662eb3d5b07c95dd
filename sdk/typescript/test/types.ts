/** What the types promise. It is compiled and never run. */
import type { Event, Frontdesk, NewMessage, NewStage, StagePatch } from "frontdesk";

/** Each type of event has its own data, and unknown ones are one more type. */
export function seen(event: Event): string | null {
  switch (event.event_type) {
    case "contact.created":
      return event.data.contact.name;
    case "message.received":
      return event.data.message.text;
    case "unknown":
      return event.raw.event_type;
    default:
      return event.event_id;
  }
}

export async function used(client: Frontdesk): Promise<void> {
  const deal = await client.deals.get("d1");
  // A word of a later version is a text like any other.
  const status: string = deal.status;
  if (deal.status === "won") await client.deals.reopen("d1");
  // @ts-expect-error there is no such status
  client.deals.list({ status: "frozen" });
  // @ts-expect-error a page has a number of rows
  client.deals.list({ limit: "2" });
  // @ts-expect-error a segment needs rules
  client.segments.create({ name: status });
  const text: NewMessage = { type: "text", to: { phone: "+14155550123" }, text: "Hello" };
  await client.messages.send(text);
  for await (const contact of client.contacts.list()) await client.contacts.listNotes(contact.id).page();
  // @ts-expect-error a list is iterated, or read by page
  (await client.contacts.list()).id;
}

// @ts-expect-error a name is required
export const stage: NewStage = { position: 1 };
// What may be left out may be null only where the API says so.
export const kept: StagePatch = { name: "Trial" };
// @ts-expect-error a stage always has a name
export const cleared: StagePatch = { name: null };
// @ts-expect-error a text has no template
export const mixed: NewMessage = { type: "text", to: { phone: "+14155550123" }, template: { name: "hello" } };
