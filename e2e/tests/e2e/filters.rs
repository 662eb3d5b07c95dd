//! The filters of GET /contacts, alone and together.

use frontdesk_e2e::{App, Client, on_every_engine};
use serde_json::{Value, json};

use crate::people::{add, encoded, listed, tag, walk};
use crate::shapes::{NOTHING, text};

on_every_engine! {
    every_filter_narrows_the_list_alone_and_with_every_other,
    a_number_and_an_address_are_compared_however_they_are_written,
    a_time_filter_includes_its_own_time,
    a_filter_of_the_wrong_shape_is_a_bad_request,
    a_filter_by_another_accounts_id_finds_nothing,
}

/// What is asked for, and the people, by their initials, that it must find.
type Asked = (String, String);

fn people(client: &Client) -> Vec<Asked> {
    let (vip, new) = (tag(client, "vip"), tag(client, "new"));
    let ann = json!({ "name": "Ann", "phone": "+14155550101", "email": "ann@acme.com", "tag_ids": [vip] });
    let ann = format!("/contacts/{}", add(client, ann));
    add(
        client,
        json!({ "name": "Bob", "phone": "+14155550102", "email": "team@acme.com", "tag_ids": [vip, new] }),
    );
    add(client, json!({ "name": "Cat", "company": "Acme", "email": "team@acme.com" }));
    add(client, json!({ "name": "Dan", "company": "Globex", "tag_ids": [new] }));
    client.patch(&ann, json!({ "company": "Globex" })).expect(200);
    let rules = json!([{ "field": "company", "op": "is_set" }]);
    let employed = client.post("/segments", json!({ "name": "Employed", "rules": rules })).expect(201).id();

    let rows = walk(client, "/contacts");
    let since = |field: &str, moment: &str| {
        let mut names: Vec<&str> =
            rows.iter().filter(|row| text(&row[field]) >= moment).map(|row| text(&row["name"])).collect();
        names.sort_unstable();
        names.concat().chars().filter(|c| c.is_uppercase()).collect::<String>()
    };
    let moment = |name: &str, field: &str| {
        text(&rows.iter().find(|row| row["name"] == name).unwrap()[field]).to_owned()
    };
    let (cat_created, ann_updated) = (moment("Cat", "created_at"), moment("Ann", "updated_at"));
    let asked = |query: String, wanted: &str| (query, wanted.to_owned());
    vec![
        asked("q=acme".into(), "ABC"),
        asked("q=globex".into(), "AD"),
        asked(format!("tag_id={vip}"), "AB"),
        asked(format!("tag_id={new}"), "BD"),
        asked(format!("segment_id={employed}"), "ACD"),
        asked("phone=%2B14155550102".into(), "B"),
        asked("email=team@acme.com".into(), "BC"),
        asked("email=ann@acme.com".into(), "A"),
        asked(format!("created_since={cat_created}"), &since("created_at", &cat_created)),
        asked(format!("updated_since={ann_updated}"), &since("updated_at", &ann_updated)),
    ]
}

fn initials(names: &[String]) -> String {
    names.iter().map(|name| &name[..1]).collect()
}

fn every_filter_narrows_the_list_alone_and_with_every_other(app: App) {
    let client = app.tenant().client;
    let asked = people(&client);
    let both = |one: &str, other: &str| one.chars().filter(|c| other.contains(*c)).collect::<String>();
    let name = |query: &str| query.split('=').next().unwrap_or_default().to_owned();
    assert_eq!(initials(&listed(&client, "")), "ABCD");
    for (at, (query, wanted)) in asked.iter().enumerate() {
        assert!(!wanted.is_empty(), "{query} must find somebody");
        assert_eq!(initials(&listed(&client, query)), *wanted, "{query}");
        for (other, others) in &asked[at + 1..] {
            if name(query) != name(other) {
                let found = initials(&listed(&client, &format!("{query}&{other}")));
                assert_eq!(found, both(wanted, others), "{query}&{other}");
            }
        }
    }
    let mut seen = Vec::new();
    let all = asked.iter().filter(|(query, _)| {
        let new = !seen.contains(&name(query));
        seen.push(name(query));
        new && !query.starts_with("phone")
    });
    let (queries, wanted) = all
        .fold((String::new(), "ABCD".to_owned()), |(queries, so_far), (query, wanted)| {
            (format!("{queries}&{query}"), both(&so_far, wanted))
        });
    assert_eq!(initials(&listed(&client, &queries)), wanted, "{queries}");
}

