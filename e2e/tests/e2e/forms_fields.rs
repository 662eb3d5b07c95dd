//! Forms with fields and texts of their own: how they are changed, and what a submission must say.

use frontdesk_e2e::{App, Client, on_every_engine};
use serde_json::{Value, json};

use crate::app_scene::{Browser, OWNER, account, member};
use crate::forms::{form, only_inquiry, send, visitor};
use crate::people::walk;
use crate::shapes::text;

on_every_engine! {
    a_form_is_changed_and_keeps_its_address,
    a_change_of_a_form_reports_every_problem,
    a_form_is_changed_by_those_who_manage_its_account,
    a_submission_must_say_what_the_fields_require,
    a_browser_sees_the_fields_and_what_it_typed,
    a_form_without_fields_takes_what_it_took,
    two_people_change_a_form_at_once,
    a_preview_stores_nothing,
}

fn fields() -> Value {
    json!([
        { "key": "email", "label": "Ihre E-Mail", "required": true },
        { "key": "size", "type": "choice", "label": "Size", "options": ["S", "<M>"], "required": true },
        { "key": "terms", "type": "checkbox", "label": "I agree", "required": true },
        { "key": "day", "type": "date", "label": "Day" },
        { "key": "story", "type": "long_text", "label": "Story" },
    ])
}

/// An account's form with fields, its id, and the path of its address.
fn with_fields(app: &App, browser: &Browser) -> (String, String) {
    let made = browser.post("/admin/forms", json!({ "name": "Contact us" })).expect(201);
    let id = text(&made.data()["id"]).to_owned();
    let patch = json!({ "fields": fields(), "button_text": "Los", "thanks_text": "Bis <bald>\nWir" });
    browser.patch(&format!("/admin/forms/{id}"), patch).expect(200);
    (id, text(&made.data()["url"]).strip_prefix(&app.base()).expect("an address of this server").to_owned())
}

/// Somebody in a browser.
fn page(app: &App) -> Client {
    visitor(app).with("accept", "text/html,*/*;q=0.8")
}

fn a_form_is_changed_and_keeps_its_address(app: App) {
    account(&app);
    let browser = Browser::new(&app).sign_in(OWNER);
    let made = browser
        .post("/admin/forms", json!({ "name": "Contact us", "redirect_url": "https://a.test/" }))
        .expect(201);
    for field in ["fields", "button_text", "thanks_text"] {
        assert_eq!(made.data()[field], json!(null), "{field}");
    }
    let path = format!("/admin/forms/{}", text(&made.data()["id"]));
    let changed =
        browser.patch(&path, json!({ "fields": fields(), "origins": ["https://b.test"] })).expect(200);
    assert_eq!(changed.data()["url"], made.data()["url"]);
    assert_eq!(
        (&changed.data()["name"], &changed.data()["redirect_url"]),
        (&json!("Contact us"), &json!("https://a.test/"))
    );
    assert_eq!(changed.data()["origins"], json!(["https://b.test"]));
    let first =
        json!({ "key": "email", "type": "email", "label": "Ihre E-Mail", "required": true, "options": [] });
    assert_eq!(changed.data()["fields"][0], first);
    assert_eq!(changed.data()["fields"].as_array().map(Vec::len), Some(5));
    // Three states: what is left out stays, and null clears.
    let cleared = browser
        .patch(&path, json!({ "fields": null, "redirect_url": null, "origins": null, "name": "Ask us" }));
    let cleared = cleared.expect(200);
    assert_eq!((&cleared.data()["fields"], &cleared.data()["redirect_url"]), (&json!(null), &json!(null)));
    assert_eq!((&cleared.data()["origins"], &cleared.data()["name"]), (&json!([]), &json!("Ask us")));
    assert_eq!(browser.get("/admin/forms").expect(200).data()[0], *cleared.data());
    let log = browser.get("/admin/audit-log").expect(200);
    assert_eq!(
        (&log.data()[0]["action"], &log.data()[0]["subject"]),
        (&json!("form.updated"), &made.data()["id"])
    );
    // A form may be made with fields at once.
    let new =
        json!({ "name": "Quote", "fields": [{ "key": "name", "label": "Who" }], "thanks_text": "Soon" });
    let quote = browser.post("/admin/forms", new).expect(201);
    assert_eq!(
        (&quote.data()["fields"][0]["type"], &quote.data()["thanks_text"]),
        (&json!("text"), &json!("Soon"))
    );
}

