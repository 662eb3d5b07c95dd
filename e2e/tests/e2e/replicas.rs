//! Reads from a streaming replica: they show every change that their account was told of, whichever server made it, and
//! nothing that happens to the replica makes one fail.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use frontdesk_e2e::{App, Client, Engine, PairedPostgres, PostgresPair, Server, Start, Stopwatch, came_true};
use serde_json::json;

use crate::people::{add, listed};

const REPLICA: &str = "FRONTDESK_DATABASE_READ";
/// A replica that hangs delays a request by less than this.
const DELAY_MAX: Duration = Duration::from_secs(10);

/// A server that reads from the standby.
fn start(pair: &PostgresPair) -> Start {
    App::start(Engine::Postgres).on_database(&pair.primary.url()).env(REPLICA, &pair.standby.url())
}

/// The value of a metric with these labels; 0 when it was never counted.
#[track_caller]
fn metric(at: &Client, name: &str) -> f64 {
    let page = at.vendors().get("/metrics").expect(200).text;
    let value = page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    value.map_or(0.0, |value| value.parse().expect("a number"))
}

/// How many reads the replica and the primary have answered.
fn reads(at: &Client) -> (f64, f64) {
    let of = |target: &str| metric(at, &format!("frontdesk_db_reads_total{{target=\"{target}\"}}"));
    (of("replica"), of("primary"))
}

/// Waits until the replica answers this caller.
#[track_caller]
fn is_served(client: &Client) {
    let served = came_true(|| {
        let (before, _) = reads(client);
        client.get("/contacts").expect(200);
        reads(client).0 > before
    });
    assert!(served, "the replica never answered: {}", client.vendors().get("/metrics").text);
}

/// Demands that the replica, or else the primary, answers this caller's next read, which shows these contacts.
#[track_caller]
fn shows(client: &Client, by_replica: bool, names: &[&str]) {
    let (replica, primary) = reads(client);
    assert_eq!(listed(client, ""), names);
    let (replica, primary) = (reads(client).0 - replica, reads(client).1 - primary);
    assert_eq!((replica, primary), if by_replica { (1.0, 0.0) } else { (0.0, 1.0) });
}

fn warning(app: &App) -> String {
    app.anonymous().vendors().get("/readyz").expect(200).json["warning"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn a_caller_sees_its_own_last_write_on_every_server_while_the_replica_lags() {
    let pair = PostgresPair::start();
    let app = start(&pair).ready();
    let second: Server = app.second_server();
    let (ours, others) = (app.tenant().client, app.tenant().client);
    add(&ours, json!({ "name": "Ann" }));
    add(&others, json!({ "name": "Old" }));
    for client in [&ours, &ours.at(&second), &others, &others.at(&second)] {
        is_served(client);
    }
    pair.standby.pause_replay();
    add(&ours, json!({ "name": "Bob" }));
    // The server that took the write, and the one that did not.
    shows(&ours, false, &["Ann", "Bob"]);
    shows(&ours.at(&second), false, &["Ann", "Bob"]);
    // Every write counts, also one that changes and one that deletes.
    let eve = add(&ours.at(&second), json!({ "name": "Eve" }));
    shows(&ours, false, &["Ann", "Bob", "Eve"]);
    ours.patch(&format!("/contacts/{eve}"), json!({ "name": "Eva" })).expect(200);
    shows(&ours.at(&second), false, &["Ann", "Bob", "Eva"]);
    ours.delete(&format!("/contacts/{eve}")).expect(200);
    shows(&ours.at(&second), false, &["Ann", "Bob"]);
    // An account that nobody has changed is still read from the replica.
    shows(&others, true, &["Old"]);
    shows(&others.at(&second), true, &["Old"]);
    // What depends on running transactions never goes there.
    let (before, _) = reads(&others);
    others.get("/events").expect(200);
    others.get("/me").expect(200);
    assert!((reads(&others).0 - before).abs() < 0.5, "a read went to the replica");
    pair.standby.resume_replay();
    for client in [&ours, &ours.at(&second)] {
        is_served(client);
        shows(client, true, &["Ann", "Bob"]);
    }
    let report = app
        .run(&["doctor", "--listen", "127.0.0.1:0", "--database-read", &pair.standby.url(), "--json"])
        .json();
    let checks = report["checks"].as_array().expect("checks");
    assert!(
        checks.iter().any(|check| check["name"] == "read replica" && check["status"] == "ok"),
        "{report}"
    );
}

/// Ends a load when it is dropped, also by a failed assertion.
pub(crate) struct EndsWithIt<'a>(pub(crate) &'a AtomicBool);

impl Drop for EndsWithIt<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Reads on both servers at once until told to stop. Returns how many reads there were, and how long the slowest took.
fn read_on(clients: &[Client], is_over: &AtomicBool) -> (usize, Duration) {
    let slowest = Mutex::new((0, Duration::ZERO));
    thread::scope(|scope| {
        for client in clients {
            let slowest = &slowest;
            scope.spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    let begun = Stopwatch::start();
                    client.get("/contacts?q=ann").expect(200);
                    client.get("/contacts").expect(200);
                    let mut slowest = slowest.lock().unwrap();
                    *slowest = (slowest.0 + 2, slowest.1.max(begun.elapsed()));
                }
            });
        }
    });
    slowest.into_inner().unwrap()
}

