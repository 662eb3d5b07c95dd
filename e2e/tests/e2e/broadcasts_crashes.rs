//! Servers that end while they send a broadcast: nobody is reached twice, nobody is forgotten, nobody fails whose call had
//! not begun, and the counts are what the channel received.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, RandomState};
use std::thread::sleep;
use std::time::{Duration, Instant};

use frontdesk_e2e::{Engine, came_true, came_true_within, on_every_engine, on_shared_stores};
use serde_json::{Value, json};

use crate::broadcasts_scene::{announced, counts, hello, numbers, phones, read, recipients};
use crate::inbound_scene::{DOUBT, Inbox, TestConnection, start};
use crate::shapes::text;

on_every_engine! {
    counts_are_exact_and_no_one_is_sent_twice_though_the_server_is_killed_ten_times,
}

on_shared_stores! {
    two_servers_send_one_broadcast_and_one_is_killed,
}

const MANY: usize = 600;
/// A server that died has charge of a connection for so long, in seconds, and of a broadcast for so long.
const CHARGE: u64 = 11;
/// How long to wait for what may never come.
const WHILE: Duration = Duration::from_secs(10);
const LEASE: u64 = 91;

/// Calls that a killed server may have begun without the channel hearing of them: they were being written.
const UNHEARD_MAX: usize = 8;

/// A number that nobody chose.
fn any_below(bound: u64) -> u64 {
    RandomState::new().hash_one(0) % bound
}

/// Demands that everybody was reached once or is known to be in doubt because their call had begun, and that the counts
/// say so.
#[track_caller]
fn all_is_counted(inbox: &Inbox, connection: &TestConnection, broadcast: &Value, kills: usize) {
    inbox.point(connection);
    inbox.vendors.faults(json!([]));
    let deadline = Instant::now() + Duration::from_mins(2);
    while read(&inbox.client, broadcast)["status"] == "sending" {
        assert!(Instant::now() < deadline, "it never ended: {}", read(&inbox.client, broadcast));
        inbox.advance(LEASE);
    }
    inbox.advance(DOUBT + 60);
    let sent = inbox.vendors.sent();
    let people: BTreeSet<&str> = sent.iter().map(|sent| text(&sent["to"])).collect();
    assert_eq!(people.len(), sent.len(), "somebody was reached twice");
    let all = recipients(&inbox.client, broadcast, "");
    assert_eq!(all.len(), MANY, "somebody was forgotten");
    let (mut known, mut doubted, mut unheard) = (0, 0, 0);
    for recipient in &all {
        let to = text(&recipient["phone"]).trim_start_matches('+');
        match text(&recipient["status"]) {
            "sent" => {
                assert!(people.contains(to), "it was never sent: {recipient}");
                known += 1;
            }
            "failed" => {
                assert_eq!(recipient["error"]["reason"], "unknown_outcome", "{recipient}");
                doubted += 1;
                unheard += usize::from(!people.contains(to));
            }
            other => panic!("a recipient is {other}: {recipient}"),
        }
    }
    assert!(unheard <= kills * UNHEARD_MAX, "{unheard} have failed though the channel never heard of them");
    let total = i64::try_from(MANY).unwrap();
    assert_eq!(read(&inbox.client, broadcast)["counts"], counts(total, known, 0, 0, 0, doubted));
    // The channel reports everything that it has taken: what was in doubt is known then.
    for sent in &sent {
        inbox.vendors.report(text(&sent["channel_message_id"]), "delivered");
    }
    let received = i64::try_from(sent.len()).unwrap();
    let exact = counts(total, received, received, 0, 0, total - received);
    let became = came_true(|| read(&inbox.client, broadcast)["counts"] == exact);
    assert!(became, "{} were received: {}", received, read(&inbox.client, broadcast));
}

fn counts_are_exact_and_no_one_is_sent_twice_though_the_server_is_killed_ten_times(inbox: Inbox) {
    const KILLS: usize = 10;
    inbox.vendors.report_by_hand();
    let connection = inbox.connect(
        "whatsapp",
        &inbox.tenant.account.id.clone(),
        &inbox.vendors.graph_url(),
        &["--messages-per-second", "200"],
    );
    inbox.vendors.faults(json!([{ "on": "send", "kind": "delay", "millis": 20 }]));
    let made = announced(&inbox.client, hello(phones(&numbers(MANY))));
    for _ in 0..KILLS {
        let before = inbox.vendors.sent().len();
        // A random moment, while something is going on if anything still is.
        let _all_may_be_sent = came_true_within(WHILE, || {
            inbox.vendors.sent().len() > before || read(&inbox.client, &made)["status"] != "sending"
        });
        sleep(Duration::from_millis(any_below(120)));
        inbox.app.kill();
        inbox.vendors.advance(LEASE + CHARGE);
        inbox.app.restart();
        // Leases of the dead server end by the clock; this call may outlive nothing.
        let ahead = json!({ "advance_seconds": LEASE + CHARGE }).to_string();
        let mut wire = inbox.app.wire();
        let head = "POST /sandbox/clock HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
        wire.send(format!("{head}Content-Length: {}\r\n\r\n{ahead}", ahead.len())).expect("it is sent");
        std::thread::spawn(move || drop(wire.try_answer()));
    }
    all_is_counted(&inbox, &connection, &made, KILLS);
}

fn two_servers_send_one_broadcast_and_one_is_killed(engine: Engine) {
    let inbox = Inbox::of(start(engine));
    inbox.vendors.report_by_hand();
    let connection = inbox.whatsapp();
    let second = inbox.app.second_server();
    inbox.vendors.faults(json!([{ "on": "send", "kind": "delay", "millis": 20 }]));
    let made = announced(&inbox.client.at(&second), hello(phones(&numbers(MANY))));
    let enough = 20 + usize::try_from(any_below(200)).unwrap();
    assert!(came_true(|| inbox.vendors.sent().len() >= enough), "{} were sent", inbox.vendors.sent().len());
    if enough.is_multiple_of(2) {
        inbox.app.kill();
        inbox.app.restart();
    } else {
        second.kill();
    }
    inbox.advance(LEASE + CHARGE);
    all_is_counted(&inbox, &connection, &made, 1);
}
