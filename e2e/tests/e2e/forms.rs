//! Website forms, as scripts and programs send them.

use frontdesk_e2e::{App, Client, Clocked, Engine, Tenant, on_every_engine};
use serde_json::{Value, json};

use crate::people::walk;
use crate::sales::told_of;
use crate::shapes::{NOTHING, has_fields, is_id, text};

on_every_engine! {
    a_form_is_made_listed_and_deleted_by_commands,
    a_script_sends_a_form_as_json,
    a_form_encoded_body_says_the_same,
    unknown_form_fields_are_stored,
    a_bot_that_fills_the_hidden_field_gets_the_usual_response,
    problems_of_a_form_are_reported,
    a_form_has_its_bounds,
    only_forms_that_are_there_are_taken,
    a_page_of_another_site_may_submit_a_form,
    a_form_may_name_the_websites_that_send_it,
    form_submissions_per_address_are_limited,
    forwarded_headers_count_only_from_trusted_proxies,
    a_form_past_the_contact_limit_is_kept,
}

/// Makes a form with these options, and returns its id and the path of its address.
#[track_caller]
pub(crate) fn form(app: &App, tenant: &Tenant, options: &[&str]) -> (String, String) {
    let create = ["form", "create", "--account", &tenant.account.id, "--name", "Contact us"];
    let made = app.cli(&[&create, options].concat());
    has_fields(&made, "form_id url");
    let path = text(&made["url"]).strip_prefix(&app.base()).expect("an address of this server").to_owned();
    assert!(path.starts_with("/forms/") && path.len() == "/forms/".len() + 43, "{path}");
    (text(&made["form_id"]).to_owned(), path)
}

/// Somebody on a website.
pub(crate) fn visitor(app: &App) -> Client {
    app.anonymous().vendors()
}

/// Sends a form-encoded body.
#[track_caller]
pub(crate) fn send(client: &Client, path: &str, body: &str) -> frontdesk_e2e::Response {
    client.with("content-type", "application/x-www-form-urlencoded").send("POST", path, Some(body.as_bytes()))
}

/// The one inquiry of the account.
#[track_caller]
pub(crate) fn only_inquiry(client: &Client) -> Value {
    let mut rows = walk(client, "/inquiries");
    assert_eq!(rows.len(), 1, "{rows:?}");
    rows.remove(0)
}

fn a_form_is_made_listed_and_deleted_by_commands(app: App) {
    let tenant = app.tenant();
    let options = ["--redirect", "https://example.com/thanks", "--allow-origin", "https://example.com"];
    let (id, path) = form(&app, &tenant, &options);
    let list = ["form", "list", "--account", &tenant.account.id];
    let rows = app.cli(&list);
    assert_eq!(rows.as_array().unwrap().len(), 1);
    has_fields(&rows[0], "id name url redirect_url origins created_at");
    assert_eq!((&rows[0]["id"], &rows[0]["url"]), (&json!(id), &json!(format!("{}{path}", app.base()))));
    assert_eq!(rows[0]["redirect_url"], "https://example.com/thanks");
    assert_eq!(rows[0]["origins"], json!(["https://example.com"]));
    // For people, the command also shows what to put on a page.
    let create = ["form", "create", "--account", &tenant.account.id, "--name", "Another"];
    let shown = app.run(&create).expect_success().out;
    for part in
        ["<form action=\"http", "/forms/", "method=\"post\"", "name=\"email\"", "name=\"_gotcha\"", "</form>"]
    {
        assert!(shown.contains(part), "{part} is missing: {shown}");
    }
    app.cli(&["form", "delete", &id]);
    visitor(&app).post(&path, json!({ "name": "Ann" })).expect(404).error("not_found");
    assert_eq!(app.cli(&list).as_array().unwrap().len(), 1);
    app.run(&["form", "delete", &id]).expect_failure();
    app.run(&["form", "create", "--account", NOTHING, "--name", "x"]).expect_failure();
    app.run(&["form", "list", "--account", NOTHING]).expect_failure();
    for wrong in [["--redirect", "javascript:x"], ["--allow-origin", "example.com"]] {
        app.run(&[&create[..], &wrong].concat()).expect_failure();
    }
}

