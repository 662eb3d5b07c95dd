//! How often a webhook and a broadcast wait for PostgreSQL. Throughput on a database across a network depends on it.

use frontdesk_e2e::{App, Engine};
use serde_json::json;

use crate::broadcasts_scene::{announced, hello, numbers, phones};
use crate::inbound_scene::{ANN, Inbox, fresh, messages, start};
use crate::inbox_scene::reachable;

/// Round trips that a message from a known customer may take: from the request to the response, with its commit.
const ROUND_TRIPS_MAX: u64 = 6;
/// The fewest that it can take: the connection, the customer, the commit.
const ROUND_TRIPS_MIN: u64 = 3;
/// Statements are prepared when a connection first uses them.
const WARM_UPS: usize = 10;
/// The server also looks for work and wakes others by itself, so a single count may be too high.
const COUNTS: usize = 20;

/// Numbers of a broadcast that nobody has, and the round trips that it may take.
const NEW_NUMBERS: usize = 1_000;
const BROADCAST_ROUND_TRIPS_MAX: u64 = 200;

fn round_trips(app: &App) -> u64 {
    let page = app.anonymous().vendors().get("/metrics").expect(200);
    let name = "frontdesk_db_round_trips_total ";
    let value = page.text.lines().find_map(|line| line.strip_prefix(name));
    value.expect("round trips are counted").trim().parse().expect("a number")
}

#[test]
fn a_message_from_a_known_customer_takes_six_round_trips_at_most() {
    // One connection takes the reads and one the changes, so that every statement is soon prepared.
    let inbox =
        Inbox::of(start(Engine::Postgres).env("FRONTDESK_DATABASE_POOL", "2").env("FRONTDESK_ROLE", "api"));
    let connection = inbox.whatsapp();
    inbox.hear(&connection, ANN);
    let write = || {
        let said = inbox.message(ANN, &fresh("again"), "text", json!({ "body": "Me again" }));
        inbox.tell(&connection, &messages(&connection, &[said])).expect(200);
    };
    let fewest = || {
        (0..WARM_UPS).for_each(|_| write());
        let counts = (0..COUNTS).map(|_| {
            let before = round_trips(&inbox.app);
            write();
            round_trips(&inbox.app) - before
        });
        counts.min().expect("it was counted")
    };
    let plain = fewest();
    assert!((ROUND_TRIPS_MIN..=ROUND_TRIPS_MAX).contains(&plain), "it took {plain} round trips");
    // A delivery is written along with its event.
    let endpoint = json!({ "url": "https://example.com/hook", "event_types": ["message.received"] });
    inbox.client.post("/webhooks", endpoint).expect(201);
    let subscribed = fewest();
    assert!(subscribed <= ROUND_TRIPS_MAX, "with a webhook it took {subscribed} round trips");
    assert_eq!(inbox.all().len(), 1 + 2 * (WARM_UPS + COUNTS));
}

#[test]
fn a_broadcast_creates_the_contacts_of_new_numbers_in_few_round_trips() {
    let app =
        start(Engine::Postgres).env("FRONTDESK_DATABASE_POOL", "2").env("FRONTDESK_ROLE", "api").ready();
    let client = reachable(&app).client;
    let mut broadcast = hello(phones(&numbers(NEW_NUMBERS)));
    broadcast["schedule_at"] = json!("2999-01-01T00:00:00Z");
    let before = round_trips(&app);
    let made = announced(&client, broadcast);
    let taken = round_trips(&app) - before;
    assert_eq!(made["counts"]["total"], NEW_NUMBERS);
    assert!(taken <= BROADCAST_ROUND_TRIPS_MAX, "it took {taken} round trips");
}
