//! Every filter of every list, taken from the OpenAPI document: empty, unknown, alone, and with every other.
//!
//! Lists put their SQL together from the filters that are given, and segments from their rules, so this walk is also
//! what shows that both engines understand every such statement.

use frontdesk_e2e::{App, Client, Engine, on_every_engine};
use serde_json::{Value, json};

use crate::broadcasts_scene::hello;
use crate::inbox_scene::{a_number, reachable};
use crate::lists::{LISTS, OPENED};
use crate::people::{add, encoded, tag};
use crate::receiver::reaching;
use crate::shapes::{NOTHING, text};

on_every_engine! {
    an_empty_filter_is_a_bad_request_and_an_empty_search_is_none,
    an_unknown_value_of_a_closed_set_is_a_bad_request,
    every_filter_works_alone_and_with_every_other,
    every_rule_of_a_segment_is_understood,
}

/// A list: where it is, and the parameters that it takes.
struct Listed {
    path: String,
    parameters: Vec<Parameter>,
}

struct Parameter {
    name: String,
    schema: Value,
}

/// Every list of the document that takes parameters, opened.
fn lists(app: &App, client: &Client) -> Vec<Listed> {
    let document = app.anonymous().vendors().get("/openapi.json").expect(200).json;
    let mut found = Vec::new();
    for (path, item) in document["paths"].as_object().expect("paths") {
        let Some(route) = path.strip_prefix("/api/v1") else { continue };
        let all = item["get"]["parameters"].as_array().cloned().unwrap_or_default();
        let asked = all.iter().map(|parameter| resolved(&document, parameter));
        let parameters: Vec<Parameter> = asked
            .filter(|parameter| parameter["in"] == "query")
            .map(|parameter| Parameter {
                name: text(&parameter["name"]).to_owned(),
                schema: resolved(&document, &parameter["schema"]),
            })
            .collect();
        if parameters.is_empty() {
            continue;
        }
        let path = match LISTS.iter().find(|list| list.route == route) {
            Some(list) => {
                let path = (list.open)(client);
                (list.add)(client, &path);
                path
            }
            // Nobody can be added to it.
            None if route == "/broadcasts/{id}/recipients" => recipients(client),
            None => match OPENED.iter().find(|list| list.route == route) {
                Some(list) => (list.open)(client),
                None => route.to_owned(),
            },
        };
        assert!(!path.contains('{'), "{route} has parameters: add it to the walk over paged lists");
        found.push(Listed { path, parameters });
    }
    assert!(found.len() >= LISTS.len(), "only {} lists were found", found.len());
    found
}

/// The recipients of a broadcast that does not start.
#[track_caller]
fn recipients(client: &Client) -> String {
    let mut body = hello(json!({ "type": "phones", "phones": [a_number()] }));
    body["schedule_at"] = json!("2999-01-01T00:00:00Z");
    format!("/broadcasts/{}/recipients", client.post("/broadcasts", body).expect(202).id())
}

fn resolved(document: &Value, schema: &Value) -> Value {
    match schema["$ref"].as_str().and_then(|path| path.strip_prefix('#')) {
        Some(path) => document.pointer(path).unwrap_or_else(|| panic!("{path} is not there")).clone(),
        None => schema.clone(),
    }
}

fn scene(engine: Engine) -> (App, Client) {
    let app = reaching(engine).ready();
    let client = reachable(&app).client;
    (app, client)
}

fn an_empty_filter_is_a_bad_request_and_an_empty_search_is_none(engine: Engine) {
    let (app, client) = scene(engine);
    for Listed { path, parameters } in lists(&app, &client) {
        // An empty cursor is that of the first page, as loops over pages send it.
        for Parameter { name, .. } in parameters.into_iter().filter(|parameter| parameter.name != "cursor") {
            for empty in [format!("{name}="), format!("{name}=%20"), name.clone()] {
                let response = client.get(&format!("{path}?{empty}"));
                if name == "q" && path == "/messages" {
                    // There it is not optional.
                    response.expect(400).error("bad_request");
                    continue;
                }
                if name == "q" {
                    assert_eq!(response.expect(200).json["data"], client.get(&path).expect(200).json["data"]);
                    continue;
                }
                let response = response.expect(400);
                let message = text(&response.error("bad_request")["message"]);
                assert!(message.contains(&name), "{path}?{empty} got {message}");
            }
        }
    }
}

fn an_unknown_value_of_a_closed_set_is_a_bad_request(engine: Engine) {
    let (app, client) = scene(engine);
    let mut closed = 0;
    for Listed { path, parameters } in lists(&app, &client) {
        for Parameter { name, schema } in parameters {
            let closed_by_name = ["status", "channel", "handler", "direction", "type", "event_type", "kind"];
            let words = schema["enum"].as_array();
            assert!(
                words.is_some() || !closed_by_name.contains(&name.as_str()),
                "{path}?{name} names no set of values"
            );
            if words.is_some() {
                closed += 1;
                let response = client.get(&format!("{path}?{name}=moon.full")).expect(400);
                let message = text(&response.error("bad_request")["message"]);
                assert!(message.contains(&name), "{message}");
            }
        }
    }
    assert!(closed >= 10, "{closed}");
}

