//! Every paginated list, walked in one way.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use frontdesk_e2e::{App, Client, Engine, came_true, on_every_engine, on_shared_stores};
use serde_json::{Value, json};

use crate::agent_scene::{asking_run, new_assistant};
use crate::broadcasts_scene::hello;
use crate::inbox_scene::{a_number, connect, hello_to, reachable};
use crate::people::{add, tag};
use crate::receiver::{self, reaching};
use crate::sales::{deal, inquiry, pipeline};
use crate::shapes::{has_fields, text};

on_every_engine! {
    every_paginated_list_is_walked_here,
    a_walk_gives_every_row_once_and_the_newest_first,
    rows_that_arrive_during_a_walk_neither_repeat_nor_hide_others,
    a_page_has_one_to_a_hundred_rows_and_twenty_unless_asked,
    a_list_without_pages_is_returned_whole,
    a_walk_continues_after_a_restart,
}

on_shared_stores! {
    a_walk_continues_on_another_server,
}

/// A paginated list, and how to add to it.
pub(crate) struct Paged {
    pub(crate) route: &'static str,
    /// Makes what the list needs, and returns its path.
    pub(crate) open: fn(&Client) -> String,
    /// Adds one row to the list at this path.
    pub(crate) add: fn(&Client, &str),
    /// The field that tells rows apart.
    pub(crate) id: &'static str,
    /// A filter that lets every row through.
    pub(crate) filter: Option<&'static str>,
    /// The rows that are there once it is open.
    pub(crate) rows: usize,
}

