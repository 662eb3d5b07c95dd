//! Deals: made, read, changed and deleted.

use frontdesk_e2e::{App, on_every_engine};
use serde_json::{Value, json};

use crate::people::add;
use crate::sales::{deal, first_pipeline, pipeline, told_of};
use crate::shapes::{NOTHING, has_fields, is_id, is_moment, text};

on_every_engine! {
    a_deal_is_made_with_what_was_given,
    a_deal_with_only_a_title_gets_the_defaults,
    a_stage_says_which_pipeline,
    a_stage_of_another_pipeline_is_refused,
    ids_in_a_deal_must_belong_to_the_account,
    money_is_returned_exactly_as_given,
    all_problems_of_a_deal_are_reported_at_once,
    a_patch_changes_what_it_names_and_tells_once,
    a_patch_moves_a_deal_by_the_rules_of_moving,
    a_deleted_deal_is_not_found_and_sends_an_event,
    a_retried_deal_is_made_once,
}

const FIELDS: &str = "id title value currency pipeline_id stage_id contact_id owner_user_id status lost_reason \
    expected_close_date closed_at created_at updated_at";

fn a_deal_is_made_with_what_was_given(app: App) {
    let tenant = app.tenant();
    let client = tenant.client;
    let made = pipeline(&client);
    let ann = add(&client, json!({ "name": "Ann" }));
    let body = json!({
        "title": " Forty chairs ", "value": 19.99, "currency": "EUR", "pipeline_id": made.id, "stage_id": made.stages[2],
        "contact_id": ann, "owner_user_id": tenant.account.owner, "expected_close_date": "2026-02-28", "status": "won",
    });
    let deal = client.post("/deals", body).expect(201);
    has_fields(deal.data(), FIELDS);
    is_id(&deal.data()["id"]);
    is_moment(&deal.data()["created_at"]);
    let wanted = json!({
        "id": deal.id(), "title": "Forty chairs", "value": 19.99, "currency": "EUR", "pipeline_id": made.id,
        "stage_id": made.stages[2], "contact_id": ann, "owner_user_id": tenant.account.owner, "status": "open",
        "lost_reason": null, "expected_close_date": "2026-02-28", "closed_at": null,
        "created_at": deal.data()["created_at"], "updated_at": deal.data()["created_at"],
    });
    assert_eq!(deal.data(), &wanted);
    assert_eq!(client.get(&format!("/deals/{}", deal.id())).expect(200).data(), &wanted);
    assert_eq!(client.get("/deals").expect(200).data(), &json!([wanted]));
    assert_eq!(told_of(&client, "deal"), [("deal.created".to_owned(), json!({ "deal": wanted }))]);
    client.get(&format!("/deals/{NOTHING}")).expect(404).error("not_found");
}

fn a_deal_with_only_a_title_gets_the_defaults(app: App) {
    let tenant = app.tenant();
    let client = &tenant.client;
    let first = first_pipeline(client);
    pipeline(client);
    let made = client.post("/deals", json!({ "title": "Chairs" })).expect(201);
    let data = made.data();
    assert_eq!((&data["pipeline_id"], &data["stage_id"]), (&json!(first.id), &json!(first.stages[0])));
    assert_eq!((&data["value"], &data["currency"]), (&Value::Null, &json!("USD")));
    assert_eq!(data["owner_user_id"], tenant.account.owner.as_str());
    let nobodys = client.post("/deals", json!({ "title": "Chairs", "owner_user_id": null })).expect(201);
    assert_eq!(nobodys.data()["owner_user_id"], Value::Null);
    // The key's member is the owner of what the key makes.
    let account = &tenant.account.id;
    let mia =
        app.cli(&["member", "add", "--account", account, "--name", "Mia", "--email", "mia@example.com"]);
    let mia = text(&mia["user_id"]);
    let hers = app.client(&app.key_with(&tenant.account, &["--scopes", "deals:write", "--member", mia]));
    assert_eq!(hers.post("/deals", json!({ "title": "Chairs" })).expect(201).data()["owner_user_id"], mia);
}

