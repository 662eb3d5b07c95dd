//! Deals on their way: moved, closed, reopened, by one and by several at once.

use frontdesk_e2e::{App, Client, at_once, on_every_engine, on_shared_stores};
use serde_json::{Value, json};

use crate::sales::{deal, first_pipeline, told_of};
use crate::shapes::{is_moment, text};

on_every_engine! {
    a_move_sends_an_event_with_the_previous_stage,
    a_move_to_where_it_is_changes_nothing,
    a_closed_deal_does_not_move,
    a_deal_is_won_or_lost_and_reopened,
    only_a_lost_deal_has_a_reason,
    two_concurrent_moves_of_a_deal_are_serialised,
    of_two_concurrent_closes_of_a_deal_one_succeeds,
}

on_shared_stores! {
    two_concurrent_moves_at_two_servers_are_serialised,
}

fn a_move_sends_an_event_with_the_previous_stage(app: App) {
    let client = app.tenant().client;
    let stages = first_pipeline(&client).stages;
    let path = deal(&client, json!({}));
    let before = client.get(&path).expect(200).data().clone();
    let moved = client.post(&format!("{path}/move"), json!({ "stage_id": stages[2] })).expect(200);
    let mut wanted = before.clone();
    wanted["stage_id"] = json!(stages[2]);
    wanted["updated_at"] = moved.data()["updated_at"].clone();
    assert_eq!(moved.data(), &wanted);
    assert!(text(&wanted["updated_at"]) > text(&before["updated_at"]));
    assert_eq!(client.get(&path).expect(200).data(), &wanted);
    let told = told_of(&client, "deal");
    let data = json!({ "deal": wanted, "previous": { "stage_id": stages[0] } });
    assert_eq!(told[1..], [("deal.stage_changed".to_owned(), data)]);
}

fn a_move_to_where_it_is_changes_nothing(app: App) {
    let client = app.tenant().client;
    let path = deal(&client, json!({}));
    let before = client.get(&path).expect(200).data().clone();
    let same = client.post(&format!("{path}/move"), json!({ "stage_id": before["stage_id"] })).expect(200);
    assert_eq!(same.data(), &before);
    assert_eq!(told_of(&client, "deal").len(), 1);
}

fn a_closed_deal_does_not_move(app: App) {
    let client = app.tenant().client;
    let stages = first_pipeline(&client).stages;
    for outcome in ["won", "lost"] {
        let path = deal(&client, json!({}));
        let closed = client.post(&format!("{path}/close"), json!({ "outcome": outcome })).expect(200);
        for stage in &stages[..2] {
            client.post(&format!("{path}/move"), json!({ "stage_id": stage })).expect(409).error("conflict");
        }
        assert_eq!(client.get(&path).expect(200).data(), closed.data());
        client.send("POST", &format!("{path}/reopen"), None).expect(200);
        client.post(&format!("{path}/move"), json!({ "stage_id": stages[1] })).expect(200);
    }
}

fn a_deal_is_won_or_lost_and_reopened(app: App) {
    let client = app.tenant().client;
    let path = deal(&client, json!({}));
    let before = client.get(&path).expect(200).data().clone();
    client.send("POST", &format!("{path}/reopen"), None).expect(409).error("conflict");
    let lost =
        client.post(&format!("{path}/close"), json!({ "outcome": "lost", "reason": "Too dear" })).expect(200);
    assert_eq!((&lost.data()["status"], &lost.data()["lost_reason"]), (&json!("lost"), &json!("Too dear")));
    is_moment(&lost.data()["closed_at"]);
    for outcome in ["won", "lost"] {
        client.post(&format!("{path}/close"), json!({ "outcome": outcome })).expect(409).error("conflict");
    }
    let open = client.post(&format!("{path}/reopen"), json!({})).expect(200);
    let mut wanted = before.clone();
    wanted["updated_at"] = open.data()["updated_at"].clone();
    assert_eq!(open.data(), &wanted);
    let won = client.post(&format!("{path}/close"), json!({ "outcome": "won" })).expect(200);
    assert_eq!((&won.data()["status"], &won.data()["lost_reason"]), (&json!("won"), &Value::Null));
    assert_eq!(won.data()["stage_id"], before["stage_id"]);
    let told = told_of(&client, "deal");
    let event = |name: &str, deal: &Value, status: &str| {
        (name.to_owned(), json!({ "deal": deal, "previous": { "status": status } }))
    };
    let wanted = [
        event("deal.closed", lost.data(), "open"),
        event("deal.reopened", open.data(), "lost"),
        event("deal.closed", won.data(), "open"),
    ];
    assert_eq!(told[1..], wanted);
}

