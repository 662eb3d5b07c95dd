#![expect(dead_code, reason = "samples are declared to be read and described, not to be used")]

use super::*;
use crate::{Body, Data, Failure, Given, Items, List, Listing, Path, Result, Route, Table, openapi};
use frontdesk_kernel::{Id, Phone, Scope, Text};
use serde_json::json;

enum ThingTag {}

crate::choice! {
    /// How it is.
    enum Mood { Good => "good", Bad => "bad" }
}

crate::resource! {
    /// A thing & its `name`.
    struct Thing { id: Id<ThingTag>, mood: Option<Mood>, parts: Vec<Part> }
}

crate::resource! {
    struct Part { name: String }
}

crate::input! {
    struct Numbers { phones: Items<Phone, 5> }
}

crate::input! {
    struct Everyone {}
}

crate::tagged! {
    /// Who.
    enum Audience by "type" { "phones" => Numbers(Numbers), "all" => Everyone(Everyone) }
}

crate::input! {
    struct NewThing {
        /// Not <script>alert(1)</script>.
        name: Text<80>,
        audience: Audience,
        mood: Option<Mood>,
    }
}

crate::input! {
    struct ThingChanges { name: Given<Text<80>> }
}

async fn list(_: Listing<()>) -> Result<List<Thing>> {
    Ok(List::all(Vec::new()))
}

async fn make(_: Body<NewThing>) -> Result<Data<Thing>> {
    Err(Failure::internal())
}

async fn change(_: Path<Id<ThingTag>>, _: Option<Body<ThingChanges>>) -> Result<Data<Thing>> {
    Err(Failure::internal())
}

fn sample() -> String {
    page(&document(), None)
}

fn document() -> Value {
    let table = Table::<()>::new(vec![
        Route::get("/things", "listThings", list)
            .scope(Scope::ContactsRead)
            .summary("List things")
            .tag("Things"),
        Route::post("/things", "createThing", make)
            .summary("Make a thing")
            .tag("Things")
            .units(5)
            .idempotent()
            .created(),
        Route::patch("/things/{id}", "updateThing", change).summary("Change a thing").tag("Things"),
    ]);
    let health = json!({ "get": { "summary": "Is it up?", "security": [], "responses": { "200": { "description": "Yes" } } } });
    let beside = openapi::DocumentExtras {
        paths: vec![("/healthz".into(), health)],
        ..openapi::DocumentExtras::default()
    };
    openapi::document(&table, beside)
}

#[test]
fn an_operation_shows_all_that_is_known_of_it() {
    let page = sample();
    for part in [
        "<h2>Things</h2>",
        "<h2>Other</h2>",
        "scope <code>contacts:read</code>",
        "<li>5 units</li>",
        "Body (may be left out)",
        "<code>cursor</code>",
        "<a href=\"#object-Thing\">Thing</a>",
        "<a href=\"#object-Mood\">Mood</a> or null",
        "integer from 1 to 100, default 20",
        "list of <a href=\"#object-Part\">Part</a>",
        "<a href=\"#object-Numbers\">Numbers</a> with <code>type</code> <code>phones</code>",
        "-H &quot;Idempotency-Key: $(uuidgen)&quot;",
        "/api/v1/things/0190f3c2-a1b2-7c3d-8e4f-5a6b7c8d9e0f",
        "&quot;+14155550123&quot;",
        "A thing &amp; its <code>name</code>.",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn nothing_is_run_and_nothing_is_loaded() {
    let page = sample();
    assert!(!page.contains("<script"));
    assert!(page.contains("&lt;script&gt;"));
    for loader in [" src=", "@import", "url(", "<link", "href=\"http"] {
        assert!(!page.contains(loader), "{loader}");
    }
}

#[test]
fn the_interactive_reference_is_linked_if_there_is_one() {
    let linked = page(&document(), Some("/docs/interactive"));
    assert!(linked.contains("<a href=\"/docs/interactive\">"));
    assert!(!sample().contains("interactive"));
}

#[test]
fn every_link_on_the_page_leads_somewhere() {
    let page = sample();
    for link in page.split("href=\"#").skip(1) {
        let anchor = link.split('"').next().unwrap();
        assert!(page.contains(&format!("id=\"{anchor}\"")), "{anchor}");
    }
}
