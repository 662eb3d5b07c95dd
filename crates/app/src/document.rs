//! The OpenAPI document of the dashboard's own routes. The dashboard's types are generated from it.

use frontdesk_inbox::web_chat::VisitorTyping;
use frontdesk_web::{Components, Describe, Input, openapi};
use serde_json::{Map, Value, json};

use crate::gate::{PREFIX, PRESENCE_PATH};
use crate::presence::{ConversationPresence, Seen, SeenReply};
use crate::table::{table, views};

const TITLE: &str = "Frontdesk dashboard";

/// Describes everything under `/app/api` but the public API's routes and the stream.
pub fn document() -> Value {
    let mut components = Components::new();
    let mut paths = openapi::paths(&table(), PREFIX, &mut components);
    for (path, item) in openapi::paths(&views(None), PREFIX, &mut components) {
        merge(&mut paths, path, &item);
    }
    merge(&mut paths, format!("{PREFIX}{PRESENCE_PATH}"), &presence(&mut components));
    // Sent by the stream, which is not a route.
    let _named = ConversationPresence::schema(&mut components);
    let _named = VisitorTyping::schema(&mut components);
    openapi::bare(TITLE, paths, components)
}

/// Adds the methods of a path to those that are already there.
fn merge(paths: &mut Map<String, Value>, path: String, item: &Value) {
    let known = paths.entry(path).or_insert_with(|| json!({}));
    for (method, operation) in item.as_object().into_iter().flatten() {
        known[method] = operation.clone();
    }
}

/// Presence is not a route: it is not stored.
fn presence(components: &mut Components) -> Value {
    let body = <Seen as Input>::schema(components);
    let reply = json!({
        "type": "object",
        "properties": { "data": <SeenReply as Describe>::schema(components) },
        "required": ["data"],
    });
    let content = |schema: Value| json!({ "application/json": { "schema": schema } });
    json!({ "post": {
        "operationId": "reportPresence",
        "summary": "Report what this member looks at",
        "requestBody": { "required": true, "content": content(body) },
        "responses": { "200": { "description": "OK", "content": content(reply) } },
    } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_route_is_described() {
        let document = document();
        let (own, views) = (table(), views(None));
        let own = own.routes().map(|route| (route.method.clone(), route.path));
        let views = views.routes().map(|route| (route.method.clone(), route.path));
        for (method, path) in own.chain(views) {
            let item = &document["paths"][format!("{PREFIX}{path}")];
            assert!(item[method.as_str().to_lowercase()].is_object(), "{method} {path}");
        }
        assert!(document["paths"][format!("{PREFIX}{PRESENCE_PATH}")]["post"].is_object());
        for streamed in ["ConversationPresence", "VisitorTyping"] {
            assert!(document["components"]["schemas"][streamed].is_object(), "{streamed}");
        }
    }
}
