//! The filters of GET /deals, alone and together.

use frontdesk_e2e::{App, Client, on_every_engine};
use serde_json::json;

use crate::people::{add, encoded, walk};
use crate::sales::{deal, first_pipeline, pipeline};
use crate::shapes::{NOTHING, text};

on_every_engine! {
    every_filter_narrows_the_list_alone_and_with_every_other,
    any_part_of_a_title_matches_regardless_of_case,
    a_filter_of_the_wrong_shape_is_a_bad_request,
}

/// The first letters of the titles listed under a query, in the order of the alphabet.
#[track_caller]
fn listed(client: &Client, query: &str) -> String {
    let mut letters: Vec<char> = walk(client, &format!("/deals?{query}"))
        .iter()
        .map(|row| text(&row["title"]).chars().next().unwrap())
        .collect();
    letters.sort_unstable();
    letters.into_iter().collect()
}

fn every_filter_narrows_the_list_alone_and_with_every_other(app: App) {
    let tenant = app.tenant();
    let client = tenant.client;
    let account = &tenant.account.id;
    let mia =
        app.cli(&["member", "add", "--account", account, "--name", "Mia", "--email", "mia@example.com"]);
    let mia = text(&mia["user_id"]);
    let (first, other) = (first_pipeline(&client), pipeline(&client));
    let ann = add(&client, json!({ "name": "Ann" }));
    let a = deal(&client, json!({ "title": "A chair", "contact_id": ann }));
    deal(&client, json!({ "title": "B chair", "stage_id": first.stages[1], "owner_user_id": mia }));
    deal(
        &client,
        json!({ "title": "C table", "stage_id": other.stages[1], "contact_id": ann, "owner_user_id": mia }),
    );
    let d = deal(&client, json!({ "title": "D table", "pipeline_id": other.id, "owner_user_id": null }));
    client.post(&format!("{d}/close"), json!({ "outcome": "lost" })).expect(200);
    let a = client.patch(&a, json!({ "value": 1 })).expect(200);
    let since = text(&a.data()["updated_at"]);
    let rows = walk(&client, "/deals");
    let mut late: Vec<&str> = rows
        .iter()
        .filter(|row| text(&row["updated_at"]) >= since)
        .map(|row| &text(&row["title"])[..1])
        .collect();
    late.sort_unstable();
    let asked = [
        (format!("pipeline_id={}", first.id), "AB".to_owned()),
        (format!("pipeline_id={}", other.id), "CD".to_owned()),
        (format!("stage_id={}", first.stages[0]), "A".to_owned()),
        (format!("stage_id={}", other.stages[1]), "C".to_owned()),
        ("status=open".to_owned(), "ABC".to_owned()),
        ("status=lost".to_owned(), "D".to_owned()),
        ("status=won".to_owned(), String::new()),
        (format!("contact_id={ann}"), "AC".to_owned()),
        (format!("owner_user_id={mia}"), "BC".to_owned()),
        (format!("owner_user_id={}", tenant.account.owner), "A".to_owned()),
        ("q=chair".to_owned(), "AB".to_owned()),
        ("q=TABLE".to_owned(), "CD".to_owned()),
        (format!("updated_since={since}"), late.concat()),
        (format!("contact_id={NOTHING}"), String::new()),
    ];
    assert_eq!(listed(&client, ""), "ABCD");
    let name = |query: &str| query.split('=').next().unwrap_or_default().to_owned();
    for (at, (query, wanted)) in asked.iter().enumerate() {
        assert_eq!(listed(&client, query), *wanted, "{query}");
        for (other, others) in asked[at + 1..].iter().filter(|(other, _)| name(other) != name(query)) {
            let both: String = wanted.chars().filter(|c| others.contains(*c)).collect();
            assert_eq!(listed(&client, &format!("{query}&{other}")), both, "{query}&{other}");
        }
    }
}

fn any_part_of_a_title_matches_regardless_of_case(app: App) {
    let client = app.tenant().client;
    for title in ["A Ärger mit 100%", "B x_y", "C back\\slash"] {
        deal(&client, json!({ "title": title }));
    }
    for (q, wanted) in [
        ("ärger", "A"),
        ("ÄRGER M", "A"),
        ("0%", "A"),
        ("%", "A"),
        ("_", "B"),
        ("X_Y", "B"),
        ("\\", "C"),
        ("a%b", ""),
        ("a", "AC"),
    ] {
        assert_eq!(listed(&client, &format!("q={}", encoded(q))), wanted, "{q}");
    }
}

fn a_filter_of_the_wrong_shape_is_a_bad_request(app: App) {
    let client = app.tenant().client;
    for query in [
        "pipeline_id=7",
        "stage_id=x",
        "status=OPEN",
        "contact_id=x",
        "owner_user_id=me",
        "updated_since=now",
    ] {
        let response = client.get(&format!("/deals?{query}"));
        assert_eq!(response.status, 400, "{query}");
        let message = text(&response.error("bad_request")["message"]);
        assert!(message.contains(query.split('=').next().unwrap()), "{query} got {message}");
    }
}
