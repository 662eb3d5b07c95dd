//! What tests of broadcasts begin with.

use std::thread::sleep;
use std::time::{Duration, Instant};

use frontdesk_e2e::{Client, PATIENCE, Response};
use serde_json::{Value, json};

use crate::people::{add, walk};
use crate::shapes::text;

const LOOK_AGAIN: Duration = Duration::from_millis(25);

pub(crate) const BROADCAST: &str =
    "id name kind channel template status scheduled_at counts created_at updated_at";
pub(crate) const COUNTS: &str = "total sent delivered read replied failed";
pub(crate) const RECIPIENT: &str = "id contact_id phone message_id status error created_at updated_at";

/// A broadcast of a template that asks for nothing.
pub(crate) fn hello(audience: Value) -> Value {
    json!({ "name": "Hello", "template": { "name": "hello_world" }, "audience": audience })
}

/// So many numbers that nobody has.
pub(crate) fn numbers(many: usize) -> Vec<String> {
    (0..many).map(|number| format!("+1650{:07}", 3_000_000 + number)).collect()
}

pub(crate) fn phones(numbers: &[String]) -> Value {
    json!({ "type": "phones", "phones": numbers })
}

/// Contacts with these numbers: their ids.
#[track_caller]
pub(crate) fn people(client: &Client, numbers: &[String]) -> Vec<String> {
    numbers.iter().map(|phone| add(client, json!({ "phone": phone }))).collect()
}

#[track_caller]
pub(crate) fn announce(client: &Client, broadcast: Value) -> Response {
    client.post("/broadcasts", broadcast)
}

/// Makes a broadcast that must be taken: as it is answered.
#[track_caller]
pub(crate) fn announced(client: &Client, broadcast: Value) -> Value {
    announce(client, broadcast).expect(202).data().clone()
}

#[track_caller]
pub(crate) fn path(broadcast: &Value) -> String {
    format!("/broadcasts/{}", text(&broadcast["id"]))
}

#[track_caller]
pub(crate) fn read(client: &Client, broadcast: &Value) -> Value {
    client.get(&path(broadcast)).expect(200).data().clone()
}

/// The broadcast, as soon as this is true of it.
#[track_caller]
pub(crate) fn once(client: &Client, broadcast: &Value, is_so: impl Fn(&Value) -> bool) -> Value {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let now = read(client, broadcast);
        if is_so(&now) {
            return now;
        }
        assert!(Instant::now() < deadline, "it never came true: {now}");
        sleep(LOOK_AGAIN);
    }
}

/// The broadcast, as soon as its status is this one.
#[track_caller]
pub(crate) fn becomes(client: &Client, broadcast: &Value, status: &str) -> Value {
    once(client, broadcast, |now| now["status"] == status)
}

/// The broadcast, as soon as its counts are these.
#[track_caller]
pub(crate) fn counts_become(client: &Client, broadcast: &Value, counts: &Value) -> Value {
    once(client, broadcast, |now| now["counts"] == *counts)
}

pub(crate) fn counts(total: i64, sent: i64, delivered: i64, read: i64, replied: i64, failed: i64) -> Value {
    json!({ "total": total, "sent": sent, "delivered": delivered, "read": read, "replied": replied, "failed": failed })
}

/// Every recipient, oldest first.
#[track_caller]
pub(crate) fn recipients(client: &Client, broadcast: &Value, query: &str) -> Vec<Value> {
    let mut found = walk(client, &format!("{}/recipients{query}", path(broadcast)));
    found.reverse();
    found
}

/// The numbers of its recipients, sorted.
#[track_caller]
pub(crate) fn reached(client: &Client, broadcast: &Value) -> Vec<String> {
    let found = recipients(client, broadcast, "");
    let mut phones: Vec<String> = found.iter().map(|one| text(&one["phone"]).to_owned()).collect();
    phones.sort();
    phones
}