fn a_stage_says_which_pipeline(app: App) {
    let client = app.tenant().client;
    let made = pipeline(&client);
    let deal = client.post("/deals", json!({ "title": "Chairs", "stage_id": made.stages[3] })).expect(201);
    assert_eq!(deal.data()["pipeline_id"], made.id.as_str());
    let deal = client.post("/deals", json!({ "title": "Chairs", "pipeline_id": made.id })).expect(201);
    assert_eq!(deal.data()["stage_id"], made.stages[0].as_str());
}

fn a_stage_of_another_pipeline_is_refused(app: App) {
    let client = app.tenant().client;
    let (made, other) = (pipeline(&client), pipeline(&client));
    let wrong = json!({ "title": "Chairs", "pipeline_id": made.id, "stage_id": other.stages[0] });
    let refused = client.post("/deals", wrong).expect(422);
    assert_eq!(refused.error("unprocessable")["reason"], "stage_not_in_pipeline");
    let path = deal(&client, json!({ "pipeline_id": made.id }));
    let refused = client.post(&format!("{path}/move"), json!({ "stage_id": other.stages[1] })).expect(422);
    assert_eq!(refused.error("unprocessable")["reason"], "stage_not_in_pipeline");
    let refused = client.patch(&path, json!({ "stage_id": other.stages[1] })).expect(422);
    assert_eq!(refused.error("unprocessable")["reason"], "stage_not_in_pipeline");
    assert_eq!(told_of(&client, "deal").len(), 1);
}

fn ids_in_a_deal_must_belong_to_the_account(app: App) {
    let (ours, theirs) = (app.tenant(), app.tenant());
    let client = ours.client;
    let their_pipeline = first_pipeline(&theirs.client);
    let their_contact = add(&theirs.client, json!({ "name": "Bob" }));
    let account = &ours.account.id;
    let left =
        app.cli(&["member", "add", "--account", account, "--name", "Max", "--email", "max@example.com"]);
    let left = text(&left["user_id"]);
    app.cli(&["member", "remove", left]);
    let path = deal(&client, json!({}));
    for (field, ids) in [
        ("pipeline_id", [NOTHING, their_pipeline.id.as_str()].as_slice()),
        ("stage_id", &[NOTHING, &their_pipeline.stages[0]]),
        ("contact_id", &[NOTHING, &their_contact]),
        ("owner_user_id", &[NOTHING, &theirs.account.owner, left]),
    ] {
        for id in ids {
            let refused = client.post("/deals", json!({ "title": "Chairs", field: id })).expect(404);
            assert_eq!(refused.error("not_found").get("details"), None::<&Value>, "{field}");
            client.patch(&path, json!({ field: id })).expect(404).error("not_found");
        }
    }
    client
        .post(&format!("{path}/move"), json!({ "stage_id": their_pipeline.stages[0] }))
        .expect(404)
        .error("not_found");
    assert_eq!(client.get("/deals").expect(200).data().as_array().unwrap().len(), 1);
    assert_eq!(told_of(&client, "deal").len(), 1);
}