fn a_change_of_a_form_reports_every_problem(app: App) {
    account(&app);
    let browser = Browser::new(&app).sign_in(OWNER);
    let (id, _) = with_fields(&app, &browser);
    let path = format!("/admin/forms/{id}");
    let field = |number: usize| json!({ "key": format!("k{number}"), "label": "x" });
    let many: Vec<Value> = (0..21).map(field).collect();
    for (wrong, at) in [
        (json!({ "name": null }), "name"),
        (json!({ "redirect_url": "javascript:x" }), "redirect_url"),
        (json!({ "origins": ["nowhere"] }), "origins.0"),
        (json!({ "fields": many }), "fields"),
        (json!({ "fields": [field(1)] }), "fields"),
        (json!({ "fields": [{ "key": "_gotcha", "label": "x" }] }), "fields.0.key"),
        (json!({ "fields": [{ "key": "name", "label": " " }] }), "fields.0.label"),
        (json!({ "fields": [{ "key": "name", "label": "x" }, field(1), field(1)] }), "fields.2.key"),
        (json!({ "button_text": "x".repeat(61) }), "button_text"),
        (json!({ "thanks_text": 7 }), "thanks_text"),
    ] {
        let refused = browser.patch(&path, wrong.clone()).expect(400);
        refused.error("validation_error");
        assert_eq!(refused.json["error"]["details"][0]["path"], at, "{wrong}: {}", refused.text);
    }
    assert_eq!(browser.get("/admin/forms").expect(200).data()[0]["fields"].as_array().map(Vec::len), Some(5));
}

fn a_form_is_changed_by_those_who_manage_its_account(app: App) {
    let ours = account(&app);
    let browser = Browser::new(&app).sign_in(OWNER);
    let (id, _) = with_fields(&app, &browser);
    member(&app, &ours, "mia@example.com", "agent");
    let agent = Browser::new(&app).sign_in("mia@example.com");
    let other = app.account();
    let theirs = app.cli(&["form", "create", "--account", &other.id, "--name", "Theirs"]);
    let theirs = text(&theirs["form_id"]).to_owned();
    for suffix in ["", "/preview"] {
        let call = |browser: &Browser, id: &str| {
            let (path, body) = (format!("/admin/forms/{id}{suffix}"), json!({ "name": "Mine" }));
            if suffix.is_empty() { browser.patch(&path, body) } else { browser.post(&path, body) }
        };
        call(&agent, &id).expect(403).error("forbidden");
        call(&Browser::new(&app), &id).expect(401);
        call(&browser, &theirs).expect(404).error("not_found");
        call(&browser, "nonsense").expect(404);
    }
    assert_eq!(app.cli(&["form", "list", "--account", &other.id])[0]["name"], "Theirs");
}

