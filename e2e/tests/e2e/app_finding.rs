//! What the dashboard counts and finds: numbers of contacts, who a segment's rules find, and closed deals.

use frontdesk_e2e::{App, on_every_engine};
use serde_json::{Value, json};

use crate::app_scene::{Browser, OWNER, account, member};
use crate::people::{add, names};
use crate::shapes::{NOTHING, text};

on_every_engine! {
    contacts_are_counted_by_the_filters_of_their_list,
    contacts_are_sorted_by_every_column_and_paged_in_both_directions,
    contacts_that_change_between_two_pages_neither_end_nor_restart_the_walk,
    sorted_contacts_are_filtered_as_their_list_is,
    the_rules_of_a_segment_are_tried_out_without_storing_it,
    rules_that_are_not_acceptable_are_named,
    won_and_lost_deals_are_summed_up_apart,
}

fn counted(browser: &Browser, query: &str) -> Value {
    browser.get(&format!("/contacts/count{query}")).expect(200).data().clone()
}

fn exactly(count: i64) -> Value {
    json!({ "count": count, "is_more": false })
}

fn contacts_are_counted_by_the_filters_of_their_list(app: App) {
    let account = account(&app);
    let client = app.client(&app.key_with(&account, &["--all-scopes"]));
    let browser = Browser::new(&app).sign_in(OWNER);
    assert_eq!(counted(&browser, ""), exactly(0));
    let tag = client.post("/tags", json!({ "name": "VIP" })).expect(201).id();
    for (name, tags) in [("Ann Weber", vec![&tag]), ("Ben Weber", vec![]), ("Cy Stone", vec![&tag])] {
        add(&client, json!({ "name": name, "tag_ids": tags }));
    }
    // Those of another account do not count.
    app.tenant().client.post("/contacts", json!({ "name": "Dee Weber" })).expect(201);
    let rules = json!([{ "field": "name", "op": "starts_with", "value": "Ben" }]);
    let segment = client.post("/segments", json!({ "name": "Ben", "rules": rules })).expect(201).id();
    assert_eq!(counted(&browser, ""), exactly(3));
    assert_eq!(counted(&browser, "?q=weber"), exactly(2));
    assert_eq!(counted(&browser, &format!("?tag_id={tag}")), exactly(2));
    assert_eq!(counted(&browser, &format!("?q=weber&tag_id={tag}")), exactly(1));
    assert_eq!(counted(&browser, &format!("?segment_id={segment}")), exactly(1));
    assert_eq!(counted(&browser, "?created_since=2999-01-01T00:00:00Z"), exactly(0));
    browser.get(&format!("/contacts/count?segment_id={NOTHING}")).expect(404).error("not_found");
    browser.get("/contacts/count?tag_id=x").expect(400).error("bad_request");
    // An agent sees the same; a stranger sees nothing, and a key does not open the dashboard.
    member(&app, &account, "agent@example.com", "agent");
    assert_eq!(counted(&Browser::new(&app).sign_in("agent@example.com"), ""), exactly(3));
    Browser::new(&app).get("/contacts/count").expect(401).error("unauthorized");
}

/// Every row of an order, in pages of so many, by its name or email.
fn walked(browser: &Browser, order: &str, query: &str, limit: usize) -> Vec<String> {
    let path = format!("/contacts/sorted/{order}?limit={limit}{query}");
    let (mut rows, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = browser.get(&format!("{path}{cursor}")).expect(200);
        rows.extend(names(&page));
        match page.json["meta"]["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return rows,
        }
    }
}