fn money_is_returned_exactly_as_given(app: App) {
    let client = app.tenant().client;
    // Sent and compared as text: a number that went through this program's own arithmetic would prove nothing.
    for (given, wanted) in [
        ("19.99", "19.99"),
        ("1000000.5", "1000000.5"),
        ("0", "0"),
        ("0.1", "0.1"),
        ("0.0001", "0.0001"),
        ("1e3", "1000"),
        ("70.10", "70.1"),
        ("123456789.01", "123456789.01"),
        ("8.2", "8.2"),
        ("1.005", "1.005"),
        ("99999999999.9999", "99999999999.9999"),
        ("999999999999.999", "999999999999.999"),
        ("999999999999", "999999999999"),
    ] {
        let made = client.post_text("/deals", format!("{{\"title\":\"x\",\"value\":{given}}}")).expect(201);
        let shown = format!("\"value\":{wanted},");
        assert!(made.text.contains(&shown), "{given}: {}", made.text);
        let path = format!("/deals/{}", made.id());
        assert!(client.get(&path).expect(200).text.contains(&shown), "{given}");
        assert!(client.get("/events?limit=1").expect(200).text.contains(&shown), "{given}");
        let cleared = client.patch(&path, json!({ "value": null })).expect(200);
        assert_eq!(cleared.data()["value"], Value::Null);
    }
    for wrong in
        ["-1", "-0.01", "0.00001", "1000000000000", "999999999999.9999", "1e400", "\"7\"", "true", "[]"]
    {
        let response = client.post_text("/deals", format!("{{\"title\":\"x\",\"value\":{wrong}}}"));
        assert_eq!(response.status, 400, "{wrong} was taken");
        if wrong != "1e400" {
            response.error("validation_error");
            response.details_at(&["value"]);
        }
    }
}

fn all_problems_of_a_deal_are_reported_at_once(app: App) {
    let client = app.tenant().client;
    let wrong = json!({
        "value": -1, "currency": "usd", "pipeline_id": 7, "stage_id": "x", "contact_id": [], "owner_user_id": "me",
        "expected_close_date": "2026-02-30",
    });
    let response = client.post("/deals", wrong.clone()).expect(400);
    response.error("validation_error");
    let others = [
        "value",
        "currency",
        "pipeline_id",
        "stage_id",
        "contact_id",
        "owner_user_id",
        "expected_close_date",
    ];
    response.details_at(&[["title"].as_slice(), &others].concat());
    let path = deal(&client, json!({}));
    client.patch(&path, wrong).expect(400).details_at(&others);
    let nulls = json!({ "title": null, "currency": null, "stage_id": null, "pipeline_id": null });
    client.patch(&path, nulls).expect(400).details_at(&["title", "currency", "stage_id", "pipeline_id"]);
    client.post(&format!("{path}/move"), json!({})).expect(400).details_at(&["stage_id"]);
    client.post(&format!("{path}/close"), json!({ "outcome": "drawn" })).expect(400).details_at(&["outcome"]);
    client.post("/deals", json!({ "title": "x".repeat(201) })).expect(400).details_at(&["title"]);
    assert_eq!(told_of(&client, "deal").len(), 1);
}

fn a_patch_changes_what_it_names_and_tells_once(app: App) {
    let client = app.tenant().client;
    let ann = add(&client, json!({ "name": "Ann" }));
    let path = deal(&client, json!({ "value": 5, "expected_close_date": "2026-02-28" }));
    let before = client.get(&path).expect(200).data().clone();
    for nothing in
        [json!({}), json!({ "title": "Forty chairs", "value": 5.0, "status": "won", "lost_reason": "x" })]
    {
        assert_eq!(client.patch(&path, nothing).expect(200).data(), &before);
    }
    let changed =
        client.patch(&path, json!({ "title": "Fifty", "value": 7.5, "contact_id": ann })).expect(200);
    let mut wanted = before.clone();
    for (field, value) in [("title", json!("Fifty")), ("value", json!(7.5)), ("contact_id", json!(ann))] {
        wanted[field] = value;
    }
    wanted["updated_at"] = changed.data()["updated_at"].clone();
    assert_eq!(changed.data(), &wanted);
    assert!(text(&wanted["updated_at"]) > text(&before["updated_at"]));
    assert_eq!(client.get(&path).expect(200).data(), &wanted);
    let clear =
        json!({ "value": null, "contact_id": null, "owner_user_id": null, "expected_close_date": null });
    let cleared = client.patch(&path, clear).expect(200);
    for field in ["value", "contact_id", "owner_user_id", "expected_close_date"] {
        assert_eq!(cleared.data()[field], Value::Null, "{field}");
    }
    let told = told_of(&client, "deal");
    assert_eq!(told.len(), 3);
    assert_eq!(told[1], ("deal.updated".to_owned(), json!({ "deal": wanted })));
    assert_eq!(told[2], ("deal.updated".to_owned(), json!({ "deal": cleared.data() })));
}

