//! Pipelines and their stages.

use frontdesk_e2e::{App, Client, Engine, at_once, on_every_engine};
use postgres::{Client as Postgres, NoTls};
use serde_json::{Value, json};

use crate::sales::{Pipeline, deal, first_pipeline, pipeline};
use crate::shapes::{NOTHING, has_fields, is_id, is_moment, text};

on_every_engine! {
    demo an_account_begins_with_a_pipeline,
    alone an_account_made_before_there_were_pipelines_gets_one_at_the_next_start,
    a_pipeline_is_made_with_the_usual_stages_or_with_its_own,
    a_pipeline_is_renamed_and_reordered,
    an_order_names_every_stage_once,
    stages_are_added_changed_moved_and_deleted,
    all_problems_of_a_pipeline_are_reported_at_once,
    a_pipeline_or_stage_with_deals_cannot_be_deleted,
    the_last_pipeline_and_stage_cannot_be_deleted,
    of_two_pipelines_deleted_at_once_one_stays,
    a_stage_deleted_while_deals_are_created_leaves_no_deal_without_a_stage,
    a_pipeline_has_at_most_fifty_stages,
}

/// The names and positions of a pipeline's stages.
#[track_caller]
fn stages(client: &Client, path: &str) -> Vec<(String, u64)> {
    let pipeline = client.get(path).expect(200);
    let stage = |stage: &Value| (text(&stage["name"]).to_owned(), stage["position"].as_u64().unwrap());
    pipeline.data()["stages"].as_array().unwrap().iter().map(stage).collect()
}

fn numbered(names: &[&str]) -> Vec<(String, u64)> {
    names.iter().map(ToString::to_string).zip(0..).collect()
}

fn an_account_begins_with_a_pipeline(app: App) {
    for client in [app.tenant().client, app.tenant().client] {
        let rows = client.get("/pipelines").expect(200);
        assert_eq!(rows.data().as_array().unwrap().len(), 1, "{}", rows.text);
        let first = &rows.data()[0];
        has_fields(first, "id name stages created_at updated_at");
        assert_eq!(first["stages"].as_array().unwrap().len(), 4);
        deal(&client, json!({}));
    }
    // So does the account that the first start makes.
    let key =
        app.printed().split_whitespace().find(|word| word.starts_with("frontdesk_live_")).map(str::to_owned);
    let demo = app.anonymous().with_key(&key.expect("the demo's key"));
    assert_eq!(demo.get("/pipelines").expect(200).data().as_array().unwrap().len(), 1);
}

fn an_account_made_before_there_were_pipelines_gets_one_at_the_next_start(engine: Engine) {
    let app = App::start(engine).ready();
    let tenant = app.tenant();
    app.stop();
    // As a database was before this table: with nothing in it.
    let forget = "DELETE FROM pipelines";
    match app.database().strip_prefix("sqlite:") {
        Some(path) => rusqlite::Connection::open(path)
            .unwrap()
            .execute_batch(&format!("PRAGMA foreign_keys = ON; {forget}"))
            .unwrap(),
        None => Postgres::connect(app.database(), NoTls).unwrap().batch_execute(forget).unwrap(),
    }
    app.restart();
    let rows = tenant.client.get("/pipelines").expect(200);
    assert_eq!(rows.data().as_array().unwrap().len(), 1, "{}", rows.text);
    app.restart();
    assert_eq!(tenant.client.get("/pipelines").expect(200).data(), rows.data());
}

