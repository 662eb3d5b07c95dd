//! What the dashboard counts and finds: numbers of contacts, who a segment's rules find, and closed deals.

use frontdesk_e2e::{App, on_every_engine};
use serde_json::{Value, json};

use crate::app_scene::{Browser, OWNER, account, member};
use crate::people::add;
use crate::shapes::{NOTHING, text};

on_every_engine! {
    contacts_are_counted_by_the_filters_of_their_list,
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
