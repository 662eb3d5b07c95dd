//! Events in the OpenAPI document: a schema for each type, `Event` as one of them, and a webhook for each.

use frontdesk_web::{Components, Describe, example};
use serde_json::{Map, Value, json};

use super::{API_VERSION, Catalogue, EXAMPLE, Event, EventDeclaration, PUBLIC_PATTERN};

const EVENT: &str = "Event";
pub(crate) const EVENT_TYPE: &str = "EventType";
pub(crate) const EVENT_PATTERN: &str = "EventPattern";

impl Describe for Event {
    fn schema(_: &mut Components) -> Value {
        Components::reference(EVENT)
    }
}

/// Writes the schemas of all events, and returns a webhook for each type.
pub fn describe(catalogue: &Catalogue, components: &mut Components) -> Vec<(String, Value)> {
    let names: Vec<&str> = catalogue.iter().map(|declared| declared.name).collect();
    components.add(
        EVENT_TYPE,
        json!({ "type": "string", "enum": names, "description": "A kind of event. `GET /event-types` describes them." }),
    );
    components.add(
        EVENT_PATTERN,
        json!({
            "type": "string", "enum": catalogue.patterns(),
            "description": "An event type, a group such as `contact.*`, or `*`.",
        }),
    );
    let (mut choices, mut mapping, mut webhooks) = (Vec::new(), Map::new(), Vec::new());
    for declared in catalogue.iter() {
        let schema = envelope(declared, components);
        mapping.insert(declared.name.to_owned(), schema["$ref"].clone());
        webhooks.push((declared.name.to_owned(), webhook(declared, &schema)));
        choices.push(schema);
    }
    components.add(
        EVENT,
        json!({
            "oneOf": choices,
            "discriminator": { "propertyName": "event_type", "mapping": mapping },
            "description": "An event. `event_type` determines the fields of `data`.",
        }),
    );
    webhooks
}

/// `contact.stage_changed` as `ContactStageChanged`.
fn pascal(name: &str) -> String {
    let words = name.split(['.', '_']).map(|word| {
        let (first, rest) = word.split_at(word.len().min(1));
        format!("{}{rest}", first.to_uppercase())
    });
    words.collect()
}

fn envelope(declared: &EventDeclaration, components: &mut Components) -> Value {
    let uuid = json!({ "type": "string", "format": "uuid" });
    let properties = json!({
        "event_id": {
            "type": "string", "pattern": PUBLIC_PATTERN,
            "description": "The same on every attempt and for every endpoint: `evt_` and 32 hexadecimal digits.",
        },
        "event_type": { "type": "string", "const": declared.name },
        "created_at": frontdesk_kernel::Timestamp::schema(components),
        "account_id": uuid,
        "api_version": { "type": "string", "const": API_VERSION },
        "data": declared.schema(components),
    });
    let schema = json!({
        "type": "object",
        "description": declared.description,
        "required": ["event_id", "event_type", "created_at", "account_id", "api_version", "data"],
        "properties": properties,
    });
    components.add(&format!("{}Event", pascal(declared.name)), schema)
}

/// An event of this type, with the data of its example.
pub fn example_of(declared: &EventDeclaration) -> Value {
    json!({
        "event_id": EXAMPLE, "event_type": declared.name, "created_at": example::MOMENT,
        "account_id": example::id::<()>(), "api_version": API_VERSION, "data": declared.example(),
    })
}

fn webhook(declared: &EventDeclaration, schema: &Value) -> Value {
    let header = |name: &str, description: &str| {
        json!({
            "name": name, "in": "header", "required": true, "description": description,
            "schema": { "type": "string" },
        })
    };
    json!({
        "post": {
            "operationId": format!("receive{}", pascal(declared.name)),
            "summary": declared.description,
            "description": "Sent to every webhook endpoint that subscribed to this event type.",
            "tags": ["Webhooks"],
            "security": [],
            "parameters": [
                header("webhook-id", "The event's id. The same on every attempt: use it to skip repeats."),
                header("webhook-timestamp", "When this attempt was made, in Unix seconds."),
                header("webhook-signature", "Signatures by the Standard Webhooks scheme, separated by spaces."),
            ],
            "requestBody": {
                "required": true,
                "content": { "application/json": { "schema": schema, "example": example_of(declared) } },
            },
            "responses": {
                "2XX": { "description": "The delivery has succeeded." },
                "410": { "description": "The delivery has failed, and the endpoint is disabled." },
                "default": { "description": "The delivery is attempted again, up to eight times in all." },
            },
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_types_become_names_of_schemas() {
        assert_eq!(pascal("deal.stage_changed"), "DealStageChanged");
        assert_eq!(pascal("contact.opted_in"), "ContactOptedIn");
    }
}