#[test]
fn no_request_fails_while_the_replica_hangs_and_dies() {
    let pair = PostgresPair::start();
    let app = start(&pair).ready();
    let second = app.second_server();
    let client = app.tenant().client;
    add(&client, json!({ "name": "Ann" }));
    is_served(&client);
    is_served(&client.at(&second));
    let is_over = AtomicBool::new(false);
    let clients = [client.clone(), client.clone(), client.at(&second)];
    let (count, slowest) = thread::scope(|scope| {
        let _load = EndsWithIt(&is_over);
        let reading = scope.spawn(|| read_on(&clients, &is_over));
        let notices = |what: &str| {
            assert!(came_true(|| !warning(&app).is_empty()), "nobody noticed that the replica {what}");
            assert!(warning(&app).contains("read replica is not used"), "{}", warning(&app));
        };
        pair.standby.suspend();
        notices("hangs");
        pair.standby.resume();
        is_served(&client);
        pair.standby.kill();
        notices("died");
        // A server that starts meanwhile serves, too.
        let third = app.second_server();
        client.at(&third).get("/contacts").expect(200);
        pair.standby.start();
        is_served(&client);
        is_served(&client.at(&third));
        is_over.store(true, Ordering::Relaxed);
        reading.join().expect("no request failed")
    });
    assert!(count > 20 && slowest < DELAY_MAX, "{count} reads, the slowest took {slowest:?}");
    assert_eq!(warning(&app), "");
    assert!(app.logs().contains("reads go to the read replica"));
}

#[test]
fn most_reads_of_a_mixed_load_go_to_the_replica_and_each_shows_the_write_before_it() {
    const WRITES: usize = 40;
    const READS_PER_WRITE: usize = 4;
    let pair = PostgresPair::start();
    let app = start(&pair).ready();
    let second = app.second_server();
    let tenants = [app.tenant().client, app.tenant().client, app.tenant().client, app.tenant().client];
    add(&tenants[0], json!({ "name": "Ann" }));
    is_served(&tenants[0]);
    is_served(&tenants[0].at(&second));
    let count = |client: &Client| [reads(client), reads(&client.at(&second))];
    let before = count(&tenants[0]);
    let begun = Instant::now();
    thread::scope(|scope| {
        for tenant in &tenants {
            let servers = [tenant.clone(), tenant.at(&second)];
            scope.spawn(move || {
                for number in 0..WRITES {
                    let name = format!("Contact {number}");
                    let id = add(&servers[number % 2], json!({ "name": name }));
                    for read in 0..READS_PER_WRITE {
                        // Each on the other server than the one before it.
                        let found = servers[(number + read + 1) % 2].get("/contacts?limit=1").expect(200);
                        assert_eq!(found.data()[0]["id"], id.as_str(), "a read misses the write before it");
                    }
                }
            });
        }
    });
    let after = count(&tenants[0]);
    let sum = |target: fn(&(f64, f64)) -> f64| {
        after.iter().map(target).sum::<f64>() - before.iter().map(target).sum::<f64>()
    };
    let (replica, primary) = (sum(|reads| reads.0), sum(|reads| reads.1));
    println!("{replica} reads of {} went to the replica, in {:?}", replica + primary, begun.elapsed());
    assert!(replica > primary, "{replica} on the replica, {primary} on the primary");
}