fn a_submission_must_say_what_the_fields_require(app: App) {
    let ours = account(&app);
    let browser = Browser::new(&app).sign_in(OWNER);
    let (_, path) = with_fields(&app, &browser);
    let client = app.client(&app.key(&ours, "inquiries:read"));
    let paths = |body: Value| {
        let refused = visitor(&app).post(&path, body).expect(400);
        refused.error("validation_error");
        let details = refused.json["error"]["details"].as_array().expect("details").clone();
        details.iter().map(|detail| text(&detail["path"]).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(paths(json!({})), ["email", "fields.size", "fields.terms"]);
    let wrong = json!({ "email": "nowhere", "size": "XL", "terms": false, "day": "tomorrow" });
    assert_eq!(paths(wrong), ["fields.size", "fields.terms", "fields.day", "email"]);
    // A bot gets the usual response whatever it leaves out, and nothing is stored.
    visitor(&app).post(&path, json!({ "_gotcha": "x" })).expect(201);
    assert_eq!(walk(&client, "/inquiries"), Vec::<Value>::new());
    let whole = json!({ "email": "ann@example.com", "Size": "<M>", "fields": { "terms": true, "day": "2026-01-31" },
        "utm": "spring" });
    let sent = visitor(&app).with("origin", "https://shop.test").post(&path, whole).expect(201);
    assert_eq!(sent.header("access-control-allow-origin"), Some("*"));
    let found = only_inquiry(&client);
    assert_eq!(
        found["fields"],
        json!({ "size": "<M>", "terms": "true", "day": "2026-01-31", "utm": "spring" })
    );
}

fn a_browser_sees_the_fields_and_what_it_typed(app: App) {
    account(&app);
    let browser = Browser::new(&app).sign_in(OWNER);
    let (_, path) = with_fields(&app, &browser);
    let shown = page(&app).get(&path).expect(200);
    for part in [
        "<label for=\"email\">Ihre E-Mail</label>",
        "type=\"email\" autocomplete=\"email\" required",
        "<select id=\"field-size\" name=\"size\" required>",
        "<option>&lt;M&gt;</option>",
        "type=\"checkbox\" value=\"true\" required",
        "type=\"date\"",
        "name=\"_gotcha\"",
        "<button>Los</button>",
    ] {
        assert!(shown.text.contains(part), "{part} is missing: {}", shown.text);
    }
    assert!(!shown.text.contains("name=\"message\""), "{}", shown.text);
    let typed = "_hosted=1&email=ann%40example.com&size=%3CM%3E&day=soon&story=Once%0Aupon";
    let wrong = send(&page(&app), &path, typed).expect(400);
    for part in [
        "<title>Error: Contact us</title>",
        "<a href=\"#field-terms\">I agree is required</a>",
        "<a href=\"#field-day\">Day must be a date such as 2026-01-31</a>",
        "<option selected>&lt;M&gt;</option>",
        "value=\"ann@example.com\"",
        ">\nOnce\nupon</textarea>",
    ] {
        assert!(wrong.text.contains(part), "{part} is missing: {}", wrong.text);
    }
    let terms = wrong.text.find("#field-terms").expect("a link");
    assert!(terms < wrong.text.find("#field-day").expect("a link"), "the summary is in the page's order");
    let sent =
        send(&page(&app), &path, &format!("{}&terms=on", typed.replace("day=soon", "day="))).expect(303);
    let thanks = page(&app).get(sent.header("location").expect("a page")).expect(200);
    assert!(thanks.text.contains("Bis &lt;bald&gt;\nWir"), "{}", thanks.text);
}

fn a_form_without_fields_takes_what_it_took(app: App) {
    let tenant = app.tenant();
    let (_, path) = form(&app, &tenant, &[]);
    visitor(&app).post(&path, json!({ "phone": "+14155550123", "size": "XL" })).expect(201);
    let found = only_inquiry(&tenant.client);
    assert_eq!((&found["phone"], &found["fields"]), (&json!("+14155550123"), &json!({ "size": "XL" })));
}

fn two_people_change_a_form_at_once(app: App) {
    account(&app);
    let browser = Browser::new(&app).sign_in(OWNER);
    let (id, _) = with_fields(&app, &browser);
    let path = format!("/admin/forms/{id}");
    std::thread::scope(|scope| {
        for body in
            [json!({ "name": "Quotes" }), json!({ "button_text": "Ask" }), json!({ "thanks_text": "Soon" })]
        {
            let (app, path) = (&app, &path);
            scope.spawn(move || Browser::new(app).sign_in(OWNER).patch(path, body).expect(200));
        }
    });
    let form = browser.get("/admin/forms").expect(200).data()[0].clone();
    assert_eq!(
        (&form["name"], &form["button_text"], &form["thanks_text"]),
        (&json!("Quotes"), &json!("Ask"), &json!("Soon"))
    );
}

fn a_preview_stores_nothing(app: App) {
    account(&app);
    let browser = Browser::new(&app).sign_in(OWNER);
    let (id, path) = with_fields(&app, &browser);
    let wanted =
        json!({ "name": "Quotes", "fields": [{ "key": "message", "label": "Wish" }], "thanks_text": "Soon" });
    let preview = browser.post(&format!("/admin/forms/{id}/preview"), wanted).expect(200);
    let (form, thanks) = (text(&preview.data()["form_html"]), text(&preview.data()["thanks_html"]));
    assert!(form.contains("<h1>Quotes</h1>") && form.contains(">Wish "), "{form}");
    assert!(thanks.contains("Soon"), "{thanks}");
    browser.post(&format!("/admin/forms/{id}/preview"), json!({ "fields": [] })).expect(400);
    assert!(page(&app).get(&path).expect(200).text.contains("<h1>Contact us</h1>"));
    assert_eq!(browser.get("/admin/forms").expect(200).data()[0]["name"], "Contact us");
}
