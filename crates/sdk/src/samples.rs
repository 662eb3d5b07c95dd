//! A call of every operation that succeeds in an account that has what its placeholders name.
//!
//! The documentation shows these calls in each language, and a test runs what is shown.

use serde_json::{Value, json};

use crate::model::{PathParam, Sample};

/// The sample of an operation. What needs no body has one as well: its path's parameters are placeholders.
pub(crate) fn of(operation: &str, path: &[PathParam]) -> Sample {
    Sample {
        path: path.iter().map(|param| json!(format!("${}", param.name.snake()))).collect(),
        query: query(operation),
        body: body(operation),
    }
}

fn query(operation: &str) -> Vec<(String, Value)> {
    let filters = match operation {
        "listContacts" => json!({ "q": "ann" }),
        "listConversations" | "listDeals" => json!({ "status": "open" }),
        "listEvents" => json!({ "event_type": "contact.created" }),
        "listAsks" => json!({ "status": "pending" }),
        "listRuns" => json!({ "status": "running" }),
        "listTemplates" => json!({ "status": "APPROVED" }),
        "listBroadcastRecipients" => json!({ "status": "failed" }),
        // It is sent as `Last-Event-ID`.
        "streamEvents" => json!({ "after": "$event_id" }),
        "searchMessages" => json!({ "q": "welcome" }),
        "getAiUsage" => json!({ "from": "2026-01-01", "to": "2026-01-31" }),
        _ => return Vec::new(),
    };
    filters.as_object().into_iter().flatten().map(|(key, value)| (key.clone(), value.clone())).collect()
}

fn body(operation: &str) -> Option<Value> {
    people(operation).or_else(|| inbox(operation)).or_else(|| sales(operation)).or_else(|| agent(operation))
}

fn people(operation: &str) -> Option<Value> {
    Some(match operation {
        "createContact" => json!({ "name": "Ann Lee", "phone": "+14155550123", "company": "Acme" }),
        "updateContact" => json!({ "name": "Ann Smith", "company": null }),
        "mergeContact" => json!({ "contact_id": "$other_contact_id" }),
        "addContactTags" => json!({ "tag_ids": ["$tag_id"] }),
        "createContactNote" => json!({ "body": "Prefers to be called in the morning." }),
        "changeContacts" => json!({ "filter": { "q": "ann" }, "add_tag_ids": ["$tag_id"] }),
        "createTag" => json!({ "name": "vip", "color": "#2563eb" }),
        "updateTag" => json!({ "color": "#16a34a" }),
        "createCustomField" => json!({ "name": "Plan", "type": "select", "options": ["silver", "gold"] }),
        "updateCustomField" => json!({ "name": "Plan of the customer" }),
        "createSegment" => json!({
            "name": "At Acme", "match": "all", "rules": [{ "field": "company", "op": "is", "value": "Acme" }],
        }),
        "updateSegment" => json!({ "match": "any" }),
        "createWebhook" => json!({ "url": "$webhook_url", "event_types": ["message.received", "deal.*"] }),
        "updateWebhook" => json!({ "description": "Our shop" }),
        "replayDeliveries" => json!({ "since": "2026-01-31T12:00:00.000Z", "status": "all" }),
        _ => return None,
    })
}

fn inbox(operation: &str) -> Option<Value> {
    Some(match operation {
        "sendMessage" => json!({
            "type": "template", "to": { "phone": "+14155550123" }, "template": { "name": "hello_world" },
        }),
        "updateConversation" => json!({ "status": "pending", "assigned_user_id": null }),
        "changeConversations" => json!({ "ids": ["$conversation_id"], "status": "pending" }),
        "handOverConversation" => json!({ "to": "human" }),
        "snoozeConversation" => json!({ "until": "2999-01-01T09:00:00.000Z" }),
        "createConversationNote" => json!({ "body": "Asked for a refund." }),
        "createCannedReply" => json!({ "shortcut": "thanks", "body": "Thank you, {{contact.name}}!" }),
        "updateCannedReply" => json!({ "body": "Thanks a lot, {{contact.name}}!" }),
        "createBroadcast" => json!({
            "name": "Opening", "template": { "name": "hello_world" }, "audience": { "type": "all" },
        }),
        "scheduleBroadcast" => json!({ "schedule_at": "2999-01-01T09:00:00.000Z" }),
        "retryBroadcast" => json!({ "include_unknown": false }),
        _ => return None,
    })
}

fn sales(operation: &str) -> Option<Value> {
    Some(match operation {
        "createDeal" => json!({ "title": "Forty chairs", "value": 1200.5, "currency": "EUR" }),
        "updateDeal" => json!({ "value": 1500, "expected_close_date": "2026-02-28" }),
        "moveDeal" => json!({ "stage_id": "$stage_id" }),
        "closeDeal" => json!({ "outcome": "won" }),
        "createPipeline" => json!({
            "name": "Partners", "stages": [{ "name": "Contacted", "probability": 10 }, { "name": "Agreed", "probability": 80 }],
        }),
        "updatePipeline" => json!({ "name": "Resellers" }),
        "createStage" => json!({ "name": "Trial", "probability": 40 }),
        "updateStage" => json!({ "position": 0 }),
        "createInquiry" => {
            json!({ "name": "Ann Lee", "message": "Do you have it in blue?", "fields": { "size": "M" } })
        }
        "updateInquiry" => json!({ "status": "spam" }),
        "createInquiryNote" => json!({ "body": "Sent the price list." }),
        _ => return None,
    })
}

fn agent(operation: &str) -> Option<Value> {
    Some(match operation {
        "createAssistant" => {
            json!({ "name": "Robin", "system_prompt": "You answer questions about opening hours." })
        }
        "updateAssistant" => json!({ "temperature": 0.2 }),
        "setAssistantInstructions" => json!({ "instruction_ids": ["$instruction_id"] }),
        "setAssistantTools" => json!({ "tool_access": { "add_tag": true }, "gated_tools": ["add_tag"] }),
        "createAssistantDefinition" => definition(),
        "replaceAssistantDefinition" => json!({ "definition": definition() }),
        "tryNewAssistant" => json!({
            "assistant": { "name": "Robin", "system_prompt": "You sell oak tables." },
            "messages": [{ "from": "customer", "text": "Hello" }],
        }),
        "createInstruction" => json!({ "title": "Refunds", "body": "Within 30 days." }),
        "updateInstruction" => json!({ "title": "Returns" }),
        "createMemory" => json!({ "content": "Open on Mondays." }),
        "createTrigger" => json!({
            "assistant_id": "$assistant_id", "name": "New order", "kind": "webhook", "goal": "Thank the customer.",
        }),
        "updateTrigger" => json!({ "name": "Order", "max_targets": 7 }),
        "startRun" => json!({ "assistant_id": "$assistant_id", "goal": "Say hello." }),
        "answerAsk" => json!({ "answer": "Yes." }),
        _ => return None,
    })
}

/// Everything that an assistant is.
fn definition() -> Value {
    json!({
        "assistant": { "name": "Robin", "system_prompt": "You answer questions about opening hours." },
        "instructions": [{ "title": "Refunds", "body": "Within 30 days." }],
    })
}
