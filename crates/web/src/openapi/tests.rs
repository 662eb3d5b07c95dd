#![expect(dead_code, reason = "samples are declared to be read and described, not to be used")]

use super::*;
use crate::{Body, Data, Deleted, List, Listing, Path, Result};
use frontdesk_kernel::{Id, Scope, Text};

enum ThingTag {}
type ThingId = Id<ThingTag>;

crate::resource! {
    /// A thing.
    struct Thing { id: ThingId, name: String }
}

crate::input! {
    /// What a thing is made from.
    struct NewThing {
        /// What it is called.
        name: Text<80>,
    }
}

crate::filters! {
    struct ThingFilters { q: Option<Text<100>> }
}

async fn list(_: Listing<ThingFilters>) -> Result<List<Thing>> {
    Ok(List::all(Vec::new()))
}

async fn make(Body(_): Body<NewThing>) -> Result<Data<Thing>> {
    Err(crate::Failure::internal())
}

async fn delete(Path(id): Path<ThingId>) -> Result<Data<Deleted>> {
    Ok(Data(Deleted::new(id)))
}

fn sample() -> Value {
    let table = Table::<()>::new(vec![
        Route::get("/things", "listThings", list)
            .scope(Scope::ContactsRead)
            .summary("List things")
            .tag("Things"),
        Route::post("/things", "createThing", make)
            .scope(Scope::ContactsWrite)
            .units(5)
            .idempotent()
            .created()
            .fails(&[StatusCode::PAYMENT_REQUIRED])
            .notes("At length.")
            .tag("Things"),
        Route::delete("/things/{id}", "deleteThing", delete),
    ]);
    let paths = vec![("/healthz".into(), json!({ "get": { "security": [] } }))];
    document(&table, DocumentExtras { paths, ..DocumentExtras::default() })
}

fn names(parameters: &Value) -> Vec<&str> {
    parameters
        .as_array()
        .unwrap()
        .iter()
        .map(|parameter| parameter["name"].as_str().unwrap_or("(shared)"))
        .collect()
}

fn statuses(operation: &Value) -> Vec<&str> {
    operation["responses"].as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn operations_are_described_by_their_routes_and_signatures() {
    let document = sample();
    let list = &document["paths"]["/api/v1/things"]["get"];
    assert_eq!(list["operationId"], "listThings");
    assert_eq!((&list["x-scope"], &list["x-units"]), (&json!("contacts:read"), &json!(1)));
    assert_eq!(names(&list["parameters"]), ["q", "cursor", "limit"]);
    assert_eq!(statuses(list), ["200", "400", "401", "403", "429", "500", "503"]);
    let body = &list["responses"]["200"]["content"]["application/json"]["schema"];
    assert_eq!(*body, json!({ "$ref": "#/components/schemas/ThingList" }));
    let rows = &document["components"]["schemas"]["ThingList"]["properties"]["data"];
    assert_eq!(rows["items"], json!({ "$ref": "#/components/schemas/Thing" }));

    let make = &document["paths"]["/api/v1/things"]["post"];
    assert_eq!(names(&make["parameters"]), ["(shared)"]);
    assert_eq!(make["requestBody"]["required"], true);
    assert_eq!(make["description"], "At length.");
    let expected =
        ["201", "400", "401", "402", "403", "404", "409", "413", "415", "422", "429", "500", "503"];
    assert_eq!(statuses(make), expected);

    let delete = &document["paths"]["/api/v1/things/{id}"]["delete"];
    assert_eq!(delete["operationId"], "deleteThing");
    assert_eq!(names(&delete["parameters"]), ["id"]);
    assert!(delete.get("x-scope").is_none());
    assert!(document["paths"]["/healthz"]["get"].is_object());
}

#[test]
fn every_response_has_an_example() {
    let thing = json!({ "id": "x", "name": "Chair" });
    let table = Table::<()>::new(vec![
        Route::get("/things", "listThings", list),
        Route::delete("/things/{id}", "deleteThing", delete),
    ]);
    let document = document(
        &table,
        DocumentExtras { examples: &[("Thing", thing.clone())], ..DocumentExtras::default() },
    );
    let success = |path: &str, method: &str| {
        document["paths"][path][method]["responses"]["200"]["content"]["application/json"]["example"].clone()
    };
    assert_eq!(success("/api/v1/things", "get")["data"], json!([thing]));
    assert_eq!(success("/api/v1/things/{id}", "delete")["data"]["deleted"], true);
    for (name, response) in document["components"]["responses"].as_object().unwrap() {
        let example = &response["content"]["application/json"]["example"]["error"];
        assert!(example["code"].is_string() && example["message"].is_string(), "{name}");
    }
}

#[test]
fn every_reference_leads_somewhere() {
    fn walk(value: &Value, visit: &mut impl FnMut(&str)) {
        match value {
            Value::Object(fields) => {
                if let Some(Value::String(reference)) = fields.get("$ref") {
                    visit(reference);
                }
                fields.values().for_each(|inner| walk(inner, visit));
            }
            Value::Array(items) => items.iter().for_each(|inner| walk(inner, visit)),
            _ => {}
        }
    }
    let document = sample();
    let mut seen = 0;
    walk(&document, &mut |reference| {
        seen += 1;
        assert!(document.pointer(&reference[1..]).is_some(), "{reference}");
    });
    assert!(seen > 20);
}

#[test]
fn the_document_is_the_same_every_time() {
    assert_eq!(sample().to_string(), sample().to_string());
}

#[test]
#[should_panic(expected = "two types are called Thing")]
fn one_name_for_two_types_is_refused() {
    mod elsewhere {
        crate::resource! {
            pub(super) struct Thing { pub other: bool }
        }
    }
    async fn other() -> Result<Data<elsewhere::Thing>> {
        Ok(Data(elsewhere::Thing { other: true }))
    }
    document(
        &Table::<()>::new(vec![Route::get("/a", "listA", list), Route::get("/b", "listB", other)]),
        DocumentExtras::default(),
    );
}

#[test]
fn webhooks_are_described_with_the_schemas_that_they_add() {
    let table = Table::<()>::new(vec![Route::get("/things", "listThings", list)]);
    let write = |components: &mut Components| {
        let schema = components.add("ThingEvent", json!({ "type": "object" }));
        let body = json!({ "content": { "application/json": { "schema": schema } } });
        vec![("thing.made".to_owned(), json!({ "post": { "requestBody": body } }))]
    };
    let document = document(&table, DocumentExtras { webhooks: Some(&write), ..DocumentExtras::default() });
    let body = &document["webhooks"]["thing.made"]["post"]["requestBody"]["content"]["application/json"];
    assert_eq!(body["schema"], json!({ "$ref": "#/components/schemas/ThingEvent" }));
    assert_eq!(document["components"]["schemas"]["ThingEvent"], json!({ "type": "object" }));
}