pub(crate) const LISTS: &[Paged] = &[
    Paged {
        route: "/contacts",
        open: |_| "/contacts".to_owned(),
        add: |client, _| drop(add(client, json!({ "name": "Row" }))),
        id: "id",
        filter: Some("q=row"),
        rows: 0,
    },
    Paged {
        route: "/contacts/{id}/notes",
        open: |client| format!("/contacts/{}/notes", add(client, json!({ "name": "Ann" }))),
        add: |client, path| drop(client.post(path, json!({ "body": "Row" })).expect(201)),
        id: "id",
        filter: None,
        rows: 0,
    },
    Paged {
        route: "/deals",
        open: |_| "/deals".to_owned(),
        add: |client, _| drop(deal(client, json!({ "title": "Row" }))),
        id: "id",
        filter: Some("q=row"),
        rows: 0,
    },
    Paged {
        route: "/inquiries",
        open: |_| "/inquiries".to_owned(),
        add: |client, _| drop(client.post("/inquiries", json!({ "message": "Row" })).expect(201)),
        id: "id",
        filter: Some("q=row"),
        rows: 0,
    },
    Paged {
        route: "/inquiries/{id}/notes",
        open: |client| format!("{}/notes", inquiry(client)),
        add: |client, path| drop(client.post(path, json!({ "body": "Row" })).expect(201)),
        id: "id",
        filter: None,
        rows: 0,
    },
    Paged {
        route: "/events",
        open: |_| "/events".to_owned(),
        add: |client, _| drop(add(client, json!({ "name": "Row" }))),
        id: "event_id",
        filter: None,
        // The account's channel was connected.
        rows: 1,
    },
    Paged {
        route: "/webhooks/{id}/deliveries",
        open: |client| {
            let body = json!({ "url": receiver::url(), "event_types": ["webhook.test"] });
            format!("/webhooks/{}/deliveries", client.post("/webhooks", body).expect(201).id())
        },
        add: |client, path| {
            drop(client.send("POST", &path.replace("/deliveries", "/test"), None).expect(202));
        },
        id: "id",
        filter: Some("event_type=webhook.test"),
        rows: 0,
    },
    Paged {
        route: "/broadcasts",
        open: |_| "/broadcasts".to_owned(),
        add: |client, _| {
            drop(client.post("/broadcasts", hello(json!({ "type": "phones", "phones": [] }))).expect(202));
        },
        id: "id",
        filter: Some("q=hello"),
        rows: 0,
    },
    Paged {
        route: "/conversations",
        open: |_| "/conversations".to_owned(),
        add: |client, _| drop(client.post("/messages", hello_to(&a_number())).expect(201)),
        id: "id",
        filter: Some("channel=whatsapp"),
        rows: 0,
    },
    Paged {
        route: "/conversations/{id}/notes",
        open: |client| {
            let first = client.post("/messages", hello_to(&a_number())).expect(201);
            format!("/conversations/{}/notes", text(&first.data()["conversation_id"]))
        },
        add: |client, path| drop(client.post(path, json!({ "body": "Row" })).expect(201)),
        id: "id",
        filter: None,
        rows: 0,
    },
    Paged {
        route: "/conversations/{id}/messages",
        open: |client| {
            let first = client.post("/messages", hello_to(&a_number())).expect(201);
            format!("/conversations/{}/messages", text(&first.data()["conversation_id"]))
        },
        add: |client, path| {
            let id = path.split('/').nth(2).expect("a path with an id");
            let hello = json!({ "type": "template", "to": { "conversation_id": id }, "template": { "name": "hello_world" } });
            drop(client.post("/messages", hello).expect(201));
        },
        id: "id",
        filter: Some("direction=outbound"),
        // No conversation is without a message.
        rows: 1,
    },
    Paged {
        route: "/assistants",
        open: |_| "/assistants".to_owned(),
        add: |client, _| drop(new_assistant(client, json!({ "name": "Row" }))),
        id: "id",
        filter: None,
        rows: 0,
    },
    Paged {
        route: "/instructions",
        open: |_| "/instructions".to_owned(),
        add: |client, _| {
            drop(client.post("/instructions", json!({ "title": "Row", "body": "Row" })).expect(201));
        },
        id: "id",
        filter: Some("q=row"),
        rows: 0,
    },
    Paged {
        route: "/memories",
        open: |_| "/memories".to_owned(),
        add: |client, _| drop(client.post("/memories", json!({ "content": "A row" })).expect(201)),
        id: "id",
        filter: Some("q=row"),
        rows: 0,
    },
    Paged {
        route: "/triggers",
        open: |_| "/triggers".to_owned(),
        add: |client, _| {
            let assistant = new_assistant(client, json!({}));
            let row = json!({ "assistant_id": assistant, "name": "Row", "kind": "webhook", "goal": "Row" });
            drop(client.post("/triggers", row).expect(201));
        },
        id: "id",
        filter: Some("kind=webhook"),
        rows: 0,
    },
    Paged {
        route: "/runs",
        open: |_| "/runs".to_owned(),
        add: |client, _| drop(asking_run(client)),
        id: "id",
        filter: Some("status=waiting"),
        rows: 0,
    },
    Paged {
        route: "/asks",
        open: |_| "/asks".to_owned(),
        add: |client, _| drop(asking_run(client)),
        id: "id",
        filter: Some("kind=question"),
        rows: 0,
    },
];

/// Lists that only the server adds to, and how they are opened. Their own tests walk them.
pub(crate) const OPENED: &[Opened] = &[Opened {
    route: "/runs/{id}/events",
    open: |client| format!("/runs/{}/events", text(&asking_run(client)["id"])),
}];

pub(crate) struct Opened {
    pub(crate) route: &'static str,
    pub(crate) open: fn(&Client) -> String,
}

fn every_paginated_list_is_walked_here(app: App) {
    let document = app.anonymous().vendors().get("/openapi.json").expect(200).json;
    let is_paged = |operation: &Value| {
        let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
        parameters.iter().any(|parameter| parameter["name"] == "cursor")
    };
    let paths = document["paths"].as_object().expect("paths");
    let mut documented: Vec<&str> = paths
        .iter()
        .filter(|(_, item)| is_paged(&item["get"]))
        .map(|(path, _)| path.strip_prefix("/api/v1").unwrap_or(path))
        .collect();
    let mut walked: Vec<&str> = LISTS.iter().map(|list| list.route).collect();
    // Bookings come from calendars only; their own tests walk them.
    walked.push("/bookings");
    // Nobody can be added to the recipients of a broadcast; the tests of broadcasts walk them.
    walked.push("/broadcasts/{id}/recipients");
    // A search needs its words; its own tests walk it.
    walked.push("/messages");
    walked.extend(OPENED.iter().map(|list| list.route));
    documented.sort_unstable();
    walked.sort_unstable();
    assert_eq!(walked, documented);
}