fn a_script_sends_a_form_as_json(app: App) {
    let tenant = app.tenant();
    let (_, path) = form(&app, &tenant, &[]);
    let body = json!({ "name": "Ann", "email": "ann@example.com", "phone": "+1 415 555 0123", "message": "Hi",
        "source_url": "https://example.com/contact", "form": "Not this" });
    let sent = visitor(&app).post(&path, body).expect(201);
    has_fields(&sent.json, "data");
    has_fields(sent.data(), "id");
    is_id(&sent.data()["id"]);
    sent.request_id();
    let found = only_inquiry(&tenant.client);
    assert_eq!(found["id"], sent.data()["id"]);
    for (field, wanted) in [
        ("form", json!("Contact us")),
        ("name", json!("Ann")),
        ("email", json!("ann@example.com")),
        ("phone", json!("+14155550123")),
        ("message", json!("Hi")),
        ("source_url", json!("https://example.com/contact")),
        ("fields", json!({ "form": "Not this" })),
        ("status", json!("new")),
    ] {
        assert_eq!(found[field], wanted, "{field}");
    }
    let contact = tenant.client.get(&format!("/contacts/{}", text(&found["contact_id"]))).expect(200);
    assert_eq!(contact.data()["email"], "ann@example.com");
    assert_eq!(
        told_of(&tenant.client, "inquiry"),
        [("inquiry.created".to_owned(), json!({ "inquiry": found }))]
    );
}

fn a_form_encoded_body_says_the_same(app: App) {
    let tenant = app.tenant();
    let (_, path) = form(&app, &tenant, &[]);
    let body =
        "Name=Ann+L%C3%A9e&EMAIL=ann%40example.com&message=Hi%0D%0Athere&topic=a&topic=b&_internal=x&blank=";
    let referred = visitor(&app).with("referer", "https://example.com/page");
    let sent = send(&referred, &path, body).expect(201);
    let found = only_inquiry(&tenant.client);
    assert_eq!(found["id"], sent.data()["id"]);
    assert_eq!((&found["name"], &found["email"]), (&json!("Ann Lée"), &json!("ann@example.com")));
    assert_eq!(found["message"], "Hi\r\nthere");
    assert_eq!(found["fields"], json!({ "topic": "a, b" }));
    assert_eq!(found["source_url"], "https://example.com/page");
}

fn unknown_form_fields_are_stored(app: App) {
    let tenant = app.tenant();
    let (_, path) = form(&app, &tenant, &[]);
    let body = json!({ "name": "Ann", "phone": "555-0123 ext 5", "age": 7, "vip": true, "sizes": ["M", "L"],
        "nothing": null, "fields": { "company": "Acme" }, "source_url": "not a page" });
    visitor(&app).post(&path, body).expect(201);
    let found = only_inquiry(&tenant.client);
    let fields =
        json!({ "age": "7", "vip": "true", "sizes": "M, L", "company": "Acme", "phone": "555-0123 ext 5" });
    assert_eq!(found["fields"], fields);
    assert_eq!((&found["phone"], &found["source_url"]), (&Value::Null, &Value::Null));
}

