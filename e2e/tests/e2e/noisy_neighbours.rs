//! One account's heavy reads leave room for everybody else.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use frontdesk_e2e::{App, Client, Stopwatch, at_once, on_every_engine};
use serde_json::{Value, json};

use crate::people::add;

on_every_engine! {
    alone slow_segments_of_one_account_do_not_delay_another,
    alone a_list_of_segments_is_counted,
}

const CONTACTS: usize = 1_200;
const SEGMENTS: usize = 40;
/// A request of the other account must not wait for the heavy ones, which take far longer together.
const SOON: Duration = Duration::from_secs(5);

/// A segment that takes long to count: no rule holds, so all are tried on every contact.
fn heavy_segment(number: usize) -> Value {
    let rules: Vec<Value> = (0..50)
        .map(|rule| json!({ "field": "name", "op": "contains", "value": format!("nobody {number} {rule}") }))
        .collect();
    json!({ "name": format!("Heavy {number}"), "match": "any", "rules": rules })
}

fn fill(client: &Client) {
    let each = CONTACTS / 8;
    at_once(8, |part| {
        for number in 0..each {
            add(client, json!({ "name": format!("Contact {part} {number}"), "company": "Acme" }));
        }
    });
    at_once(8, |part| {
        for number in (0..SEGMENTS).filter(|number| number % 8 == part) {
            client.post("/segments", heavy_segment(number)).expect(201);
        }
    });
}

fn slow_segments_of_one_account_do_not_delay_another(app: App) {
    let (noisy, quiet) = (app.tenant().client, app.tenant().client);
    fill(&noisy);
    let id = add(&quiet, json!({ "name": "Ann Lee" }));
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                while !done.load(Ordering::Acquire) {
                    let status = noisy.get("/segments").status;
                    assert!(matches!(status, 200 | 503), "{status}");
                }
            });
        }
        thread::sleep(Duration::from_secs(1));
        for _ in 0..5 {
            let began = Stopwatch::start();
            assert_eq!(quiet.get("/contacts?q=ann").expect(200).data()[0]["id"], json!(id));
            quiet.get("/me").expect(200);
            quiet.get(&format!("/contacts/{id}")).expect(200);
            quiet.post("/contacts", json!({ "name": "Bob" })).expect(201);
            noisy.get("/me").expect(200);
            assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
        }
        done.store(true, Ordering::Release);
    });
}

fn a_list_of_segments_is_counted(app: App) {
    let client = app.tenant().client;
    add(&client, json!({ "name": "Ann", "company": "Acme" }));
    add(&client, json!({ "name": "Bob" }));
    for (name, field, op, count) in
        [("All", "name", "is_set", 2), ("Employed", "company", "is_set", 1), ("None", "email", "is_set", 0)]
    {
        let rules = json!([{ "field": field, "op": op }]);
        let made = client.post("/segments", json!({ "name": name, "rules": rules })).expect(201);
        assert_eq!(made.data()["contact_count"], count, "{name}");
    }
    let counts = |client: &Client| -> Vec<Value> {
        let listed = client.get("/segments").expect(200);
        listed.data().as_array().unwrap().iter().map(|row| row["contact_count"].clone()).collect()
    };
    assert_eq!(counts(&client), [0, 1, 2]);
    add(&client, json!({ "name": "Cat", "email": "cat@example.com" }));
    assert_eq!(counts(&client), [1, 1, 3]);
}