fn contacts_are_sorted_by_every_column_and_paged_in_both_directions(app: App) {
    let account = account(&app);
    let client = app.client(&app.key_with(&account, &["--all-scopes"]));
    let browser = Browser::new(&app).sign_in(OWNER);
    for (name, company) in [
        (json!("zoe"), Value::Null),
        (json!("Özil"), json!("acme")),
        (json!("Otto"), json!("Acme")),
        (json!("änne"), json!("Ürün")),
        (json!("Anna"), json!("Zeta")),
        (json!("Straße"), Value::Null),
        (json!("strasse 2"), json!("ACME")),
    ] {
        add(&client, json!({ "name": name, "company": company }));
    }
    for email in ["first@example.com", "second@example.com"] {
        add(&client, json!({ "email": email }));
    }
    app.tenant().client.post("/contacts", json!({ "name": "Anna of another account" })).expect(201);
    let by_name = ["Anna", "änne", "Otto", "Özil", "Straße", "strasse 2", "zoe"];
    let by_company = ["Özil", "Otto", "strasse 2", "änne", "Anna"];
    let unnamed = ["first@example.com", "second@example.com"];
    let nowhere = ["zoe", "Straße", unnamed[0], unnamed[1]];
    let created = ["zoe", "Özil", "Otto", "änne", "Anna", "Straße", "strasse 2", unnamed[0], unnamed[1]];
    let down = |rows: &[&'static str]| rows.iter().rev().copied().collect::<Vec<_>>();
    for (order, expected) in [
        ("name", [&by_name[..], &unnamed].concat()),
        ("-name", [down(&by_name), down(&unnamed)].concat()),
        ("company", [&by_company[..], &nowhere].concat()),
        ("-company", [down(&by_company), down(&nowhere)].concat()),
        ("created_at", created.to_vec()),
        ("-created_at", down(&created)),
        ("updated_at", created.to_vec()),
        ("-updated_at", down(&created)),
    ] {
        for limit in [1, 2, 4, 100] {
            assert_eq!(walked(&browser, order, "", limit), expected, "{order}, {limit} a page");
        }
    }
    // A contact that changes is the last one changed.
    let (id, other) = {
        let rows = client.get("/contacts?limit=100").expect(200).data().clone();
        (text(&rows[8]["id"]).to_owned(), text(&rows[7]["id"]).to_owned())
    };
    client.patch(&format!("/contacts/{id}"), json!({ "company": "Later" })).expect(200);
    assert_eq!(walked(&browser, "-updated_at", "", 3)[0], "zoe");
    assert_eq!(walked(&browser, "company", "", 3)[3..5], ["zoe", "änne"]);
    // A cursor works for its own order alone, and an agent sees the same.
    let first = browser.get("/contacts/sorted/name?limit=2").expect(200);
    let cursor = text(&first.json["meta"]["next_cursor"]);
    for path in [
        "/contacts/sorted/-name?limit=2",
        "/contacts/sorted/company?limit=2",
        "/contacts/sorted/name?limit=2&email=a@example.com",
    ] {
        browser.get(&format!("{path}&cursor={cursor}")).expect(400).error("bad_request");
    }
    browser.get("/contacts/sorted/phone").expect(404).error("not_found");
    browser.get("/contacts/sorted/name?q=anna").expect(400).error("bad_request");
    browser.get(&format!("/contacts/sorted/name?segment_id={NOTHING}")).expect(404).error("not_found");
    member(&app, &account, "agent@example.com", "agent");
    assert_eq!(walked(&Browser::new(&app).sign_in("agent@example.com"), "name", "", 100).len(), 9);
    Browser::new(&app).get("/contacts/sorted/name").expect(401).error("unauthorized");
    client.delete(&format!("/contacts/{other}")).expect(200);
    assert_eq!(walked(&browser, "name", "", 3).len(), 8);
}

fn contacts_that_change_between_two_pages_neither_end_nor_restart_the_walk(app: App) {
    let account = account(&app);
    let client = app.client(&app.key_with(&account, &["--all-scopes"]));
    let browser = Browser::new(&app).sign_in(OWNER);
    let ids: Vec<String> =
        ["Ann", "Ben", "Cy", "Dee"].iter().map(|name| add(&client, json!({ "name": name }))).collect();
    let first = browser.get("/contacts/sorted/name?limit=2").expect(200);
    assert_eq!(names(&first), ["Ann", "Ben"]);
    // The last row of the page is erased, another one is renamed to the end, and a new one has its name.
    client.delete(&format!("/contacts/{}", ids[1])).expect(200);
    client.patch(&format!("/contacts/{}", ids[0]), json!({ "name": "Zed" })).expect(200);
    add(&client, json!({ "name": "ben" }));
    let cursor = text(&first.json["meta"]["next_cursor"]);
    let second = browser.get(&format!("/contacts/sorted/name?limit=20&cursor={cursor}")).expect(200);
    assert_eq!(names(&second), ["ben", "Cy", "Dee", "Zed"]);
}

fn sorted_contacts_are_filtered_as_their_list_is(app: App) {
    let account = account(&app);
    let client = app.client(&app.key_with(&account, &["--all-scopes"]));
    let browser = Browser::new(&app).sign_in(OWNER);
    let tag = client.post("/tags", json!({ "name": "VIP" })).expect(201).id();
    for (name, tags) in [("Dora", vec![&tag]), ("Ben", vec![]), ("Änne", vec![&tag]), ("Cy", vec![&tag])] {
        add(
            &client,
            json!({ "name": name, "email": format!("{}@example.com", name.len()), "tag_ids": tags }),
        );
    }
    let rules = json!([{ "field": "name", "op": "contains", "value": "n" }]);
    let segment = client.post("/segments", json!({ "name": "N", "rules": rules })).expect(201).id();
    for limit in [1, 2, 100] {
        let tagged = format!("&tag_id={tag}");
        assert_eq!(walked(&browser, "name", &tagged, limit), ["Änne", "Cy", "Dora"]);
        assert_eq!(walked(&browser, "-created_at", &tagged, limit), ["Cy", "Änne", "Dora"]);
        let both = format!("&tag_id={tag}&segment_id={segment}");
        assert_eq!(walked(&browser, "name", &both, limit), ["Änne"]);
        assert_eq!(walked(&browser, "-name", &format!("&segment_id={segment}"), limit), ["Ben", "Änne"]);
        assert_eq!(walked(&browser, "company", "&email=3@example.com", limit), ["Ben"]);
    }
    let row =
        browser.get(&format!("/contacts/sorted/name?tag_id={tag}&limit=1")).expect(200).data()[0].clone();
    let id = text(&row["id"]);
    assert_eq!(&row, client.get(&format!("/contacts/{id}")).expect(200).data());
}

fn the_rules_of_a_segment_are_tried_out_without_storing_it(app: App) {
    let account = account(&app);
    let client = app.client(&app.key_with(&account, &["--all-scopes"]));
    let browser = Browser::new(&app).sign_in(OWNER);
    let ids: Vec<String> =
        (0..7).map(|at| add(&client, json!({ "name": format!("Ann {at}"), "company": "Acme" }))).collect();
    add(&client, json!({ "name": "Ben", "company": "Bolt" }));
    app.tenant().client.post("/contacts", json!({ "name": "Ann of another account" })).expect(201);
    let preview = |body: Value| browser.post("/segments/preview", body).expect(200).data().clone();
    let ann = json!({ "field": "name", "op": "contains", "value": "ann" });
    let found = preview(json!({ "rules": [ann] }));
    assert_eq!(found["total"], exactly(7));
    let newest: Vec<&Value> = found["sample"].as_array().unwrap().iter().map(|row| &row["id"]).collect();
    assert_eq!(newest, ids.iter().rev().take(5).collect::<Vec<_>>());
    let bolt = json!({ "field": "company", "op": "is", "value": "Bolt" });
    assert_eq!(preview(json!({ "match": "any", "rules": [ann, bolt] }))["total"], exactly(8));
    let nobody = preview(json!({ "match": "all", "rules": [ann, bolt] }));
    assert_eq!(nobody, json!({ "total": exactly(0), "sample": [] }));
    assert_eq!(client.get("/segments").expect(200).data(), &json!([]));
    Browser::new(&app).post("/segments/preview", json!({ "rules": [ann] })).expect(401);
}

fn rules_that_are_not_acceptable_are_named(app: App) {
    let account = account(&app);
    let client = app.client(&app.key_with(&account, &["--all-scopes"]));
    let browser = Browser::new(&app).sign_in(OWNER);
    client.post("/tags", json!({ "name": "VIP" })).expect(201);
    let foreign = app.tenant().client.post("/tags", json!({ "name": "VIP" })).expect(201).id();
    let refused = |rules: Value, path: &str| {
        let response = browser.post("/segments/preview", json!({ "rules": rules })).expect(400);
        response.error("validation_error");
        assert_eq!(response.json["error"]["details"][0]["path"], path, "{}", response.text);
    };
    refused(json!([]), "rules");
    refused(json!([{ "field": "tag", "op": "is", "value": foreign }]), "rules.0.value");
    let good = json!({ "field": "name", "op": "is_set" });
    refused(json!([good, { "field": "created_at", "op": "within_days", "value": "x" }]), "rules.1.value");
    refused(Value::Array(vec![good; 51]), "rules");
}

fn won_and_lost_deals_are_summed_up_apart(app: App) {
    let account = account(&app);
    let client = app.client(&app.key_with(&account, &["--all-scopes"]));
    let browser = Browser::new(&app).sign_in(OWNER);
    let pipeline = client.get("/pipelines").expect(200).data()[0].clone();
    for (value, outcome) in
        [(json!(10), None), (json!(20), Some("won")), (json!(30), Some("lost")), (Value::Null, Some("won"))]
    {
        let id = client
            .post("/deals", json!({ "title": "Chairs", "value": value, "currency": "EUR" }))
            .expect(201)
            .id();
        if let Some(outcome) = outcome {
            client.post(&format!("/deals/{id}/close"), json!({ "outcome": outcome })).expect(200);
        }
    }
    let path = format!("/deals/totals?pipeline_id={}", text(&pipeline["id"]));
    let sums = |status: &str| {
        let totals = browser.get(&format!("{path}{status}")).expect(200);
        totals.data()[0]["sums"].clone()
    };
    let euros = |value: f64, count: i64| json!([{ "currency": "EUR", "value": value, "count": count }]);
    assert_eq!(sums(""), euros(10.0, 1));
    assert_eq!(sums("&status=open"), euros(10.0, 1));
    assert_eq!(sums("&status=won"), euros(20.0, 2));
    assert_eq!(sums("&status=lost"), euros(30.0, 1));
    browser.get(&format!("{path}&status=gone")).expect(400).error("bad_request");
}
