//! Every route of the API: the scope it needs, and how to call it rightly.

mod made;

use frontdesk_e2e::Client;
use serde_json::{Value, json};

use crate::agent_scene::{asking_run, new_assistant};
use crate::broadcasts_scene::hello;
use crate::inbox_scene::{a_number, hello_to};
use crate::people::add;
use crate::receiver;
use crate::sales::{deal, inquiry, pipeline};
use made::{
    ask, assistant, bare, broadcast, called_trigger, canned_reply, contact, conversation, conversation_id,
    definition, delivered, delivery, failed_broadcast, instructed, instruction, memory, new_field, new_tag,
    new_trigger, rules, run, segment, trigger, unused, webhook, with,
};

/// A call that succeeds once `prepare` has made what it needs.
pub(crate) struct Route {
    /// `PATCH /contacts/{id}`
    pub(crate) name: &'static str,
    /// None when any good key will do.
    pub(crate) scope: Option<&'static str>,
    /// Makes what the call needs in the caller's account, and returns its path and body.
    pub(crate) prepare: fn(&Client) -> (String, Option<Value>),
}

const fn route(
    name: &'static str,
    scope: &'static str,
    prepare: fn(&Client) -> (String, Option<Value>),
) -> Route {
    Route { name, scope: if scope.is_empty() { None } else { Some(scope) }, prepare }
}