fn a_number_and_an_address_are_compared_however_they_are_written(app: App) {
    let client = app.tenant().client;
    add(&client, json!({ "name": "Ann", "phone": "+14155550123", "email": "Ann.Lee@Example.com" }));
    add(&client, json!({ "name": "Bia", "phone": "+5511987654321", "email": "bia+news@example.com" }));
    add(&client, json!({ "name": "Cat", "phone": "+14155550124", "email": "other.lee@example.com" }));
    for (query, wanted) in [
        ("phone=+14155550123", "A"),
        ("phone=14155550123", "A"),
        ("phone=%2B1%20(415)%20555-0123", "A"),
        ("phone=%2B551187654321", "B"),
        ("phone=%2B1415555012", ""),
        ("email=ann.lee@example.com", "A"),
        ("email=ANN.LEE@EXAMPLE.COM", "A"),
        ("email=bia%2Bnews%40example.com", "B"),
        ("email=lee@example.com", ""),
    ] {
        assert_eq!(initials(&listed(&client, query)), wanted, "{query}");
    }
    client.get("/contacts?phone=%2B1415").expect(400).error("bad_request");
}

fn a_time_filter_includes_its_own_time(app: App) {
    let client = app.tenant().client;
    let made = client.post("/contacts", json!({ "name": "Ann" })).expect(201);
    let moment = text(&made.data()["created_at"]).to_owned();
    for field in ["created_since", "updated_since"] {
        for (since, wanted) in [
            (moment.as_str(), "A"),
            ("2020-01-31", "A"),
            ("2020-01-31T12:00:00+02:00", "A"),
            ("2999-01-01T00:00:00Z", ""),
        ] {
            let found = initials(&listed(&client, &format!("{field}={}", encoded(since))));
            assert_eq!(found, wanted, "{field}={since}");
        }
        let (start, millis) = moment.trim_end_matches('Z').rsplit_once('.').unwrap();
        let next: u32 = millis.parse::<u32>().unwrap() + 1;
        if next < 1000 {
            assert_eq!(listed(&client, &format!("{field}={start}.{next:03}Z")), Vec::<String>::new());
        }
    }
}

fn a_filter_of_the_wrong_shape_is_a_bad_request(app: App) {
    let client = app.tenant().client;
    for query in [
        "tag_id=vip",
        "segment_id=7",
        "phone=me",
        "email=nowhere",
        "updated_since=yesterday",
        "updated_since=2026-13-01",
        "created_since=1769860800",
        "created_since=2026-01-31T12:00:00",
    ] {
        let response = client.get(&format!("/contacts?{query}"));
        assert_eq!(response.status, 400, "{query}");
        let message = text(&response.error("bad_request")["message"]);
        assert!(message.contains(query.split('=').next().unwrap()), "{query} got {message}");
    }
}

fn a_filter_by_another_accounts_id_finds_nothing(app: App) {
    let (ours, theirs) = (app.tenant().client, app.tenant().client);
    let their_tag = tag(&theirs, "vip");
    let rules = json!([{ "field": "name", "op": "is_set" }]);
    let their_segment = theirs.post("/segments", json!({ "name": "All", "rules": rules })).expect(201).id();
    add(&theirs, json!({ "name": "Ann", "tag_ids": [their_tag] }));
    add(&ours, json!({ "name": "Bob" }));
    for tag in [their_tag.as_str(), NOTHING] {
        assert_eq!(ours.get(&format!("/contacts?tag_id={tag}")).expect(200).data(), &json!([]));
    }
    for segment in [their_segment.as_str(), NOTHING] {
        let response = ours.get(&format!("/contacts?segment_id={segment}")).expect(404);
        assert_eq!(response.error("not_found").get("details"), None::<&Value>);
    }
}