fn every_filter_works_alone_and_with_every_other(engine: Engine) {
    let (app, client) = scene(engine);
    for Listed { path, parameters } in lists(&app, &client) {
        // A cursor fits the filters that it came with alone; the walk of cursors shows that.
        let filters = parameters.iter().filter(|parameter| parameter.name != "cursor");
        let samples: Vec<Vec<String>> = filters.map(|filter| samples(&client, &path, filter)).collect();
        for (at, values) in samples.iter().enumerate() {
            for value in values {
                works(&client, &path, &[value]);
                for others in &samples[at + 1..] {
                    works(&client, &path, &[value, &others[0]]);
                }
            }
        }
        let all: Vec<&String> = samples.iter().map(|values| &values[0]).collect();
        works(&client, &path, &all);
    }
}

/// Whatever it finds, the list was found.
#[track_caller]
fn works(client: &Client, path: &str, filters: &[&String]) {
    let mut query: Vec<&str> = filters.iter().map(|filter| filter.as_str()).collect();
    if path == "/messages" && !query.concat().contains("q=") {
        query.push("q=hello");
    }
    let response = client.get(&format!("{path}?{}", query.join("&")));
    // There is no segment of the id that is asked for.
    let known = response.status == 200 || (response.status == 404 && query.concat().contains("segment_id"));
    assert!(known, "{path}?{} got {}", query.join("&"), response.text);
}

/// Values that a parameter takes.
fn samples(client: &Client, path: &str, Parameter { name, schema }: &Parameter) -> Vec<String> {
    let values: Vec<String> = match (name.as_str(), schema["enum"].as_array()) {
        (_, Some(words)) => words.iter().map(|word| text(word).to_owned()).collect(),
        ("after", _) => {
            let first = client.get(path).expect(200).data()[0]["event_id"].clone();
            vec![text(&first).to_owned()]
        }
        ("phone", _) => vec!["+14155550123".to_owned()],
        ("email", _) => vec!["ann@example.com".to_owned()],
        ("q", _) => ["a", "an", "ann", "ann lee", "4155", "%"].map(str::to_owned).to_vec(),
        _ => match (text_or(&schema["type"]), text_or(&schema["format"])) {
            ("boolean", _) => vec!["true".to_owned(), "false".to_owned()],
            ("integer", _) => vec!["7".to_owned()],
            (_, "uuid") => vec![NOTHING.to_owned()],
            (_, "date-time") => vec!["2026-01-31T12:00:00Z".to_owned()],
            (_, "date") => vec!["2026-01-31".to_owned()],
            ("string", "") => vec!["en".to_owned()],
            other => panic!("{path}?{name} is {other:?}: give the walk a value of it"),
        },
    };
    values.iter().map(|value| format!("{name}={}", encoded(value))).collect()
}

fn text_or(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn every_rule_of_a_segment_is_understood(app: App) {
    let client = app.tenant().client;
    let tagged = tag(&client, "vip");
    add(&client, json!({ "name": "Ann", "phone": "+14155550123", "tag_ids": [tagged] }));
    let field = |kind: &str, options: Value| {
        let body = json!({ "name": kind, "type": kind, "options": options });
        format!("custom_field:{}", client.post("/custom-fields", body).expect(201).id())
    };
    let custom = [
        field("text", Value::Null),
        field("number", Value::Null),
        field("date", Value::Null),
        field("boolean", Value::Null),
        field("select", json!(["a", "b"])),
    ];
    let plain =
        ["name", "phone", "email", "company", "tag", "created_at", "last_inbound_at", "channel", "opted_out"];
    let ops =
        ["is", "is_not", "contains", "starts_with", "is_set", "is_not_set", "before", "after", "within_days"];
    let values = [
        json!("a"),
        json!("+14155550123"),
        json!("4155"),
        json!(tagged),
        json!("whatsapp"),
        json!(true),
        json!(false),
        json!("true"),
        json!(7),
        json!("7"),
        json!("2026-01-31"),
        json!("2026-01-31T12:00:00Z"),
    ];
    let mut segments = 0;
    for field in plain.iter().map(ToString::to_string).chain(custom) {
        let mut understood = 0;
        for op in ops {
            let with_value = values.iter().map(|value| json!({ "field": field, "op": op, "value": value }));
            let rules: Vec<Value> = with_value.chain([json!({ "field": field, "op": op })]).collect();
            // The first value of each shape is enough for the text of the statement.
            let taken: Vec<Value> =
                rules.into_iter().filter(|rule| counts(&client, &json!([rule]))).collect();
            understood += taken.len();
            segments += 1;
            for (rule, matched) in taken.iter().zip(["all", "any"].iter().cycle()) {
                let rules = json!([rule, { "field": "name", "op": "is_set" }]);
                let made = client.post("/segments", json!({ "name": "S", "match": matched, "rules": rules }));
                let id = made.expect(201).id();
                client.get(&format!("/contacts?segment_id={id}")).expect(200);
                client.get(&format!("/contacts?segment_id={id}&q=ann")).expect(200);
                client.delete(&format!("/segments/{id}")).expect(200);
            }
        }
        assert!(understood > 0, "no rule of {field} was taken");
    }
    assert_eq!(segments, (plain.len() + 5) * ops.len());
}

/// Whether the rule is one that a segment may have. Nothing but that may be wrong with it.
fn counts(client: &Client, rules: &Value) -> bool {
    let response = client.post("/segments", json!({ "name": "S", "rules": rules }));
    if response.status == 201 {
        client.delete(&format!("/segments/{}", response.id())).expect(200);
        return true;
    }
    response.expect(400).error("validation_error");
    false
}
