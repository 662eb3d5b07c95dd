//! The copy of a contact's tags and values in its row: it says what the tables say, and is not used when it is
//! outdated.

use frontdesk_e2e::{App, Client, on_every_engine};
use postgres::{Client as Postgres, NoTls};
use serde_json::{Value, json};

use crate::people::{add, field, tag, walk};

on_every_engine! {
    alone every_change_writes_the_copy_that_the_tables_would_give,
    alone a_contact_without_a_copy_is_looked_up,
    alone an_outdated_copy_is_not_used,
    alone deleted_tags_and_fields_are_not_shown,
    alone a_deleted_field_leaves_no_value_in_a_row,
    alone an_account_with_many_tags_shows_those_of_each_contact,
}

/// Runs a statement in the database; returns how many rows it changed.
fn run(app: &App, statement: &str) -> usize {
    if let Some(path) = app.database().strip_prefix("sqlite:") {
        let database = rusqlite::Connection::open(path).unwrap();
        database.busy_timeout(std::time::Duration::from_secs(10)).unwrap();
        return database.execute(statement, []).unwrap();
    }
    let mut database = Postgres::connect(app.database(), NoTls).unwrap();
    database.execute(statement, &[]).unwrap() as usize
}

fn contacts(client: &Client) -> Vec<Value> {
    walk(client, "/contacts")
}

/// Removes the copy from every row; returns how many had one.
fn forget_copies(app: &App) -> usize {
    run(app, "UPDATE contacts SET labels = NULL WHERE labels IS NOT NULL")
}

fn every_change_writes_the_copy_that_the_tables_would_give(app: App) {
    let client = app.tenant().client;
    let (red, blue) = (tag(&client, "Red"), tag(&client, "Blue"));
    let (plan, size) = (field(&client, "Plan", "text"), field(&client, "Size", "number"));
    let values = |plan_value: &str| json!({ plan.as_str(): plan_value, size.as_str(): "7" });
    let ann = add(
        &client,
        json!({ "name": "Ann", "phone": "+14155550101", "tag_ids": [&red, &blue], "custom_fields": values("gold") }),
    );
    let bob = add(&client, json!({ "name": "Bob", "email": "bob@example.com" }));
    let path = |id: &str| format!("/contacts/{id}");
    let agrees = |done: &str| {
        let copied = contacts(&client);
        let shown: Vec<Value> = copied
            .iter()
            .map(|row| client.get(&path(row["id"].as_str().unwrap())).expect(200).data().clone())
            .collect();
        assert_eq!(shown, copied, "one by one, after {done}");
        assert_eq!(forget_copies(&app), copied.len(), "each has a copy, after {done}");
        assert_eq!(contacts(&client), copied, "after {done}");
    };
    agrees("creating");
    let patch = |id: &str, change: Value| client.patch(&path(id), change).expect(200).data().clone();
    for (done, change) in [
        ("a name", json!({ "name": "Anna" })),
        ("tags", json!({ "tag_ids": [&blue] })),
        ("a value", json!({ "custom_fields": { size.as_str(): null, plan.as_str(): "é\n" } })),
        ("all of them", json!({ "company": "Acme", "tag_ids": [&red], "custom_fields": values("free") })),
    ] {
        // Both have a copy, whichever changes.
        patch(&bob, json!({ "company": done }));
        let changed = patch(&ann, change);
        assert_eq!(contacts(&client)[1], changed);
        agrees(done);
    }
    let changes: [(&str, &dyn Fn() -> Value); 5] = [
        ("tagging", &|| {
            client
                .post(&format!("{}/tags", path(&bob)), json!({ "tag_ids": [&red, &blue] }))
                .expect(200)
                .data()
                .clone()
        }),
        ("untagging", &|| client.delete(&format!("{}/tags/{red}", path(&bob))).expect(200).data().clone()),
        ("opting out", &|| {
            client.put(&format!("{}/opt-out", path(&bob)), json!({})).expect(200).data().clone()
        }),
        ("opting in", &|| client.delete(&format!("{}/opt-out", path(&bob))).expect(200).data().clone()),
        ("merging", &|| {
            client
                .post(&format!("{}/merge", path(&bob)), json!({ "contact_id": &ann }))
                .expect(200)
                .data()
                .clone()
        }),
    ];
    for (done, change) in changes {
        patch(&ann, json!({ "company": done }));
        change();
        agrees(done);
    }
    let merged = &contacts(&client)[0];
    let tags: Vec<&str> =
        merged["tags"].as_array().unwrap().iter().map(|tag| tag["name"].as_str().unwrap()).collect();
    assert_eq!(tags, ["Blue", "Red"]);
    assert_eq!(value_of(merged, &plan), "free");
}

fn value_of(contact: &Value, field: &str) -> Value {
    let fields = contact["custom_fields"].as_array().unwrap();
    fields.iter().find(|known| known["field_id"] == field).map_or(Value::Null, |field| field["value"].clone())
}