fn a_bot_that_fills_the_hidden_field_gets_the_usual_response(app: App) {
    let tenant = app.tenant();
    let (_, path) = form(&app, &tenant, &[]);
    let real = visitor(&app).post(&path, json!({ "name": "Ann", "_gotcha": " " })).expect(201);
    let trapped =
        visitor(&app).post(&path, json!({ "name": "Bot", "_gotcha": "http://spam.test" })).expect(201);
    has_fields(trapped.data(), "id");
    is_id(&trapped.data()["id"]);
    let names = |response: &frontdesk_e2e::Response| {
        response.headers.keys().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(names(&trapped), names(&real));
    send(&visitor(&app), &path, "name=Bot&_gotcha=x").expect(201);
    assert_eq!(only_inquiry(&tenant.client)["name"], "Ann");
    assert_eq!(walk(&tenant.client, "/contacts").len(), 1);
}

fn problems_of_a_form_are_reported(app: App) {
    let tenant = app.tenant();
    let (_, path) = form(&app, &tenant, &[]);
    let someone = visitor(&app);
    let wrong =
        someone.post(&path, json!({ "name": "x".repeat(201), "email": "nowhere", "a": "x".repeat(2_001) }));
    wrong.clone().expect(400).error("validation_error");
    wrong.details_at(&["name", "email", "fields.a"]);
    send(&someone, &path, "topic=x").expect(400).details_at(&[""]);
    send(&someone, &path, "name=%00").expect(400).details_at(&["name"]);
    someone.post_text(&path, "{").expect(400).error("bad_request");
    someone.post_text(&path, "[]").expect(400).error("validation_error");
    for kind in ["multipart/form-data; boundary=x", "text/plain", ""] {
        let refused = someone.with("content-type", kind).send("POST", &path, Some(b"name=Ann")).expect(415);
        let message = text(&refused.error("bad_request")["message"]).to_owned();
        assert!(message.contains("application/x-www-form-urlencoded"), "{message}");
    }
    assert_eq!(walk(&tenant.client, "/inquiries").len(), 0);
    assert_eq!(walk(&tenant.client, "/contacts").len(), 0);
}

fn a_form_has_its_bounds(app: App) {
    let tenant = app.tenant();
    let (_, path) = form(&app, &tenant, &[]);
    let someone = visitor(&app);
    let many: Vec<String> = (0..51).map(|number| format!("f{number}=x")).collect();
    send(&someone, &path, &format!("name=Ann&{}", many.join("&"))).expect(400).details_at(&["fields"]);
    let long = format!("name=Ann&{}=x", "f".repeat(101));
    send(&someone, &path, &long).expect(400).details_at(&["fields"]);
    someone.post(&path, json!({ "message": "x".repeat(10_001) })).expect(400).details_at(&["message"]);
    someone.post(&path, json!({ "message": "x".repeat(70_000) })).expect(413).error("bad_request");
    assert_eq!(walk(&tenant.client, "/inquiries").len(), 0);
    someone.post(&path, json!({ "message": "x".repeat(10_000) })).expect(201);
}

fn only_forms_that_are_there_are_taken(app: App) {
    let tenant = app.tenant();
    let (id, path) = form(&app, &tenant, &[]);
    let someone = visitor(&app);
    let altered = format!("{}{}", &path[..path.len() - 1], if path.ends_with('A') { 'B' } else { 'A' });
    for wrong in [
        "/forms",
        "/forms/",
        "/forms/x",
        &altered,
        &format!("{path}/x"),
        &format!("/forms/{id}"),
        "/forms/%00",
    ] {
        someone.post(wrong, json!({ "name": "Ann" })).expect(404).error("not_found");
    }
    for method in ["PUT", "PATCH", "DELETE"] {
        let refused = someone.send(method, &path, None).expect(405);
        assert_eq!(refused.header("allow"), Some("GET, HEAD, POST, OPTIONS"), "{method}");
    }
    assert_eq!(walk(&tenant.client, "/inquiries").len(), 0);
}

fn a_page_of_another_site_may_submit_a_form(app: App) {
    let tenant = app.tenant();
    let (_, path) = form(&app, &tenant, &[]);
    let page = visitor(&app).with("origin", "https://anywhere.test");
    let leave = page
        .with("access-control-request-method", "POST")
        .with("access-control-request-headers", "content-type")
        .send("OPTIONS", &path, None)
        .expect(204);
    assert_eq!(leave.header("access-control-allow-origin"), Some("*"));
    assert!(leave.header("access-control-allow-methods").is_some_and(|methods| methods.contains("POST")));
    assert_eq!(leave.header("access-control-allow-headers"), Some("content-type"));
    assert!(leave.header("access-control-max-age").is_some());
    let sent = page.post(&path, json!({ "name": "Ann" })).expect(201);
    assert_eq!(sent.header("access-control-allow-origin"), Some("*"));
    // A script may also read why it was refused.
    for refused in [page.post(&path, json!({})).expect(400), page.post_text(&path, "{").expect(400)] {
        assert_eq!(refused.header("access-control-allow-origin"), Some("*"));
        refused.request_id();
    }
    assert_eq!(walk(&tenant.client, "/inquiries").len(), 1);
}

fn a_form_may_name_the_websites_that_send_it(app: App) {
    let tenant = app.tenant();
    let options = ["--allow-origin", "https://Example.com", "--allow-origin", "http://localhost:3000"];
    let (_, path) = form(&app, &tenant, &options);
    for origin in ["https://example.com", "http://localhost:3000"] {
        let page = visitor(&app).with("origin", origin);
        let leave =
            page.with("access-control-request-method", "POST").send("OPTIONS", &path, None).expect(204);
        assert_eq!(leave.header("access-control-allow-origin"), Some(origin));
        let sent = page.post(&path, json!({ "name": "Ann" })).expect(201);
        assert_eq!(sent.header("access-control-allow-origin"), Some(origin));
        assert_eq!(sent.header("vary"), Some("origin"));
    }
    for origin in ["https://example.com.evil.test", "http://example.com", "null"] {
        let page = visitor(&app).with("origin", origin);
        let leave =
            page.with("access-control-request-method", "POST").send("OPTIONS", &path, None).expect(403);
        assert_eq!(leave.header("access-control-allow-origin"), None);
        let refused = page.post(&path, json!({ "name": "Eve" })).expect(403);
        assert_eq!(refused.error("forbidden")["reason"], "origin_not_allowed");
        assert_eq!(refused.header("access-control-allow-origin"), None);
    }
    // Who is no browser names no origin.
    visitor(&app).post(&path, json!({ "name": "Ann" })).expect(201);
    assert_eq!(walk(&tenant.client, "/inquiries?q=ann").len(), 3);
    assert_eq!(walk(&tenant.client, "/inquiries?q=eve").len(), 0);
}

/// What one address may send of one form in a minute.
const PER_MINUTE: usize = 20;

fn form_submissions_per_address_are_limited(app: Clocked) {
    let tenant = app.tenant();
    let ((_, path), (_, other)) = (form(&app, &tenant, &[]), form(&app, &tenant, &[]));
    let someone = visitor(&app);
    app.begin_minute();
    for number in 0..PER_MINUTE {
        // What is refused or dropped counts too.
        let (body, status) = match number {
            0 => (json!({}), 400),
            1 => (json!({ "_gotcha": "x" }), 201),
            _ => (json!({ "name": "Ann" }), 201),
        };
        someone.post(&path, body).expect(status);
    }
    let refused = someone.post(&path, json!({ "name": "Ann" })).expect(429);
    refused.error("rate_limited");
    let wait: u64 = refused.header("retry-after").expect("how long to wait").parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    assert_eq!(refused.header("access-control-allow-origin"), Some("*"));
    let page = send(&someone.with("accept", "text/html"), &path, "name=Ann").expect(429);
    assert!(page.header("retry-after").is_some() && page.text.contains("Wait"), "{}", page.text);
    someone.post(&other, json!({ "name": "Ann" })).expect(201);
    // Asking for leave is not sending.
    someone.send("OPTIONS", &path, None).expect(204);
    assert_eq!(walk(&tenant.client, "/inquiries").len(), PER_MINUTE - 2 + 1);
}

fn forwarded_headers_count_only_from_trusted_proxies(engine: Engine) {
    for (trusted, status) in [("127.0.0.0/8", 201), ("192.0.2.0/24", 429)] {
        let app = App::start(engine).movable_clock().env("FRONTDESK_TRUSTED_PROXIES", trusted).ready();
        let tenant = app.tenant();
        let (_, path) = form(&app, &tenant, &[]);
        let from = |number: usize| visitor(&app).with("x-forwarded-for", format!("198.51.100.{number}"));
        app.begin_minute();
        for _ in 0..PER_MINUTE {
            from(1).post(&path, json!({ "name": "Ann" })).expect(201);
        }
        from(1).post(&path, json!({ "name": "Ann" })).expect(429);
        from(2).post(&path, json!({ "name": "Ann" })).expect(status);
    }
}

fn a_form_past_the_contact_limit_is_kept(app: App) {
    let tenant = app.tenant();
    app.cli(&["account", "set", &tenant.account.id, "--contact-limit", "0"]);
    let (_, path) = form(&app, &tenant, &[]);
    visitor(&app).post(&path, json!({ "name": "Ann", "email": "ann@example.com" })).expect(201);
    let found = only_inquiry(&tenant.client);
    assert_eq!((&found["contact_id"], &found["email"]), (&Value::Null, &json!("ann@example.com")));
}
