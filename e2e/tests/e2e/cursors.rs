//! A cursor fits the list it came from, and nothing else.

use frontdesk_e2e::{Client, Engine, Response, on_every_engine};

use serde_json::{Value, json};

use crate::app_scene::{Browser, member};
use crate::inbox_scene::{ANN, Inbox, reachable};
use crate::lists::{LISTS, Paged};
use crate::receiver::reaching;
use crate::shapes::text;

on_every_engine! {
    an_altered_cursor_is_refused,
    a_cursor_fits_no_other_filters,
    a_cursor_fits_no_other_list_account_or_contact,
    a_cursor_is_not_bound_to_the_size_of_the_page,
    an_empty_cursor_is_the_first_page,
    an_empty_cursor_is_the_first_page_of_a_view,
}

/// A list with a few rows.
fn filled(list: &Paged, client: &Client) -> String {
    let path = (list.open)(client);
    (list.rows..4).for_each(|_| (list.add)(client, &path));
    path
}

/// The cursor of the first page of one row.
#[track_caller]
fn cursor(client: &Client, path: &str, query: &str) -> String {
    let page = client.get(&format!("{path}?{query}&limit=1")).expect(200);
    text(&page.json["meta"]["next_cursor"]).to_owned()
}

#[track_caller]
fn refused(client: &Client, path: &str) {
    let response = client.get(path);
    assert_eq!(response.status, 400, "{path} was taken: {}", response.text);
    response.error("bad_request");
}

fn an_altered_cursor_is_refused(engine: Engine) {
    let app = reaching(engine).ready();
    for list in LISTS {
        let client = reachable(&app).client;
        let path = filled(list, &client);
        let good = cursor(&client, &path, "");
        client.get(&format!("{path}?cursor={good}")).expect(200);
        for at in 0..good.len() {
            let other = if &good[at..=at] == "A" { "B" } else { "A" };
            refused(&client, &format!("{path}?cursor={}{other}{}", &good[..at], &good[at + 1..]));
        }
        for altered in [&good[1..], &good[..good.len() - 1], &format!("{good}A"), &format!("{good}=")] {
            refused(&client, &format!("{path}?cursor={altered}"));
        }
        for none in [
            "x",
            "0",
            "null",
            "%00",
            "%F0%9F%92%A5",
            "0192f0c4-0000-7000-8000-000000000000",
            &"A".repeat(4000),
        ] {
            refused(&client, &format!("{path}?cursor={none}"));
        }
    }
}

fn a_cursor_fits_no_other_filters(engine: Engine) {
    let app = reaching(engine).ready();
    for list in LISTS {
        let Some(filter) = list.filter else { continue };
        let client = reachable(&app).client;
        let path = filled(list, &client);
        let (bare, filtered) = (cursor(&client, &path, ""), cursor(&client, &path, filter));
        client.get(&format!("{path}?{filter}&cursor={filtered}")).expect(200);
        refused(&client, &format!("{path}?{filter}&cursor={bare}"));
        refused(&client, &format!("{path}?cursor={filtered}"));
        refused(&client, &format!("{path}?{filter}s&cursor={filtered}"));
    }
    let client = reachable(&app).client;
    let path = filled(&LISTS[0], &client);
    let bare = cursor(&client, &path, "");
    for filter in [
        "tag_id=0192f0c4-0000-7000-8000-000000000000",
        "phone=14155550123",
        "email=ann@example.com",
        "updated_since=2020-01-01",
        "created_since=2020-01-01",
    ] {
        refused(&client, &format!("{path}?{filter}&cursor={bare}"));
        if filter.ends_with("2020-01-01") {
            let own = cursor(&client, &path, filter);
            client.get(&format!("{path}?{filter}&cursor={own}")).expect(200);
            refused(&client, &format!("{path}?{}&cursor={own}", filter.replace("2020", "2021")));
        }
    }
}