fn a_contact_without_a_copy_is_looked_up(app: App) {
    let client = app.tenant().client;
    let (red, plan) = (tag(&client, "Red"), field(&client, "Plan", "text"));
    let labels = json!({ "tag_ids": [&red], "custom_fields": { plan.as_str(): "gold" } });
    let named = |name: &str| {
        let mut contact = labels.clone();
        contact["name"] = name.into();
        add(&client, contact)
    };
    let (old, _) = (named("Ann"), forget_copies(&app));
    add(&client, json!({ "name": "Bob" }));
    named("Cid");
    let page = contacts(&client);
    let shown: Vec<_> =
        page.iter().map(|row| (row["tags"].as_array().unwrap().len(), value_of(row, &plan))).collect();
    assert_eq!(shown, [(1, json!("gold")), (0, Value::Null), (1, json!("gold"))]);
    // A change that does not name them keeps them.
    let changed = client.patch(&format!("/contacts/{old}"), json!({ "name": "Anna" })).expect(200);
    assert_eq!((&changed.data()["tags"], value_of(changed.data(), &plan)), (&page[2]["tags"], json!("gold")));
    assert_eq!(forget_copies(&app), 3);
}

fn an_outdated_copy_is_not_used(app: App) {
    let client = app.tenant().client;
    let (red, plan) = (tag(&client, "Red"), field(&client, "Plan", "text"));
    let ann =
        add(&client, json!({ "name": "Ann", "tag_ids": [&red], "custom_fields": { plan.as_str(): "gold" } }));
    // What a server does that does not know of the copy.
    let later = if app.database().starts_with("sqlite:") { "1" } else { "interval '1 millisecond'" };
    assert_eq!(run(&app, "DELETE FROM contact_tags"), 1);
    assert_eq!(run(&app, "UPDATE contact_values SET value = 'free'"), 1);
    assert_eq!(run(&app, &format!("UPDATE contacts SET updated_at = updated_at + {later}")), 1);
    let shown = client.get(&format!("/contacts/{ann}")).expect(200);
    assert_eq!((&shown.data()["tags"], value_of(shown.data(), &plan)), (&json!([]), json!("free")));
    assert_eq!(&contacts(&client)[0], shown.data());
}

fn deleted_tags_and_fields_are_not_shown(app: App) {
    let client = app.tenant().client;
    let (red, blue) = (tag(&client, "Red"), tag(&client, "Blue"));
    let (plan, size) = (field(&client, "Plan", "text"), field(&client, "Size", "text"));
    let values = json!({ plan.as_str(): "gold", size.as_str(): "7" });
    let ann = add(&client, json!({ "name": "Ann", "tag_ids": [&red, &blue], "custom_fields": values }));
    client.delete(&format!("/tags/{red}")).expect(200);
    client.delete(&format!("/custom-fields/{plan}")).expect(200);
    let shown = contacts(&client);
    let ids = |list: &str, id: &str| -> Vec<String> {
        shown[0][list]
            .as_array()
            .unwrap()
            .iter()
            .map(|label| label[id].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!((ids("tags", "id"), ids("custom_fields", "field_id")), (vec![blue], vec![size]));
    // A renamed tag is shown by its new name.
    client.patch(&format!("/tags/{}", ids("tags", "id")[0]), json!({ "name": "Navy" })).expect(200);
    let shown = client.get(&format!("/contacts/{ann}")).expect(200);
    assert_eq!(shown.data()["tags"][0]["name"], "Navy");
}

fn a_deleted_field_leaves_no_value_in_a_row(app: App) {
    let client = app.tenant().client;
    let (plan, size) = (field(&client, "Plan", "text"), field(&client, "Size", "text"));
    add(&client, json!({ "name": "Ann", "custom_fields": { plan.as_str(): "gold" } }));
    add(&client, json!({ "name": "Bob", "custom_fields": { size.as_str(): "7" } }));
    client.delete(&format!("/custom-fields/{plan}")).expect(200);
    client.delete(&format!("/custom-fields/{plan}")).expect(404);
    assert_eq!(value_of(&contacts(&client)[0], &size), "7");
    assert_eq!(forget_copies(&app), 1, "Bob's alone is left");
}

fn an_account_with_many_tags_shows_those_of_each_contact(app: App) {
    let client = app.tenant().client;
    let tags: Vec<String> = (0..70).map(|number| tag(&client, &format!("tag {number:02}"))).collect();
    add(&client, json!({ "name": "Ann", "tag_ids": &tags[..3] }));
    add(&client, json!({ "name": "Bob" }));
    add(&client, json!({ "name": "Cid", "tag_ids": &tags[67..] }));
    let names = |row: &Value| -> Vec<String> {
        row["tags"].as_array().unwrap().iter().map(|tag| tag["name"].as_str().unwrap().to_owned()).collect()
    };
    let shown: Vec<Vec<String>> = contacts(&client).iter().map(names).collect();
    assert_eq!(shown, [vec!["tag 67", "tag 68", "tag 69"], vec![], vec!["tag 00", "tag 01", "tag 02"]]);
}