/// Walks a list in pages of this size, checks each page, and returns the ids.
#[track_caller]
fn walk(list: &Paged, client: &Client, path: &str, limit: usize) -> Vec<String> {
    let mut rows: Vec<(String, String)> = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = client.get(&format!("{path}limit={limit}&cursor={cursor}")).expect(200);
        has_fields(&page.json, "data meta");
        let meta = &page.json["meta"];
        has_fields(meta, "next_cursor has_more limit");
        assert_eq!(meta["limit"], limit, "{path}");
        let found = page.data().as_array().unwrap();
        let key = |row: &Value| (text(&row["created_at"]).to_owned(), text(&row[list.id]).to_owned());
        rows.extend(found.iter().map(key));
        assert!(found.len() <= limit, "{path} has {} rows", found.len());
        let Some(next) = meta["next_cursor"].as_str() else {
            assert_eq!((&meta["next_cursor"], &meta["has_more"]), (&Value::Null, &json!(false)), "{path}");
            break;
        };
        assert_eq!((found.len(), &meta["has_more"]), (limit, &json!(true)), "{path}");
        assert!(
            next.bytes().all(|c| c.is_ascii_alphanumeric() || b"-_".contains(&c)),
            "{next} is not URL-safe"
        );
        next.clone_into(&mut cursor);
    }
    assert!(rows.windows(2).all(|pair| pair[0] > pair[1]), "{path} is not ordered newest first: {rows:?}");
    rows.into_iter().map(|(_, id)| id).collect()
}

fn a_walk_gives_every_row_once_and_the_newest_first(engine: Engine) {
    let app = reaching(engine).ready();
    for list in LISTS {
        let client = reachable(&app).client;
        let path = (list.open)(&client);
        assert_eq!(walk(list, &client, &format!("{path}?"), 5).len(), list.rows, "{path}");
        for _ in list.rows..23 {
            (list.add)(&client, &path);
        }
        let whole = walk(list, &client, &format!("{path}?"), 100);
        assert_eq!(whole.iter().collect::<HashSet<_>>().len(), 23, "{path}");
        for limit in [1, 7, 22, 23, 24] {
            assert_eq!(walk(list, &client, &format!("{path}?"), limit), whole, "{path} by {limit}");
            if let Some(filter) = list.filter {
                assert_eq!(
                    walk(list, &client, &format!("{path}?{filter}&"), limit),
                    whole,
                    "{path}?{filter}"
                );
            }
        }
    }
}

fn rows_that_arrive_during_a_walk_neither_repeat_nor_hide_others(engine: Engine) {
    let app = reaching(engine).ready();
    for list in LISTS {
        let client = reachable(&app).client;
        let path = (list.open)(&client);
        for _ in 0..15 {
            (list.add)(&client, &path);
        }
        let there = walk(list, &client, &format!("{path}?"), 100);
        let (added, done) = (AtomicUsize::new(0), AtomicBool::new(false));
        let mut seen = Vec::new();
        let arrived = thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !done.load(Ordering::Relaxed) {
                        (list.add)(&client, &path);
                        added.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
            let mut cursor = String::new();
            let arrived = loop {
                let before = added.load(Ordering::Relaxed);
                // Something arrives before every page.
                if !came_true(|| added.load(Ordering::Relaxed) > before) {
                    break false;
                }
                let page = client.get(&format!("{path}?limit=2&cursor={cursor}"));
                let rows = page.json["data"].as_array().cloned().unwrap_or_default();
                seen.extend(rows.iter().map(|row| row[list.id].as_str().unwrap_or_default().to_owned()));
                match page.json["meta"]["next_cursor"].as_str() {
                    Some(next) => next.clone_into(&mut cursor),
                    None => break page.status == 200,
                }
            };
            done.store(true, Ordering::Relaxed);
            arrived
        });
        assert!(arrived, "{path}: the walk broke off");
        assert!(seen.windows(2).all(|pair| pair[0] > pair[1]), "{path}: {seen:?}");
        let old: Vec<&String> = seen.iter().filter(|id| there.contains(id)).collect();
        assert_eq!(old, there.iter().collect::<Vec<_>>(), "{path}");
    }
}