#[test]
fn a_read_that_is_in_the_way_of_replay_is_repeated_on_the_primary() {
    let pair = PostgresPair::start();
    pair.standby.set("max_standby_streaming_delay", "0");
    let app = start(&pair).ready();
    let client = app.tenant().client;
    add(&client, json!({ "name": "Ann" }));
    is_served(&client);
    // Replay of each of these needs a table for itself, and cancels every read of it.
    let is_over = AtomicBool::new(false);
    let cancelled = thread::scope(|scope| {
        let _load = EndsWithIt(&is_over);
        let reading = scope.spawn(|| read_on(&[client.clone(), client.clone()], &is_over));
        let mut primary = pair.primary.client();
        let cancelled = came_true(|| {
            primary.batch_execute("ALTER TABLE contacts SET (fillfactor = 100)").expect("a lock");
            ["failed", "unreachable"].iter().any(|cause| {
                metric(&client, &format!("frontdesk_db_replica_refusals_total{{cause=\"{cause}\"}}")) > 0.0
            })
        });
        is_over.store(true, Ordering::Relaxed);
        reading.join().expect("no request failed");
        cancelled
    });
    assert!(cancelled, "no read was ever in the way");
    is_served(&client);
}

#[test]
fn a_replica_that_is_behind_a_migration_is_read_once_it_has_it() {
    const LAST: &str = "SELECT max(version) FROM migrations";
    let pair = PostgresPair::start();
    let app = App::start(Engine::Postgres).on_database(&pair.primary.url()).ready();
    let client = app.tenant().client;
    add(&client, json!({ "name": "Ann" }));
    let last = |server: &PairedPostgres| server.client().query_one(LAST, &[]).map(|row| row.get::<_, i64>(0));
    let newest = last(&pair.primary).expect("migrations");
    pair.primary.execute(&format!("DELETE FROM migrations WHERE version = {newest}"));
    assert!(came_true(|| last(&pair.standby).is_ok_and(|version| version < newest)));
    pair.standby.pause_replay();
    pair.primary.execute(&format!("INSERT INTO migrations VALUES ({newest})"));
    let second = app.second_server_with(&[(REPLICA, &pair.standby.url())]);
    let client = client.at(&second);
    assert!(
        second.logs().contains("it does not have the migrations of this version yet"),
        "{}",
        second.logs()
    );
    shows(&client, false, &["Ann"]);
    pair.standby.resume_replay();
    is_served(&client);
}

#[test]
fn a_replica_that_was_promoted_is_not_read_any_more() {
    let pair = PostgresPair::start();
    let app = start(&pair).ready();
    let client = app.tenant().client;
    add(&client, json!({ "name": "Ann" }));
    is_served(&client);
    pair.standby.promote();
    // The two go on apart from here.
    pair.standby.execute("UPDATE contacts SET name = 'Somebody else'");
    let is_noticed = came_true(|| {
        client.get("/contacts").expect(200);
        warning(&app).contains("not a standby")
    });
    assert!(is_noticed, "{}", warning(&app));
    add(&client, json!({ "name": "Bob" }));
    shows(&client, false, &["Ann", "Bob"]);
}

#[test]
fn a_database_that_is_no_replica_of_ours_is_refused() {
    let (ours, theirs) = (PostgresPair::start(), PostgresPair::start());
    let app = App::start(Engine::Postgres).on_database(&ours.primary.url()).ready();
    let foreign = app.try_second_server_with(&[(REPLICA, &theirs.standby.url())]).expect_err("it started");
    assert!(foreign.contains("none of this database"), "{foreign}");
    // The primary is of this database, and no replica: it is not used.
    let other = app.second_server_with(&[(REPLICA, &ours.primary.url())]);
    let client = app.tenant().client.at(&other);
    add(&client, json!({ "name": "Ann" }));
    shows(&client, false, &["Ann"]);
    assert!(other.logs().contains("it is not a standby"), "{}", other.logs());
}

#[test]
fn sqlite_has_no_read_replica() {
    let app = App::start(Engine::Sqlite).unstarted();
    let refused = app.run_with(&[(REPLICA, "postgres://replica/frontdesk")], &["serve"]).expect_failure();
    assert!(refused.contains("--database-read goes with PostgreSQL"), "{refused}");
}
