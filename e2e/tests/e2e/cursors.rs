//! A cursor fits the list it came from, and nothing else.

use frontdesk_e2e::{Client, Engine, Response, on_every_engine};

use crate::inbox_scene::reachable;
use crate::lists::{LISTS, Paged};
use crate::receiver::reaching;
use crate::shapes::text;

on_every_engine! {
    an_altered_cursor_is_refused,
    a_cursor_fits_no_other_filters,
    a_cursor_fits_no_other_list_account_or_contact,
    a_cursor_is_not_bound_to_the_size_of_the_page,
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
