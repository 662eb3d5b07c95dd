use std::path::PathBuf;

use serde_json::{Value, json};

use super::*;
use crate::read;

fn document() -> Value {
    let path = format!("{}/../../openapi.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The content of a generated file, after a change of the document.
fn file(name: &str, change: impl FnOnce(&mut Value)) -> String {
    let mut document = document();
    change(&mut document);
    let files = files(&read::model(&document));
    let path = PathBuf::from(PACKAGE).join(name);
    let found = files.into_iter().find(|(each, _)| *each == path);
    found.unwrap_or_else(|| panic!("there is no {}", path.display())).1
}

#[track_caller]
fn assert_has(text: &str, part: &str) {
    assert!(text.contains(part), "there is no\n{part}\nin\n{text}");
}

#[test]
fn an_operation_is_a_method_of_both_twins() {
    let tags = file("resources/tags.py", |_| {});
    assert_has(&tags, "class TagsResource(Resource):");
    assert_has(&tags, "    def create(self, *, name: str, color: str | None | NotGiven = NOT_GIVEN) -> Tag:");
    assert_has(
        &tags,
        "        return self._call(Tag, \"POST\", \"/api/v1/tags\", body={\"name\": name, \"color\": color})",
    );
    assert_has(&tags, "    async def create(self, *, name: str,");
    assert_has(&tags, "        return await self._call(Tag, ");
}

#[test]
fn a_new_route_is_a_new_method() {
    let tags = file("resources/tags.py", |document| {
        let mut archive = document["paths"]["/api/v1/tags/{id}"]["delete"].clone();
        archive["operationId"] = json!("archiveTag");
        document["paths"]["/api/v1/tags/{id}/archive"]["post"] = archive;
    });
    assert_has(&tags, "    def archive(self, tag_id: str) -> Deleted:");
    assert_has(&tags, "path_to(\"/api/v1/tags/{id}/archive\", tag_id)");
}

#[test]
fn a_new_event_is_a_new_class_of_the_union() {
    let events = file("types/events.py", |document| {
        let name = "TagFadedEvent";
        let mut schema = document["components"]["schemas"]["ContactCreatedEvent"].clone();
        schema["properties"]["event_type"]["const"] = json!("tag.faded");
        document["components"]["schemas"][name] = schema;
        let mut webhook = document["webhooks"]["contact.created"].clone();
        let pointer = json!(format!("#/components/schemas/{name}"));
        webhook["post"]["requestBody"]["content"]["application/json"]["schema"]["$ref"] = pointer.clone();
        document["webhooks"]["tag.faded"] = webhook;
        document["components"]["schemas"]["Event"]["oneOf"]
            .as_array_mut()
            .unwrap()
            .push(json!({ "$ref": pointer }));
    });
    assert_has(&events, "class TagFadedEvent(EventEnvelope):");
    assert_has(&events, "    event_type: Literal[\"tag.faded\"]");
    assert_has(&events, "    | TagFadedEvent\n");
    assert_has(&events, "    | UnknownEvent\n");
}

#[test]
fn received_words_may_be_unknown_and_sent_ones_may_not() {
    assert_has(&file("types/deals.py", |_| {}), "    status: DealStatus | str\n");
    assert_has(&file("resources/deals.py", |_| {}), "        status: DealStatus | None = None,\n");
}

#[test]
fn an_argument_of_the_path_gives_way_to_a_field_of_the_same_name() {
    assert_has(
        &file("resources/contacts.py", |_| {}),
        "    def merge(self, id: str, *, contact_id: str) -> Contact:",
    );
}

#[test]
fn a_keyword_gets_an_underscore() {
    assert_has(&file("types/ai.py", |_| {}), "    from_: str\n");
    assert_has(&file("resources/ai.py", |_| {}), "\"from\": from_");
}

#[test]
fn text_of_the_api_cannot_end_a_docstring_or_a_literal() {
    let text = "Ends with \"\"\" and \\ and a \"quote\"";
    let tags = file("types/tags.py", |document| {
        document["components"]["schemas"]["Tag"]["description"] = json!(text);
        document["components"]["schemas"]["Tag"]["properties"]["name"]["const"] = json!("a\"b\\c\nd");
    });
    assert_has(&tags, "    \"\"\"Ends with ''' and \\\\ and a \"quote\".\"\"\"\n");
    assert_has(&tags, "    name: Literal[\"a\\\"b\\\\c\\nd\"]\n");
}

#[test]
fn no_line_is_too_long() {
    for (path, content) in files(&read::model(&document())) {
        for line in content.lines() {
            assert!(line.chars().count() <= 120, "{}: {line}", path.display());
        }
    }
}

#[test]
fn a_sample_is_what_a_person_would_write() {
    let model = read::model(&document());
    let sample = |id: &str| sample(model.operations().find(|operation| operation.id == id).unwrap());
    assert_eq!(sample("getContact"), "contact = client.contacts.get(contact_id)");
    assert_eq!(sample("listContacts"), "for contact in client.contacts.list(q=\"ann\"):\n    print(contact)");
    assert_eq!(sample("deleteTag"), "client.tags.delete(tag_id)");
    assert_eq!(sample("uploadMedia"), "result = client.media.upload(b\"Hello\", filename=\"hello.txt\")");
}