fn a_pipeline_is_made_with_the_usual_stages_or_with_its_own(app: App) {
    let client = app.tenant().client;
    let usual = client.post("/pipelines", json!({ "name": "Partners" })).expect(201);
    has_fields(usual.data(), "id name stages created_at updated_at");
    is_id(&usual.data()["id"]);
    is_moment(&usual.data()["created_at"]);
    assert_eq!(usual.data()["name"], "Partners");
    let stages = usual.data()["stages"].as_array().unwrap();
    assert_eq!(stages.len(), 4);
    for (number, stage) in stages.iter().enumerate() {
        has_fields(stage, "id name position probability");
        is_id(&stage["id"]);
        assert_eq!(stage["position"], number);
        assert!((0..=100).contains(&stage["probability"].as_i64().unwrap()), "{stage}");
    }
    assert_eq!(usual.data(), client.get(&format!("/pipelines/{}", usual.id())).expect(200).data());
    let own = json!({ "name": "Hiring", "stages": [{ "name": "Applied", "probability": 0 }, { "name": "Hired", "probability": 100 }, { "name": "Maybe" }] });
    let own = client.post("/pipelines", own).expect(201);
    let given: Vec<(&str, i64)> = own.data()["stages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|stage| (text(&stage["name"]), stage["probability"].as_i64().unwrap()))
        .collect();
    assert_eq!(given, [("Applied", 0), ("Hired", 100), ("Maybe", 50)]);
    let rows = client.get("/pipelines").expect(200);
    let ids: Vec<&str> = rows.data().as_array().unwrap().iter().map(|row| text(&row["id"])).collect();
    assert_eq!(ids[..2], [own.id(), usual.id()]);
    assert_eq!(&rows.data()[0], own.data());
}

fn a_pipeline_is_renamed_and_reordered(app: App) {
    let client = app.tenant().client;
    let made = pipeline(&client);
    let renamed = client.patch(&made.path, json!({ "name": " Allies " })).expect(200);
    assert_eq!(renamed.data()["name"], "Allies");
    assert_eq!(Pipeline::of(renamed.data()).stages, made.stages);
    let order: Vec<&String> = made.stages.iter().rev().collect();
    let reordered = client.patch(&made.path, json!({ "stage_ids": order })).expect(200);
    assert_eq!(Pipeline::of(reordered.data()).stages.iter().collect::<Vec<_>>(), order);
    let positions: Vec<&Value> =
        reordered.data()["stages"].as_array().unwrap().iter().map(|stage| &stage["position"]).collect();
    assert_eq!(positions, [0, 1, 2, 3]);
    assert_eq!(client.get(&made.path).expect(200).data(), reordered.data());
    // What changes nothing leaves the moment of the last change alone.
    let same = client.patch(&made.path, json!({ "stage_ids": order, "name": "Allies" })).expect(200);
    assert_eq!(same.data(), reordered.data());
    client.patch(&format!("/pipelines/{NOTHING}"), json!({ "name": "x" })).expect(404).error("not_found");
    // A deal begins in the stage that is first now.
    let path = deal(&client, json!({ "pipeline_id": made.id }));
    assert_eq!(client.get(&path).expect(200).data()["stage_id"], order[0].as_str());
}

fn an_order_names_every_stage_once(app: App) {
    let client = app.tenant().client;
    let (made, other) = (pipeline(&client), pipeline(&client));
    let [a, b, c, d] = [0, 1, 2, 3].map(|at| made.stages[at].clone());
    for (order, paths) in [
        (json!([a, b, c]), vec!["stage_ids"]),
        (json!([]), vec!["stage_ids"]),
        (json!([a, b, c, d, a]), vec!["stage_ids.4"]),
        (json!([a, NOTHING, c, other.stages[0]]), vec!["stage_ids.1", "stage_ids.3"]),
        (json!([a, "b", c, d]), vec!["stage_ids.1"]),
        (Value::Null, vec!["stage_ids"]),
    ] {
        let response = client.patch(&made.path, json!({ "stage_ids": order })).expect(400);
        response.error("validation_error");
        response.details_at(&paths);
    }
    // All at once, with what is wrong elsewhere.
    let wrong = json!({ "name": "", "stage_ids": [a, b, c, other.stages[0]] });
    client.patch(&made.path, wrong).expect(400).details_at(&["name", "stage_ids.3"]);
    assert_eq!(Pipeline::of(client.get(&made.path).expect(200).data()).stages, made.stages);
}

fn stages_are_added_changed_moved_and_deleted(app: App) {
    let client = app.tenant().client;
    let own = json!({ "name": "P", "stages": [{ "name": "a" }, { "name": "b" }] });
    let made = Pipeline::of(client.post("/pipelines", own).expect(201).data());
    let path = format!("{}/stages", made.path);
    let last = client.post(&path, json!({ "name": "c", "probability": 90 })).expect(201);
    has_fields(last.data(), "id name position probability");
    assert_eq!((&last.data()["position"], &last.data()["probability"]), (&json!(2), &json!(90)));
    let first = client.post(&path, json!({ "name": "d", "position": 0 })).expect(201);
    assert_eq!((&first.data()["position"], &first.data()["probability"]), (&json!(0), &json!(50)));
    assert_eq!(stages(&client, &made.path), numbered(&["d", "a", "b", "c"]));
    let changed = client.patch(&made.stage_path(0), json!({ "name": "A", "probability": 7 })).expect(200);
    assert_eq!(
        changed.data(),
        &json!({ "id": made.stages[0], "name": "A", "position": 1, "probability": 7 })
    );
    let moved = client.patch(&made.stage_path(0), json!({ "position": 3 })).expect(200);
    assert_eq!(moved.data()["position"], 3);
    assert_eq!(stages(&client, &made.path), numbered(&["d", "b", "c", "A"]));
    client.patch(&made.stage_path(1), json!({ "position": 49 })).expect(200);
    assert_eq!(stages(&client, &made.path), numbered(&["d", "c", "A", "b"]));
    let gone = client.delete(&format!("{path}/{}", last.id())).expect(200);
    assert_eq!(gone.data(), &json!({ "id": last.id(), "deleted": true }));
    assert_eq!(stages(&client, &made.path), numbered(&["d", "A", "b"]));
    client.delete(&format!("{path}/{}", last.id())).expect(404).error("not_found");
    client.patch(&format!("{path}/{}", last.id()), json!({ "name": "x" })).expect(404).error("not_found");
    client
        .post(&format!("/pipelines/{NOTHING}/stages"), json!({ "name": "x" }))
        .expect(404)
        .error("not_found");
    // A stage is reached through its own pipeline only.
    let other = pipeline(&client);
    client.delete(&format!("{}/stages/{}", other.path, made.stages[0])).expect(404).error("not_found");
}

fn all_problems_of_a_pipeline_are_reported_at_once(app: App) {
    let client = app.tenant().client;
    let made = pipeline(&client);
    let stages = json!([{ "name": "a", "probability": 101 }, { "probability": -1 }, { "name": 7, "probability": 0.5 }]);
    let response = client.post("/pipelines", json!({ "name": " ", "stages": stages })).expect(400);
    response.error("validation_error");
    response.details_at(&[
        "name",
        "stages.0.probability",
        "stages.1.name",
        "stages.1.probability",
        "stages.2.name",
        "stages.2.probability",
    ]);
    client.post("/pipelines", json!({ "name": "a", "stages": [] })).expect(400).details_at(&["stages"]);
    client.post("/pipelines", json!({})).expect(400).details_at(&["name"]);
    let wrong = json!({ "name": null, "probability": "high", "position": -1 });
    client.patch(&made.stage_path(0), wrong).expect(400).details_at(&["name", "probability", "position"]);
    client.post(&format!("{}/stages", made.path), json!({})).expect(400).details_at(&["name"]);
}

fn a_pipeline_or_stage_with_deals_cannot_be_deleted(app: App) {
    let client = app.tenant().client;
    let made = pipeline(&client);
    let path = deal(&client, json!({ "stage_id": made.stages[1] }));
    client.delete(&made.path).expect(409).error("conflict");
    client.delete(&made.stage_path(1)).expect(409).error("conflict");
    client.delete(&made.stage_path(0)).expect(200);
    client.post(&format!("{path}/close"), json!({ "outcome": "won" })).expect(200);
    client.delete(&made.stage_path(1)).expect(409).error("conflict");
    client.delete(&path).expect(200);
    client.delete(&made.stage_path(1)).expect(200);
    assert_eq!(client.delete(&made.path).expect(200).data(), &json!({ "id": made.id, "deleted": true }));
    client.get(&made.path).expect(404).error("not_found");
    client.delete(&made.path).expect(404).error("not_found");
}

fn the_last_pipeline_and_stage_cannot_be_deleted(app: App) {
    let client = app.tenant().client;
    let first = first_pipeline(&client);
    client.delete(&first.path).expect(409).error("conflict");
    for stage in 0..3 {
        client.delete(&first.stage_path(stage)).expect(200);
    }
    client.delete(&first.stage_path(3)).expect(409).error("conflict");
    pipeline(&client);
    client.delete(&first.path).expect(200);
    assert_eq!(client.get("/pipelines").expect(200).data().as_array().unwrap().len(), 1);
}

fn of_two_pipelines_deleted_at_once_one_stays(app: App) {
    let client = app.tenant().client;
    for _ in 0..8 {
        let paths = [first_pipeline(&client).path, pipeline(&client).path];
        let mut statuses = at_once(2, |number| client.delete(&paths[number]).status);
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409]);
        assert_eq!(client.get("/pipelines").expect(200).data().as_array().unwrap().len(), 1);
    }
}

