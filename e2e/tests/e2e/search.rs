//! What `q` finds. Both engines must find the same.

use frontdesk_e2e::{App, Client, on_every_engine};
use serde_json::json;

use crate::people::{add, encoded, listed, walk};

on_every_engine! {
    any_part_is_found_whatever_its_case,
    one_or_two_characters_find_beginnings_of_words_alone,
    characters_with_a_meaning_elsewhere_are_looked_for_as_they_are,
    a_changed_contact_is_found_by_what_it_is_and_not_by_what_it_was,
    a_blank_query_finds_everybody,
    a_search_is_walked_page_by_page,
    a_search_finds_nothing_of_another_account,
}

/// Demands that each query finds these people, named by the first word of their names.
#[track_caller]
fn finds(client: &Client, table: &[(&str, &str)]) {
    let wrong: Vec<String> = table
        .iter()
        .filter_map(|(query, wanted)| {
            let names = listed(client, &format!("q={}", encoded(query)));
            let found: Vec<&str> =
                names.iter().map(|name| name.split_whitespace().next().unwrap_or_default()).collect();
            let found = found.join(" ");
            (found != *wanted).then(|| format!("{query:?} finds {found:?} instead of {wanted:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn people(client: &Client) {
    add(
        client,
        json!({
            "name": "Ann-Marie Lee", "phone": "+55 11 98765-4321", "email": "Ann.Lee@acme.com",
            "company": "ACME GmbH",
        }),
    );
    add(client, json!({ "name": "Zoë Ärmel", "email": "zoe@example.org", "company": "Öl & Söhne" }));
    add(client, json!({ "name": "田中太郎", "phone": "+81 3 1234 5678" }));
    add(client, json!({ "name": "ΑΛΦΑ Бета", "company": "Crème Brûlée" }));
}

fn any_part_is_found_whatever_its_case(app: App) {
    let client = app.tenant().client;
    people(&client);
    finds(
        &client,
        &[
            ("ann", "Ann-Marie"),
            ("MARIE", "Ann-Marie"),
            ("nn-ma", "Ann-Marie"),
            ("e Lee", "Ann-Marie"),
            ("ann-marie lee", "Ann-Marie"),
            (" lee ", "Ann-Marie"),
            ("87654", "Ann-Marie"),
            ("+55119", "Ann-Marie"),
            ("5511987654321", "Ann-Marie"),
            ("LEE@ACME", "Ann-Marie"),
            (".com", "Ann-Marie"),
            ("gmbh", "Ann-Marie"),
            ("zoË", "Zoë"),
            ("ÄRM", "Zoë"),
            ("rmel", "Zoë"),
            ("öl & SÖ", "Zoë"),
            ("hne", "Zoë"),
            ("zoe", "Zoë"),
            ("田中太", "田中太郎"),
            ("中太郎", "田中太郎"),
            ("12345", "田中太郎"),
            ("αλφ", "ΑΛΦΑ"),
            ("ЕТА", "ΑΛΦΑ"),
            ("crÈme", "ΑΛΦΑ"),
            ("ÛLÉE", "ΑΛΦΑ"),
            ("acme.com", "Ann-Marie"),
            ("annmarie", ""),
            ("lee ann", ""),
            ("marie  lee", ""),
            ("4321ann", ""),
            ("com acme", ""),
            ("comacme", ""),
            ("armel", ""),
            ("creme", ""),
        ],
    );
}

fn one_or_two_characters_find_beginnings_of_words_alone(app: App) {
    let client = app.tenant().client;
    people(&client);
    finds(
        &client,
        &[
            ("a", "Ann-Marie"),
            ("AN", "Ann-Marie"),
            ("ma", "Ann-Marie"),
            ("l", "Ann-Marie"),
            ("le", "Ann-Marie"),
            ("gm", "Ann-Marie"),
            ("55", "Ann-Marie"),
            ("co", "Ann-Marie"),
            ("Z", "Zoë"),
            ("zo", "Zoë"),
            ("ä", "Zoë"),
            ("ÄR", "Zoë"),
            ("ö", "Zoë"),
            ("Sö", "Zoë"),
            ("o", "Zoë"),
            ("田", "田中太郎"),
            ("田中", "田中太郎"),
            ("8", "田中太郎"),
            ("α", "ΑΛΦΑ"),
            ("бе", "ΑΛΦΑ"),
            ("CR", "ΑΛΦΑ"),
            ("nn", ""),
            ("e", "Zoë"),
            ("ee", ""),
            ("11", ""),
            ("21", ""),
            ("ri", ""),
            ("oë", ""),
            ("rm", ""),
            ("太郎", ""),
            ("λ", ""),
            ("та", ""),
            ("q", ""),
        ],
    );
}

fn characters_with_a_meaning_elsewhere_are_looked_for_as_they_are(app: App) {
    let client = app.tenant().client;
    for name in [
        "100% wool",
        "100 wool",
        "snake_case",
        "snakeXcase",
        "back\\slash",
        "Say \"hi\" AND (go)* now",
        "O'Brien; --",
    ] {
        add(&client, json!({ "name": name }));
    }
    finds(
        &client,
        &[
            ("100", "100 100%"),
            ("100%", "100%"),
            ("00% w", "100%"),
            ("0%w", ""),
            ("%", ""),
            ("%%", ""),
            ("%%%", ""),
            ("1%", ""),
            ("_", ""),
            ("___", ""),
            ("e_c", "snake_case"),
            ("snake", "snakeXcase snake_case"),
            ("snake_case", "snake_case"),
            ("k\\s", "back\\slash"),
            ("\\sl", "back\\slash"),
            ("\\\\\\", ""),
            ("\"hi\"", "Say"),
            ("\"hi\" and", "Say"),
            ("and (", "Say"),
            ("(go)*", "Say"),
            ("say*", ""),
            ("sa*", ""),
            ("wool OR snake", ""),
            ("NOT wool", ""),
            ("name:wool", ""),
            ("o'b", "O'Brien;"),
            ("'; --", ""),
            ("n; --", "O'Brien;"),
            ("' OR '1'='1", ""),
        ],
    );
}

fn a_changed_contact_is_found_by_what_it_is_and_not_by_what_it_was(app: App) {
    let client = app.tenant().client;
    let body =
        json!({ "name": "Ann Lee", "phone": "+14155550123", "email": "ann@acme.com", "company": "Acme" });
    let path = format!("/contacts/{}", add(&client, body));
    finds(&client, &[("ann", "Ann"), ("acme", "Ann"), ("5550123", "Ann"), ("le", "Ann")]);
    client.patch(&path, json!({ "name": "Eve Ray" })).expect(200);
    finds(
        &client,
        &[("ann lee", ""), ("lee", ""), ("le", ""), ("eve ray", "Eve"), ("ra", "Eve"), ("ann@", "Eve")],
    );
    client.patch(&path, json!({ "phone": null, "email": null, "company": "Globex" })).expect(200);
    finds(&client, &[("5550123", ""), ("ann", ""), ("acme", ""), ("glob", "Eve"), ("eve", "Eve")]);
    client.patch(&path, json!({ "name": "Ann Lee" })).expect(200);
    finds(&client, &[("ann lee", "Ann"), ("eve", ""), ("glob", "Ann")]);
}

fn a_blank_query_finds_everybody(app: App) {
    let client = app.tenant().client;
    people(&client);
    for query in ["q=", "q=%20%20", "q"] {
        assert_eq!(listed(&client, query).len(), 4, "{query}");
    }
}

fn a_search_is_walked_page_by_page(app: App) {
    let client = app.tenant().client;
    let mut wanted = Vec::new();
    for number in 0..14 {
        wanted.push(add(&client, json!({ "name": format!("Ann {number}") })));
        add(&client, json!({ "name": format!("Bob {number}") }));
    }
    wanted.reverse();
    for query in ["ann", "an"] {
        let mut found = Vec::new();
        let mut next = format!("/contacts?q={query}&limit=4");
        loop {
            let page = client.get(&next).expect(200);
            found.extend(
                page.data().as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_owned()),
            );
            match page.json["meta"]["next_cursor"].as_str() {
                Some(cursor) => next = format!("/contacts?q={query}&limit=4&cursor={cursor}"),
                None => break,
            }
        }
        assert_eq!(found, wanted, "{query}");
    }
}

fn a_search_finds_nothing_of_another_account(app: App) {
    let (ours, theirs) = (app.tenant().client, app.tenant().client);
    add(&theirs, json!({ "name": "Ann Lee", "phone": "+14155550123" }));
    for query in ["a", "an", "ann", "lee", "5550123", "+1"] {
        let query = format!("q={}", encoded(query));
        assert_eq!(listed(&ours, &query), Vec::<String>::new(), "{query}");
        assert_eq!(listed(&theirs, &query), ["Ann Lee"], "{query}");
    }
    add(&ours, json!({ "name": "Ann Ours" }));
    assert_eq!(walk(&ours, "/contacts?q=ann").len(), 1);
}