fn only_a_lost_deal_has_a_reason(app: App) {
    let client = app.tenant().client;
    let close = format!("{}/close", deal(&client, json!({})));
    let refused = client.post(&close, json!({ "outcome": "won", "reason": "Good price" })).expect(400);
    refused.error("validation_error");
    refused.details_at(&["reason"]);
    client.post(&close, json!({ "outcome": "won", "reason": " " })).expect(200);
}

/// Moves one deal by several hands at once, again and again, and demands that every move happened in some order.
#[track_caller]
fn moved_by_many(first: &Client, second: &Client) {
    let stages = first_pipeline(first).stages;
    for round in 0..12 {
        let path = deal(first, json!({}));
        let id = path.rsplit('/').next().unwrap().to_owned();
        let responses = at_once(2, |number| {
            let client = [first, second][number];
            client.post(&format!("{path}/move"), json!({ "stage_id": stages[number + 1] }))
        });
        for response in responses {
            response.expect(200);
        }
        let last = first.get(&path).expect(200).data().clone();
        assert!(
            stages[1..=2].iter().any(|stage| last["stage_id"] == stage.as_str()),
            "round {round}: {last}"
        );
        let told = told_of(first, "deal");
        let moves: Vec<&Value> = told
            .iter()
            .filter(|(event, data)| event == "deal.stage_changed" && data["deal"]["id"] == id.as_str())
            .map(|(_, data)| data)
            .collect();
        assert_eq!(moves.len(), 2, "round {round}");
        // Each starts where the one before it ended, and the last one is what is there now.
        assert_eq!(moves[0]["previous"]["stage_id"], stages[0].as_str(), "round {round}");
        assert_eq!(moves[1]["previous"]["stage_id"], moves[0]["deal"]["stage_id"], "round {round}");
        assert_eq!(moves[1]["deal"], last, "round {round}");
        assert!(text(&moves[0]["deal"]["updated_at"]) < text(&last["updated_at"]), "round {round}");
    }
}

fn two_concurrent_moves_of_a_deal_are_serialised(app: App) {
    let client = app.tenant().client;
    moved_by_many(&client, &client);
}

fn two_concurrent_moves_at_two_servers_are_serialised(app: App) {
    let second = app.second_server();
    let client = app.tenant().client;
    moved_by_many(&client, &client.at(&second));
}

fn of_two_concurrent_closes_of_a_deal_one_succeeds(app: App) {
    let client = app.tenant().client;
    for _ in 0..8 {
        let path = deal(&client, json!({}));
        let outcomes = ["won", "lost"];
        let responses = at_once(2, |number| {
            client.post(&format!("{path}/close"), json!({ "outcome": outcomes[number] }))
        });
        let mut statuses: Vec<u16> = responses.iter().map(|response| response.status).collect();
        let winner = statuses.iter().position(|status| *status == 200).expect("one that closes it");
        assert_eq!(client.get(&path).expect(200).data()["status"], outcomes[winner]);
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409]);
    }
    let closed = told_of(&client, "deal").iter().filter(|(event, _)| event == "deal.closed").count();
    assert_eq!(closed, 8);
}