/// Paths are relative to `/api/v1`.
pub(crate) const ROUTES: &[Route] = &[
    route("GET /me", "", |_| bare("/me")),
    route("GET /event-types", "", |_| bare("/event-types")),
    route("GET /events", "webhooks:manage", |client| {
        contact(client);
        bare("/events")
    }),
    route("GET /members", "conversations:read", |_| bare("/members")),
    route("GET /contacts", "contacts:read", |client| {
        contact(client);
        bare("/contacts")
    }),
    route("POST /contacts", "contacts:write", |_| with("/contacts", json!({ "name": "Ann" }))),
    route("GET /contacts/{id}", "contacts:read", |client| bare(contact(client))),
    route("PATCH /contacts/{id}", "contacts:write", |client| {
        with(contact(client), json!({ "name": "Eve", "company": null }))
    }),
    route("DELETE /contacts/{id}", "contacts:write", |client| bare(contact(client))),
    route("POST /contacts/{id}/merge", "contacts:write", |client| {
        let other = add(client, json!({ "name": "Annie" }));
        with(format!("{}/merge", contact(client)), json!({ "contact_id": other }))
    }),
    // Bookings are made by calendars; the walk makes one.
    route("GET /bookings", "contacts:read", |_| bare("/bookings")),
    route("POST /contacts/{id}/tags", "contacts:write", |client| {
        let vip = new_tag(client);
        with(format!("{}/tags", contact(client)), json!({ "tag_ids": [vip] }))
    }),
    route("DELETE /contacts/{id}/tags/{tag_id}", "contacts:write", |client| {
        let vip = new_tag(client);
        bare(format!("/contacts/{}/tags/{vip}", add(client, json!({ "name": "Ann", "tag_ids": [vip] }))))
    }),
    route("GET /contacts/{id}/opt-out", "contacts:read", |client| {
        bare(format!("{}/opt-out", contact(client)))
    }),
    route("PUT /contacts/{id}/opt-out", "contacts:write", |client| {
        bare(format!("{}/opt-out", contact(client)))
    }),
    route("DELETE /contacts/{id}/opt-out", "contacts:write", |client| {
        let path = format!("{}/opt-out", contact(client));
        client.put(&path, json!({})).expect(200);
        bare(path)
    }),
    route("GET /contacts/{id}/notes", "contacts:read", |client| {
        let path = format!("{}/notes", contact(client));
        client.post(&path, json!({ "body": "Hm." })).expect(201);
        bare(path)
    }),
    route("POST /contacts/{id}/notes", "contacts:write", |client| {
        with(format!("{}/notes", contact(client)), json!({ "body": "Hm." }))
    }),
    route("GET /tags", "contacts:read", |client| {
        new_tag(client);
        bare("/tags")
    }),
    route("POST /tags", "contacts:write", |client| with("/tags", json!({ "name": unused(client, "/tags") }))),
    route("PATCH /tags/{id}", "contacts:write", |client| {
        with(format!("/tags/{}", new_tag(client)), json!({ "color": "#abcdef" }))
    }),
    route("DELETE /tags/{id}", "contacts:write", |client| bare(format!("/tags/{}", new_tag(client)))),
    route("GET /custom-fields", "contacts:read", |client| {
        new_field(client);
        bare("/custom-fields")
    }),
    route("POST /custom-fields", "contacts:write", |client| {
        let name = unused(client, "/custom-fields");
        with("/custom-fields", json!({ "name": name, "type": "select", "options": ["gold"] }))
    }),
    route("PATCH /custom-fields/{id}", "contacts:write", |client| {
        let name = unused(client, "/custom-fields");
        with(format!("/custom-fields/{}", new_field(client)), json!({ "name": format!("{name} again") }))
    }),
    route("DELETE /custom-fields/{id}", "contacts:write", |client| {
        bare(format!("/custom-fields/{}", new_field(client)))
    }),
    route("GET /segments", "contacts:read", |client| {
        segment(client);
        bare("/segments")
    }),
    route("POST /segments", "contacts:write", |_| with("/segments", rules())),
    route("GET /segments/{id}", "contacts:read", |client| bare(segment(client))),
    route("PATCH /segments/{id}", "contacts:write", |client| {
        with(segment(client), json!({ "match": "any" }))
    }),
    route("DELETE /segments/{id}", "contacts:write", |client| bare(segment(client))),
    route("GET /pipelines", "deals:read", |_| bare("/pipelines")),
    route("POST /pipelines", "deals:write", |_| with("/pipelines", json!({ "name": "Partners" }))),
    route("GET /pipelines/{id}", "deals:read", |client| bare(pipeline(client).path)),
    route("PATCH /pipelines/{id}", "deals:write", |client| {
        with(pipeline(client).path, json!({ "name": "Others" }))
    }),
    route("DELETE /pipelines/{id}", "deals:write", |client| bare(pipeline(client).path)),
    route("POST /pipelines/{id}/stages", "deals:write", |client| {
        with(format!("{}/stages", pipeline(client).path), json!({ "name": "Trial" }))
    }),
    route("PATCH /pipelines/{id}/stages/{stage_id}", "deals:write", |client| {
        with(pipeline(client).stage_path(1), json!({ "position": 0 }))
    }),
    route("DELETE /pipelines/{id}/stages/{stage_id}", "deals:write", |client| {
        bare(pipeline(client).stage_path(1))
    }),
    route("GET /deals", "deals:read", |client| {
        deal(client, json!({ "value": 19.99 }));
        bare("/deals")
    }),
    route("POST /deals", "deals:write", |_| with("/deals", json!({ "title": "Forty chairs" }))),
    route("GET /deals/{id}", "deals:read", |client| bare(deal(client, json!({})))),
    route("PATCH /deals/{id}", "deals:write", |client| {
        with(deal(client, json!({})), json!({ "value": 0.5, "expected_close_date": "2026-02-28" }))
    }),
    route("DELETE /deals/{id}", "deals:write", |client| bare(deal(client, json!({})))),
    route("POST /deals/{id}/move", "deals:write", |client| {
        let stage = pipeline(client).stages[1].clone();
        let path = deal(client, json!({ "stage_id": stage }));
        with(format!("{path}/move"), json!({ "stage_id": stage }))
    }),
    route("POST /deals/{id}/close", "deals:write", |client| {
        with(format!("{}/close", deal(client, json!({}))), json!({ "outcome": "won" }))
    }),
    route("POST /deals/{id}/reopen", "deals:write", |client| {
        let path = deal(client, json!({}));
        client.post(&format!("{path}/close"), json!({ "outcome": "lost" })).expect(200);
        bare(format!("{path}/reopen"))
    }),
    route("GET /inquiries", "inquiries:read", |client| {
        inquiry(client);
        bare("/inquiries")
    }),
    route("POST /inquiries", "inquiries:write", |_| {
        with("/inquiries", json!({ "message": "Hello?", "fields": { "size": "M" } }))
    }),
    route("GET /inquiries/{id}", "inquiries:read", |client| bare(inquiry(client))),
    route("PATCH /inquiries/{id}", "inquiries:write", |client| {
        with(inquiry(client), json!({ "status": "spam" }))
    }),
    route("GET /inquiries/{id}/notes", "inquiries:read", |client| {
        let path = format!("{}/notes", inquiry(client));
        client.post(&path, json!({ "body": "Hm." })).expect(201);
        bare(path)
    }),
    route("POST /inquiries/{id}/notes", "inquiries:write", |client| {
        with(format!("{}/notes", inquiry(client)), json!({ "body": "Hm." }))
    }),
    route("GET /webhooks", "webhooks:manage", |client| {
        webhook(client);
        bare("/webhooks")
    }),
    route("POST /webhooks", "webhooks:manage", |_| with("/webhooks", json!({ "url": receiver::url() }))),
    route("GET /webhooks/{id}", "webhooks:manage", |client| bare(webhook(client))),
    route("PATCH /webhooks/{id}", "webhooks:manage", |client| {
        with(webhook(client), json!({ "description": "Ours" }))
    }),
    route("DELETE /webhooks/{id}", "webhooks:manage", |client| bare(webhook(client))),
    route("POST /webhooks/{id}/secret", "webhooks:manage", |client| {
        bare(format!("{}/secret", webhook(client)))
    }),
    route("POST /webhooks/{id}/test", "webhooks:manage", |client| bare(format!("{}/test", webhook(client)))),
    route("GET /webhooks/{id}/deliveries", "webhooks:manage", |client| {
        let path = delivery(client);
        bare(path.rsplit_once('/').expect("a path of several parts").0)
    }),
    route("GET /webhooks/{id}/deliveries/{delivery_id}", "webhooks:manage", |client| bare(delivery(client))),
    route("GET /webhooks/{id}/deliveries/{delivery_id}/attempts", "webhooks:manage", |client| {
        bare(format!("{}/attempts", delivered(client)))
    }),
    route("POST /webhooks/{id}/deliveries/{delivery_id}/retry", "webhooks:manage", |client| {
        bare(format!("{}/retry", delivered(client)))
    }),
    route("POST /webhooks/{id}/replay", "webhooks:manage", |client| {
        let path = delivery(client);
        let hook = path.split_once("/deliveries").expect("a delivery's path").0;
        with(format!("{hook}/replay"), json!({ "since": "2026-01-31T12:00:00Z", "status": "all" }))
    }),
    route("GET /broadcasts", "broadcasts:read", |client| {
        broadcast(client);
        bare("/broadcasts")
    }),
    route("POST /broadcasts", "broadcasts:send", |_| with("/broadcasts", hello(json!({ "type": "all" })))),
    route("GET /broadcasts/{id}", "broadcasts:read", |client| bare(broadcast(client))),
    route("POST /broadcasts/{id}/schedule", "broadcasts:send", |client| {
        with(format!("{}/schedule", broadcast(client)), json!({ "schedule_at": null }))
    }),
    route("POST /broadcasts/{id}/cancel", "broadcasts:send", |client| {
        bare(format!("{}/cancel", broadcast(client)))
    }),
    route("POST /broadcasts/{id}/retry", "broadcasts:send", |client| {
        bare(format!("{}/retry", failed_broadcast(client)))
    }),
    route("GET /broadcasts/{id}/recipients", "broadcasts:read", |client| {
        bare(format!("{}/recipients", broadcast(client)))
    }),
    route("GET /channels", "", |_| bare("/channels")),
    route("GET /templates", "templates:read", |_| bare("/templates")),
    route("GET /conversations", "conversations:read", |client| {
        conversation(client);
        bare("/conversations")
    }),
    route("GET /conversations/{id}", "conversations:read", |client| bare(conversation(client))),
    route("PATCH /conversations/{id}", "conversations:write", |client| {
        with(conversation(client), json!({ "status": "pending", "assigned_user_id": null }))
    }),
    route("POST /conversations/{id}/read", "conversations:write", |client| {
        bare(format!("{}/read", conversation(client)))
    }),
    route("POST /conversations/{id}/unread", "conversations:write", |client| {
        bare(format!("{}/unread", conversation(client)))
    }),
    route("POST /conversations/{id}/snooze", "conversations:write", |client| {
        with(format!("{}/snooze", conversation(client)), json!({ "until": "2999-01-01T00:00:00Z" }))
    }),
    route("GET /conversations/{id}/notes", "conversations:read", |client| {
        let path = format!("{}/notes", conversation(client));
        client.post(&path, json!({ "body": "Hm." })).expect(201);
        bare(path)
    }),
    route("POST /conversations/{id}/notes", "conversations:write", |client| {
        with(format!("{}/notes", conversation(client)), json!({ "body": "Hm.", "mentioned_user_ids": [] }))
    }),
    route("POST /conversations/bulk", "conversations:write", |client| {
        with("/conversations/bulk", json!({ "ids": [conversation_id(client)], "status": "pending" }))
    }),
    route("GET /conversations/bulk/{id}", "conversations:read", |client| {
        let body = json!({ "ids": [conversation_id(client)], "status": "pending" });
        bare(format!("/conversations/bulk/{}", client.post("/conversations/bulk", body).expect(202).id()))
    }),
    route("POST /contacts/bulk", "contacts:write", |client| {
        let body = json!({ "filter": { "q": "ann" }, "add_tag_ids": [new_tag(client)] });
        with("/contacts/bulk", body)
    }),
    route("GET /contacts/bulk/{id}", "contacts:read", |client| {
        let body = json!({ "filter": {}, "add_tag_ids": [new_tag(client)] });
        bare(format!("/contacts/bulk/{}", client.post("/contacts/bulk", body).expect(202).id()))
    }),
    route("GET /canned-replies", "conversations:read", |client| {
        canned_reply(client);
        bare("/canned-replies")
    }),
    route("POST /canned-replies", "conversations:write", |client| {
        with("/canned-replies", json!({ "shortcut": unused(client, "/canned-replies"), "body": "Hi." }))
    }),
    route("PATCH /canned-replies/{id}", "conversations:write", |client| {
        with(canned_reply(client), json!({ "body": "Hello." }))
    }),
    route("DELETE /canned-replies/{id}", "conversations:write", |client| bare(canned_reply(client))),
    route("POST /conversations/{id}/handover", "conversations:write", |client| {
        with(format!("{}/handover", conversation(client)), json!({ "to": "human" }))
    }),
    route("GET /conversations/{id}/messages", "messages:read", |client| {
        bare(format!("{}/messages", conversation(client)))
    }),
    route("GET /messages", "messages:read", |client| {
        conversation(client);
        bare("/messages?q=welcome")
    }),
    route("GET /messages/{id}", "messages:read", |client| {
        bare(format!("/messages/{}", client.post("/messages", hello_to(&a_number())).expect(201).id()))
    }),
    route("GET /messages/{id}/statuses", "messages:read", |client| {
        let id = client.post("/messages", hello_to(&a_number())).expect(201).id();
        bare(format!("/messages/{id}/statuses"))
    }),
    route("POST /messages", "messages:send", |_| with("/messages", hello_to(&a_number()))),
    route("GET /assistants", "assistants:read", |client| {
        assistant(client);
        bare("/assistants")
    }),
    route("POST /assistants", "assistants:write", |_| with("/assistants", json!({ "name": "Robin" }))),
    route("GET /assistants/{id}", "assistants:read", |client| bare(assistant(client))),
    route("PATCH /assistants/{id}", "assistants:write", |client| {
        with(assistant(client), json!({ "temperature": 0.2 }))
    }),
    route("DELETE /assistants/{id}", "assistants:write", |client| bare(assistant(client))),
    route("GET /assistants/{id}/instructions", "assistants:read", |client| {
        let (path, bound) = instructed(client);
        client.put(&path, bound).expect(200);
        bare(path)
    }),
    route("PUT /assistants/{id}/instructions", "assistants:write", |client| {
        let (path, bound) = instructed(client);
        with(path, bound)
    }),
    route("GET /assistants/{id}/tools", "assistants:read", |client| {
        bare(format!("{}/tools", assistant(client)))
    }),
    route("PUT /assistants/{id}/tools", "assistants:write", |client| {
        with(
            format!("{}/tools", assistant(client)),
            json!({ "tool_access": { "add_tag": false }, "gated_tools": [] }),
        )
    }),
    route("GET /assistants/{id}/definition", "assistants:read", |client| {
        bare(format!("{}/definition", assistant(client)))
    }),
    route("PUT /assistants/{id}/definition", "assistants:write", |client| {
        with(format!("{}/definition", assistant(client)), json!({ "definition": definition() }))
    }),
    route("POST /assistants/definition", "assistants:write", |_| {
        with("/assistants/definition", definition())
    }),
    route("POST /assistants/trial", "assistants:write", |_| {
        let messages = json!([{ "from": "customer", "text": "Hello" }]);
        with("/assistants/trial", json!({ "assistant": { "name": "Robin" }, "messages": messages }))
    }),
    route("GET /tools", "assistants:read", |_| bare("/tools")),
    route("GET /instructions", "assistants:read", |client| {
        instruction(client);
        bare("/instructions")
    }),
    route("POST /instructions", "assistants:write", |_| {
        with("/instructions", json!({ "title": "Refunds", "body": "Within 30 days." }))
    }),
    route("GET /instructions/{id}", "assistants:read", |client| bare(instruction(client))),
    route("PATCH /instructions/{id}", "assistants:write", |client| {
        with(instruction(client), json!({ "title": "Returns" }))
    }),
    route("DELETE /instructions/{id}", "assistants:write", |client| bare(instruction(client))),
    route("GET /memories", "assistants:read", |client| {
        memory(client);
        bare("/memories")
    }),
    route("POST /memories", "assistants:write", |_| {
        with("/memories", json!({ "content": "Open on Mondays." }))
    }),
    route("DELETE /memories/{id}", "assistants:write", |client| bare(memory(client))),
    route("GET /triggers", "assistants:read", |client| {
        trigger(client);
        bare("/triggers")
    }),
    route("POST /triggers", "assistants:write", |client| with("/triggers", new_trigger(client))),
    route("GET /triggers/{id}", "assistants:read", |client| bare(trigger(client))),
    route("PATCH /triggers/{id}", "assistants:write", |client| {
        with(trigger(client), json!({ "name": "Evening", "max_targets": 7 }))
    }),
    route("DELETE /triggers/{id}", "assistants:write", |client| bare(trigger(client))),
    route("POST /triggers/{id}/token", "assistants:write", |client| {
        bare(format!("{}/token", trigger(client)))
    }),
    route("GET /triggers/{id}/calls", "assistants:read", |client| {
        bare(format!("{}/calls", called_trigger(client)))
    }),
    route("POST /triggers/{id}/preview", "assistants:read", |client| {
        bare(format!("{}/preview", trigger(client)))
    }),
    route("POST /triggers/{id}/run", "runs:start", |client| bare(format!("{}/run", trigger(client)))),
    route("GET /runs", "runs:read", |client| {
        asking_run(client);
        bare("/runs")
    }),
    route("POST /runs", "runs:start", |client| {
        with("/runs", json!({ "assistant_id": new_assistant(client, json!({})), "goal": "Say hello." }))
    }),
    route("GET /runs/{id}", "runs:read", |client| bare(run(client))),
    route("GET /runs/{id}/events", "runs:read", |client| bare(format!("{}/events", run(client)))),
    route("POST /runs/{id}/cancel", "runs:start", |client| bare(format!("{}/cancel", run(client)))),
    route("GET /asks", "asks:read", |client| {
        asking_run(client);
        bare("/asks")
    }),
    route("GET /asks/{id}", "asks:read", |client| bare(ask(client))),
    route("POST /asks/{id}/answer", "asks:answer", |client| {
        with(format!("{}/answer", ask(client)), json!({ "answer": "Yes." }))
    }),
    route("GET /ai/usage", "ai:usage", |_| bare("/ai/usage")),
];