fn a_page_has_one_to_a_hundred_rows_and_twenty_unless_asked(engine: Engine) {
    let app = reaching(engine).ready();
    for list in LISTS {
        let client = reachable(&app).client;
        let path = (list.open)(&client);
        (list.rows..21).for_each(|_| (list.add)(&client, &path));
        let page = client.get(&path).expect(200);
        assert_eq!(page.data().as_array().unwrap().len(), 20, "{path}");
        assert_eq!((&page.json["meta"]["limit"], &page.json["meta"]["has_more"]), (&json!(20), &json!(true)));
        for limit in ["0", "101", "-1", "99999999999999999999"] {
            let response = client.get(&format!("{path}?limit={limit}")).expect(400);
            response.error("validation_error");
            response.details_at(&["limit"]);
        }
        for limit in ["abc", "1.5", "1e2", "0x10"] {
            client.get(&format!("{path}?limit={limit}")).expect(400).error("bad_request");
        }
        for (limit, rows) in [(1, 1), (100, 21)] {
            let page = client.get(&format!("{path}?limit={limit}")).expect(200);
            assert_eq!(page.data().as_array().unwrap().len(), rows, "{path}?limit={limit}");
        }
    }
}

fn a_list_without_pages_is_returned_whole(engine: Engine) {
    let app = reaching(engine).ready();
    let tenant = reachable(&app);
    let client = tenant.client;
    connect(&app, &tenant.account, "messenger");
    connect(&app, &tenant.account, "whatsapp");
    for number in 0..22 {
        tag(&client, &format!("{number}"));
        client.post("/custom-fields", json!({ "name": format!("{number}") })).expect(201);
        let canned = json!({ "shortcut": format!("{number}"), "body": "Hi." });
        client.post("/canned-replies", canned).expect(201);
        let rules = json!([{ "field": "name", "op": "is_set" }]);
        client.post("/segments", json!({ "name": format!("{number}"), "rules": rules })).expect(201);
        pipeline(&client);
    }
    for email in ["mia@example.com", "max@example.com"] {
        app.cli(&["member", "add", "--account", &tenant.account.id, "--name", "M", "--email", email]);
        client.post("/webhooks", json!({ "url": receiver::url() })).expect(201);
    }
    client.post("/webhooks", json!({ "url": receiver::url() })).expect(201);
    let wanted = [
        ("/tags", 22),
        ("/custom-fields", 22),
        ("/canned-replies", 22),
        ("/segments", 22),
        // One more than were added: an account has one from its beginning.
        ("/pipelines", 23),
        ("/members", 3),
        ("/webhooks", 3),
        ("/channels", 3),
        ("/templates", 18),
    ];
    for (path, wanted) in
        wanted.map(|(path, rows)| (path, Some(rows))).into_iter().chain([("/event-types", None)])
    {
        for query in ["", "?limit=1", "?limit=abc&cursor=x"] {
            let list = client.get(&format!("{path}{query}")).expect(200);
            has_fields(&list.json, "data meta");
            let rows = list.data().as_array().unwrap().len();
            assert!(rows >= 3 && wanted.is_none_or(|wanted| rows == wanted), "{path}{query} has {rows} rows");
            let meta = json!({ "next_cursor": null, "has_more": false, "limit": rows });
            assert_eq!(list.json["meta"], meta, "{path}{query}");
        }
    }
}

/// Three rows, and the path of the second page of one row.
fn half_walked(client: &Client) -> (String, String) {
    let middle = [1, 2, 3].map(|_| add(client, json!({ "name": "Row" })))[1].clone();
    let page = client.get("/contacts?limit=1&q=row").expect(200);
    (format!("/contacts?limit=1&q=row&cursor={}", text(&page.json["meta"]["next_cursor"])), middle)
}

fn a_walk_continues_after_a_restart(app: App) {
    let client = app.tenant().client;
    let (next, middle) = half_walked(&client);
    app.restart();
    assert_eq!(client.get(&next).expect(200).data()[0]["id"], middle.as_str());
}

fn a_walk_continues_on_another_server(app: App) {
    let second = app.second_server();
    let client = app.tenant().client;
    let (next, middle) = half_walked(&client);
    assert_eq!(client.at(&second).get(&next).expect(200).data()[0]["id"], middle.as_str());
}