fn a_cursor_fits_no_other_list_account_or_contact(engine: Engine) {
    let app = reaching(engine).ready();
    let (ours, theirs) = (reachable(&app).client, reachable(&app).client);
    let paths: Vec<String> = LISTS.iter().map(|list| filled(list, &ours)).collect();
    for (list, path) in LISTS.iter().zip(&paths) {
        let good = cursor(&ours, path, "");
        ours.get(&format!("{path}?cursor={good}")).expect(200);
        for other in paths.iter().filter(|other| *other != path) {
            refused(&ours, &format!("{other}?cursor={good}"));
        }
        let their_path = filled(list, &theirs);
        refused(&theirs, &format!("{their_path}?cursor={good}"));
        // What the list needs is made anew: another contact's notes are another list.
        let sibling = filled(list, &ours);
        if sibling != *path {
            refused(&ours, &format!("{sibling}?cursor={good}"));
        }
    }
}

fn an_empty_cursor_is_the_first_page(engine: Engine) {
    let app = reaching(engine).ready();
    for list in LISTS {
        let client = reachable(&app).client;
        let path = filled(list, &client);
        // Other fields of a row may change meanwhile, such as the status of a delivery.
        let shown = |query: &str| {
            let page = client.get(&format!("{path}?{query}")).expect(200);
            let rows = page.data().as_array().expect("rows").iter();
            let ids: Vec<Value> = rows.map(|row| row[list.id].clone()).collect();
            (ids, page.json["meta"]["has_more"].clone(), page.json["meta"]["limit"].clone())
        };
        for query in ["cursor=", "cursor=&limit=2", "limit=2&cursor=", "limit=2&cursor=%20"] {
            let without = query.replace("cursor=%20", "").replace("cursor=", "");
            assert_eq!(shown(query), shown(&without), "{path}?{query}");
        }
    }
}

/// The lists of the dashboard that are no lists of the API.
fn an_empty_cursor_is_the_first_page_of_a_view(inbox: Inbox) {
    let document = include_str!("../../../dashboard/openapi.json");
    let document: Value = serde_json::from_str(document).expect("JSON");
    member(&inbox.app, &inbox.tenant.account, "mia@example.com", "admin");
    let browser = Browser::new(&inbox.app).sign_in("mia@example.com");
    let conversation = inbox.hears(ANN, "Hello!");
    let made = inbox.tenant.client.post("/assistants", json!({ "name": "Robin" })).expect(201);
    let assistant = made.data();
    let made = inbox.tenant.client.post("/deals", json!({ "title": "Chairs" })).expect(201);
    let deal = made.data();
    let mut walked = 0;
    for (path, item) in document["paths"].as_object().expect("paths") {
        let Some(path) = path.strip_prefix("/app/api").filter(|path| !path.starts_with("/v1/")) else {
            continue;
        };
        let parameters = item["get"]["parameters"].as_array().cloned().unwrap_or_default();
        if !parameters.iter().any(|parameter| parameter["name"] == "cursor") {
            continue;
        }
        let named = match path.split('/').nth(1) {
            Some("contacts") => &conversation["contact_id"],
            Some("assistants") => &assistant["id"],
            Some("deals") => &deal["id"],
            _ => &conversation["id"],
        };
        let path = path.replace("{id}", text(named)).replace("{order}", "name");
        let shown = |query: &str| browser.get(&format!("{path}?{query}")).expect(200).json;
        assert_eq!(shown("cursor=&limit=2"), shown("limit=2"), "{path}");
        walked += 1;
    }
    assert!(walked > 0, "no view has pages");
}

fn a_cursor_is_not_bound_to_the_size_of_the_page(engine: Engine) {
    let app = reaching(engine).ready();
    for list in LISTS {
        let client = reachable(&app).client;
        let path = filled(list, &client);
        let ids = |page: Response| -> Vec<String> {
            let rows = page.data().as_array().unwrap();
            rows.iter().map(|row| text(&row[list.id]).to_owned()).collect()
        };
        let whole = ids(client.get(&path).expect(200));
        let good = cursor(&client, &path, "");
        let rest = whole.len() - 1;
        for (query, rows) in
            [("limit=2", 2), ("limit=100", rest), ("", rest), ("limit=1&utm_source=x&colour=red", 1)]
        {
            let page = client.get(&format!("{path}?{query}&cursor={good}")).expect(200);
            assert_eq!(ids(page), whole[1..=rows], "{path}?{query}");
        }
    }
}
