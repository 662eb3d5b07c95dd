// Creates a contact and sends it a message, with types generated from the OpenAPI document. It is only type-checked.

import createClient from "openapi-fetch";
import type { components, paths, webhooks } from "./frontdesk.js";

type Contact = components["schemas"]["Contact"];
type ContactList = components["schemas"]["ContactList"];
type Event = components["schemas"]["Event"];
type DealMoved = webhooks["deal.stage_changed"]["post"]["requestBody"]["content"]["application/json"];

const client = createClient<paths>({ baseUrl: "http://localhost:8080", headers: { Authorization: "Bearer key" } });

export async function createContact(name: string, phone: string): Promise<Contact> {
  const { data, error } = await client.POST("/api/v1/contacts", { body: { name, phone } });
  if (error) throw new Error(error.error.message);
  return data.data;
}

export async function sendText(phone: string, text: string): Promise<string> {
  const { data, error } = await client.POST("/api/v1/messages", {
    params: { header: { "Idempotency-Key": "order-4711" } },
    body: { type: "text", to: { phone, channel: "whatsapp" }, text },
  });
  if (error) throw new Error(error.error.message);
  return data.data.id;
}

export async function refused(phone: string): Promise<void> {
  // @ts-expect-error A text message has no template.
  await client.POST("/api/v1/messages", { body: { type: "text", to: { phone }, template: { name: "x" } } });
  // @ts-expect-error No message has this type.
  await client.POST("/api/v1/messages", { body: { type: "fax", to: { phone }, text: "x" } });
}

export async function firstPage(tagId: string): Promise<ContactList> {
  const { data, error } = await client.GET("/api/v1/contacts", { params: { query: { tag_id: tagId, limit: 50 } } });
  if (error) throw new Error(error.error.message);
  return data;
}

export function stageLeft(event: Event): string | undefined {
  // @ts-expect-error Which fields there are depends on the type of the event.
  if (event.event_type !== "deal.stage_changed") return event.data.previous.stage_id;
  const moved: DealMoved = event;
  return moved.data.previous.stage_id;
}