fn a_stage_deleted_while_deals_are_created_leaves_no_deal_without_a_stage(app: App) {
    let client = app.tenant().client;
    for round in 0..10 {
        let made = pipeline(&client);
        let resting = deal(&client, json!({ "stage_id": made.stages[0] }));
        let stage = &made.stages[1];
        let responses = at_once(3, |number| match number {
            0 => client.delete(&made.stage_path(1)),
            1 => client.post("/deals", json!({ "title": "New", "stage_id": stage })),
            _ => client.post(&format!("{resting}/move"), json!({ "stage_id": stage })),
        });
        let gone = responses[0].status == 200;
        for (number, response) in responses.iter().enumerate() {
            let fine = matches!((number, response.status), (0, 200 | 409) | (1, 201 | 404) | (2, 200 | 404));
            assert!(fine, "call {number} of round {round} answered {}: {}", response.status, response.text);
            assert!(!gone || number == 0 || response.status == 404, "a deal is in a stage that is gone");
        }
    }
}

fn a_pipeline_has_at_most_fifty_stages(app: App) {
    let client = app.tenant().client;
    let many =
        |count: usize| (0..count).map(|number| json!({ "name": format!("{number}") })).collect::<Vec<_>>();
    client.post("/pipelines", json!({ "name": "a", "stages": many(51) })).expect(400).details_at(&["stages"]);
    let made = client.post("/pipelines", json!({ "name": "a", "stages": many(50) })).expect(201);
    let full = client.post(&format!("/pipelines/{}/stages", made.id()), json!({ "name": "x" })).expect(422);
    assert_eq!(full.error("unprocessable")["reason"], "limit_reached");
}