fn a_patch_moves_a_deal_by_the_rules_of_moving(app: App) {
    let client = app.tenant().client;
    let (made, other) = (pipeline(&client), pipeline(&client));
    let path = deal(&client, json!({ "pipeline_id": made.id }));
    let both = client.patch(&path, json!({ "title": "Fifty", "stage_id": made.stages[1] })).expect(200);
    assert_eq!(both.data()["stage_id"], made.stages[1].as_str());
    let told = told_of(&client, "deal");
    assert_eq!(told[1], ("deal.updated".to_owned(), json!({ "deal": both.data() })));
    let moved = json!({ "deal": both.data(), "previous": { "stage_id": made.stages[0] } });
    assert_eq!(told[2], ("deal.stage_changed".to_owned(), moved));
    // Where it is already, it stays.
    for same in [json!({ "stage_id": made.stages[1] }), json!({ "pipeline_id": made.id })] {
        assert_eq!(client.patch(&path, same).expect(200).data(), both.data());
    }
    assert_eq!(told_of(&client, "deal").len(), 3);
    let away =
        client.patch(&path, json!({ "pipeline_id": other.id, "stage_id": other.stages[2] })).expect(200);
    assert_eq!(
        (&away.data()["pipeline_id"], &away.data()["stage_id"]),
        (&json!(other.id), &json!(other.stages[2]))
    );
    let back = client.patch(&path, json!({ "pipeline_id": made.id })).expect(200);
    assert_eq!(
        (&back.data()["pipeline_id"], &back.data()["stage_id"]),
        (&json!(made.id), &json!(made.stages[0]))
    );
    let told = told_of(&client, "deal");
    assert_eq!(told.len(), 5);
    assert_eq!(told[4].1["previous"], json!({ "stage_id": other.stages[2] }));
    client.post(&format!("{path}/close"), json!({ "outcome": "won" })).expect(200);
    client.patch(&path, json!({ "stage_id": made.stages[1], "title": "No" })).expect(409).error("conflict");
    assert_eq!(client.patch(&path, json!({ "title": "Yes" })).expect(200).data()["title"], "Yes");
}

fn a_deleted_deal_is_not_found_and_sends_an_event(app: App) {
    let client = app.tenant().client;
    let path = deal(&client, json!({ "value": 1.5 }));
    let was = client.get(&path).expect(200).data().clone();
    let gone = client.delete(&path).expect(200);
    assert_eq!(gone.data(), &json!({ "id": was["id"], "deleted": true }));
    assert_eq!(told_of(&client, "deal")[1], ("deal.deleted".to_owned(), json!({ "deal": was })));
    client.get(&path).expect(404).error("not_found");
    client.delete(&path).expect(404).error("not_found");
    client.patch(&path, json!({ "title": "x" })).expect(404).error("not_found");
    client.post(&format!("{path}/reopen"), json!({})).expect(404).error("not_found");
    assert_eq!(client.get("/deals").expect(200).data(), &json!([]));
}

fn a_retried_deal_is_made_once(app: App) {
    let client = app.tenant().client.with("idempotency-key", "k");
    let first = client.post("/deals", json!({ "title": "Chairs", "value": 0.3 })).expect(201);
    let again = client.post("/deals", json!({ "title": "Chairs", "value": 0.3 })).expect(201);
    assert_eq!((again.header("idempotent-replayed"), &again.body), (Some("true"), &first.body));
    assert_eq!(client.get("/deals").expect(200).data().as_array().unwrap().len(), 1);
    assert_eq!(told_of(&client, "deal").len(), 1);
}
