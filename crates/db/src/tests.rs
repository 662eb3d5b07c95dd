//! What the store promises, on both engines.

#![expect(clippy::disallowed_methods, reason = "tests measure time and need names of their own")]

mod reads;
mod scans;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use frontdesk_kernel::Timestamp;
use uuid::Uuid;

use crate::{DatabaseUrl, Dialect, Error, Options, Query, Result, Store, Tx, lease, only};

/// A database of its own, gone when dropped.
struct Database {
    url: DatabaseUrl,
    cleanup: Cleanup,
}

enum Cleanup {
    Directory(PathBuf),
    Postgres { server: String, name: String },
}

static NEXT: AtomicU32 = AtomicU32::new(0);

impl Database {
    fn sqlite() -> Self {
        let unique = format!("frontdesk-db-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let directory = std::env::temp_dir().join(unique);
        let url = DatabaseUrl::Sqlite(directory.join("data").join("test.db"));
        Self { url, cleanup: Cleanup::Directory(directory) }
    }

    fn postgres() -> Self {
        let server = std::env::var("FRONTDESK_TEST_POSTGRES")
            .expect("FRONTDESK_TEST_POSTGRES names a PostgreSQL server: run the tests with `make test`");
        let name = format!("frontdesk_db_{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let mut admin = postgres::Client::connect(&server, postgres::NoTls).expect("the test server answers");
        admin.batch_execute(&format!("CREATE DATABASE {name}")).expect("a database can be made");
        let (base, _) = server.rsplit_once('/').expect("the URL names a database");
        // TLS has tests of its own, and would slow these down.
        let url = DatabaseUrl::Postgres(format!("{base}/{name}?sslmode=disable"));
        Self { url, cleanup: Cleanup::Postgres { server, name } }
    }

    fn open(&self) -> Store {
        self.try_open(true).expect("the store opens")
    }

    fn try_open(&self, server: bool) -> Result<Store> {
        Store::open(&Options { server, pool: 4, ..Options::new(self.url.clone()) })
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        match &self.cleanup {
            Cleanup::Directory(path) => drop(std::fs::remove_dir_all(path)),
            Cleanup::Postgres { server, name } => {
                if let Ok(mut admin) = postgres::Client::connect(server, postgres::NoTls) {
                    let _ = admin.batch_execute(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"));
                }
            }
        }
    }
}

/// Runs a test on both engines.
fn on_both<F: Future<Output = ()>>(test: impl Fn(Store) -> F) {
    for database in [Database::sqlite(), Database::postgres()] {
        let store = database.open();
        runtime().block_on(test(store.clone()));
        store.close();
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime starts")
}

fn put(tx: &mut Tx<'_>, name: &str, value: &str) -> Result<()> {
    tx.execute("INSERT INTO settings (name, value) VALUES ($1, $2)", &[&name, &value])?.exactly(1)
}

async fn names(store: &Store) -> Vec<String> {
    store
        .read(|tx| tx.query("SELECT name FROM settings ORDER BY name", &[], only))
        .await
        .expect("a read works")
}

#[test]
fn a_write_is_read_back_and_survives_closing() {
    for database in [Database::sqlite(), Database::postgres()] {
        let store = database.open();
        runtime().block_on(store.write(|tx| put(tx, "a", "1"))).unwrap();
        store.close();
        let again = database.open();
        assert_eq!(runtime().block_on(names(&again)), ["a"]);
        again.close();
    }
}

#[test]
fn a_failed_change_undoes_itself_and_nothing_else() {
    on_both(|store| async move {
        let writes = (0..90).map(|n| {
            let store = store.clone();
            tokio::spawn(async move {
                store
                    .write(move |tx| {
                        put(tx, &format!("{n:02}"), "kept")?;
                        if n % 3 == 0 { Err(Error::Engine("no".into())) } else { Ok(()) }
                    })
                    .await
            })
        });
        for (n, write) in writes.collect::<Vec<_>>().into_iter().enumerate() {
            assert_eq!(write.await.unwrap().is_err(), n % 3 == 0, "{n}");
        }
        let expected: Vec<String> = (0..90).filter(|n| n % 3 != 0).map(|n| format!("{n:02}")).collect();
        assert_eq!(names(&store).await, expected);
    });
}

#[test]
fn a_panic_undoes_its_own_change_and_the_store_goes_on() {
    on_both(|store| async move {
        let panicked: Result<()> = store
            .write(|tx| {
                put(tx, "gone", "1")?;
                panic!("on purpose")
            })
            .await;
        assert!(matches!(panicked, Err(Error::Panicked)), "{panicked:?}");
        let read: Result<()> = store.read(|_| panic!("on purpose")).await;
        assert!(matches!(read, Err(Error::Panicked)));
        store.write(|tx| put(tx, "kept", "1")).await.unwrap();
        assert_eq!(names(&store).await, ["kept"]);
    });
}

#[test]
fn a_closure_is_dropped_before_its_caller_resumes() {
    /// Takes its time to be dropped, as a large batch may.
    struct Captured(Arc<AtomicU32>);

    impl Drop for Captured {
        fn drop(&mut self) {
            std::thread::sleep(Duration::from_millis(20));
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    on_both(|store| async move {
        let dropped = Arc::new(AtomicU32::new(0));
        for (round, refused) in [false, true].into_iter().enumerate() {
            let captured = Captured(dropped.clone());
            let result = store
                .write(move |tx| {
                    put(tx, if captured.0.load(Ordering::SeqCst) > 0 { "b" } else { "a" }, "1")?;
                    if refused { Err(Error::Engine("no".into())) } else { Ok(()) }
                })
                .await;
            assert_eq!(result.is_err(), refused);
            assert_eq!(dropped.load(Ordering::SeqCst) as usize, round + 1);
        }
    });
}

#[test]
fn a_constraint_is_told_by_its_name() {
    on_both(|store| async move {
        store.write(|tx| put(tx, "a", "1")).await.unwrap();
        let again = store.write(|tx| put(tx, "a", "2")).await.unwrap_err();
        assert!(again.is_constraint("settings_pkey"), "{again:?}");
    });
}

#[test]
fn a_write_that_touches_too_few_rows_is_undone() {
    on_both(|store| async move {
        let missed = store
            .write(|tx| {
                put(tx, "a", "1")?;
                tx.execute("UPDATE settings SET value = 'x' WHERE name = $1", &[&"nobody"])?.exactly(1)
            })
            .await;
        assert!(matches!(missed, Err(Error::Touched { wanted: 1, got: 0 })));
        assert!(names(&store).await.is_empty());
    });
}

#[test]
fn what_goes_along_is_there_for_the_next_statement_and_the_commit() {
    fn put_along(tx: &mut Tx<'_>, name: &'static str) -> Result<()> {
        let params: Vec<crate::OwnedParam> = vec![Box::new(name)];
        tx.insert_along(Query::whole("INSERT INTO settings (name, value) VALUES ($1, '1')", params))
    }
    const COUNT: &str = "SELECT count(*) FROM settings";
    on_both(|store| async move {
        // More than wait at a time, the first of them before anything else.
        const NAMES: [&str; 20] = [
            "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s",
            "t",
        ];
        let seen = store.write(|tx| {
            NAMES.iter().try_for_each(|name| put_along(tx, name))?;
            tx.find(COUNT, &[], only::<i64>)
        });
        assert_eq!(seen.await.unwrap(), Some(20));
        store.write(|tx| put_along(tx, "u")).await.unwrap();
        let undone: Result<()> = store
            .write(|tx| {
                put_along(tx, "v")?;
                Err(Error::Decode("no"))
            })
            .await;
        undone.unwrap_err();
        // One that fails takes its transaction with it, whether a statement follows or the commit.
        let followed = store.write(|tx| {
            put(tx, "w", "1")?;
            put_along(tx, "a")?;
            tx.find(COUNT, &[], only::<i64>)
        });
        assert!(followed.await.unwrap_err().is_constraint("settings_pkey"));
        let committed = store.write(|tx| put(tx, "x", "1").and_then(|()| put_along(tx, "a")));
        assert!(committed.await.unwrap_err().is_constraint("settings_pkey"));
        assert_eq!(names(&store).await.len(), 21);
    });
}

#[test]
fn what_is_asked_ahead_is_answered_once_and_only_to_the_same_question() {
    const VALUE: &str = "SELECT value FROM settings WHERE name = $1";
    on_both(|store| async move {
        store.write(|tx| put(tx, "a", "1").and_then(|()| put(tx, "b", "2"))).await.unwrap();
        let told = store.write(|tx| {
            tx.prefetch(Query::whole(VALUE, vec![Box::new("a")]))?;
            // With this one the answer comes along.
            let other = tx.find(VALUE, &[&"b"], only::<String>)?;
            let ahead = tx.find(VALUE, &[&"a"], only::<String>)?;
            tx.execute("UPDATE settings SET value = '3' WHERE name = $1", &[&"a"])?.exactly(1)?;
            Ok::<_, Error>([other, ahead, tx.find(VALUE, &[&"a"], only::<String>)?])
        });
        assert_eq!(told.await.unwrap(), ["2", "1", "3"].map(|value| Some(value.to_owned())));
        // Nothing of it is left to the next transaction.
        let undone: Result<()> = store
            .write(|tx| {
                tx.prefetch(Query::whole(VALUE, vec![Box::new("b")]))?;
                tx.find(VALUE, &[&"a"], only::<String>)?;
                Err(Error::Decode("no"))
            })
            .await;
        undone.unwrap_err();
        store
            .write(|tx| tx.execute("UPDATE settings SET value = '4' WHERE name = $1", &[&"b"])?.exactly(1))
            .await
            .unwrap();
        let now = store.write(|tx| tx.find(VALUE, &[&"b"], only::<String>)).await.unwrap();
        assert_eq!(now.as_deref(), Some("4"));
    });
}

#[test]
fn several_questions_asked_ahead_are_each_answered_in_any_order() {
    const VALUE: &str = "SELECT value FROM settings WHERE name = $1";
    on_both(|store| async move {
        store.write(|tx| put(tx, "a", "1").and_then(|()| put(tx, "b", "2"))).await.unwrap();
        let told = store.write(|tx| {
            tx.prefetch(Query::whole(VALUE, vec![Box::new("a")]))?;
            tx.prefetch(Query::whole(VALUE, vec![Box::new("b")]))?;
            let unknown = tx.find(VALUE, &[&"c"], only::<String>)?;
            let b = tx.find(VALUE, &[&"b"], only::<String>)?;
            Ok::<_, Error>([unknown, b, tx.find(VALUE, &[&"a"], only::<String>)?])
        });
        assert_eq!(told.await.unwrap(), [None, Some("2".to_owned()), Some("1".to_owned())]);
    });
}

#[test]
fn who_waits_for_a_lock_sees_what_who_held_it_has_written() {
    on_both(|store| async move {
        let (held, is_held) = std::sync::mpsc::channel();
        let first = store.write(move |tx| {
            tx.lock("door".to_owned())?;
            put(tx, "a", "1")?;
            held.send(()).expect("somebody waits");
            std::thread::sleep(Duration::from_millis(200));
            Ok::<_, Error>(())
        });
        let second = async {
            tokio::task::spawn_blocking(move || is_held.recv()).await.unwrap().unwrap();
            store
                .write(|tx| {
                    tx.lock("door".to_owned())?;
                    tx.find("SELECT count(*) FROM settings", &[], only::<i64>)
                })
                .await
        };
        let (first, second) = tokio::join!(first, second);
        first.unwrap();
        assert_eq!(second.unwrap(), Some(1));
    });
}

#[test]
fn no_more_is_picked_than_is_wanted() {
    on_both(|store| async move {
        store.write(|tx| ["a", "b", "c", "d"].iter().try_for_each(|name| put(tx, name, "1"))).await.unwrap();
        let pick = |max: usize| {
            store.read(move |tx| {
                tx.pick(&Query::new("SELECT name FROM settings ORDER BY name"), max, |row| {
                    let name: String = row.next()?;
                    Ok((name != "b").then_some(name))
                })
            })
        };
        assert_eq!(pick(2).await.unwrap(), ["a", "c"]);
        assert_eq!(pick(9).await.unwrap(), ["a", "c", "d"]);
    });
}

#[test]
fn a_commit_wakes_and_a_failure_does_not() {
    on_both(|store| async move {
        let mut waiting = store.wakes().subscribe("work");
        settled(&store).await;
        waiting.mark_unchanged();
        let failed: Result<()> = store
            .write(|tx| {
                tx.wake("work");
                Err(Error::Engine("no".into()))
            })
            .await;
        assert!(failed.is_err());
        let ok: Result<()> = store.write(|tx| put(tx, "unrelated", "1")).await;
        assert!(ok.is_ok() && !waiting.has_changed().unwrap());
        let ok: Result<()> = store
            .write(|tx| {
                tx.wake("work");
                Ok(())
            })
            .await;
        assert!(ok.is_ok());
        tokio::time::timeout(Duration::from_secs(5), waiting.changed()).await.unwrap().unwrap();
    });
}

/// Waits until the store listens to others, which begins with waking everybody.
#[test]
fn a_commit_hands_over_as_much_as_there_is_room_for() {
    fn offer(tx: &mut Tx<'_>, about: Uuid, name: &'static str) -> bool {
        let taken = tx.has_room("parcels", about);
        if taken {
            tx.hand_over("parcels", Box::new(name));
        }
        taken
    }
    on_both(|store| async move {
        let (ann, bob) = (Uuid::from_u128(1), Uuid::from_u128(2));
        assert!(!store.write(move |tx| Ok::<_, Error>(offer(tx, ann, "nobody waits"))).await.unwrap());
        let mailbox = store.wakes().mailbox("parcels");
        mailbox.set_room(ann, 2);
        assert!(!store.write(move |tx| Ok::<_, Error>(offer(tx, bob, "no room"))).await.unwrap());
        let undone = store.write(move |tx| {
            assert!(offer(tx, ann, "undone"));
            Err::<(), _>(Error::Decode("no"))
        });
        undone.await.unwrap_err();
        assert!(mailbox.is_empty());
        assert!(store.write(move |tx| Ok::<_, Error>(offer(tx, ann, "first"))).await.unwrap());
        // It is there before the one who wrote it is answered.
        let fresh = mailbox.take_fresh();
        assert_eq!(fresh[0].downcast_ref::<&str>(), Some(&"first"));
        assert!(!store.write(move |tx| Ok::<_, Error>(offer(tx, ann, "full"))).await.unwrap());
        mailbox.set_room(ann, 1);
        mailbox.close();
        assert!(!store.write(move |tx| Ok::<_, Error>(offer(tx, ann, "closed"))).await.unwrap());
        assert!(mailbox.is_empty());
    });
}

async fn settled(store: &Store) {
    while store.dialect() == Dialect::Postgres && !store.receives_notifications() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[test]
fn servers_on_one_postgres_wake_each_other() {
    let database = Database::postgres();
    let (one, other) = (database.open(), database.open());
    runtime().block_on(async {
        let mut waiting = other.wakes().subscribe("work");
        settled(&other).await;
        waiting.mark_unchanged();
        let wrote: Result<()> = one
            .write(|tx| {
                tx.wake("work");
                Ok(())
            })
            .await;
        wrote.unwrap();
        tokio::time::timeout(Duration::from_secs(5), waiting.changed()).await.unwrap().unwrap();
    });
    one.close();
    other.close();
}

#[test]
fn a_command_wakes_the_servers_with_its_commit() {
    let database = Database::postgres();
    let (server, command) = (database.open(), database.try_open(false).unwrap());
    runtime().block_on(async {
        let mut waiting = server.wakes().subscribe("work");
        settled(&server).await;
        waiting.mark_unchanged();
        let wrote: Result<()> = command.write(|tx| tx.notify("work")).await;
        wrote.unwrap();
        tokio::time::timeout(Duration::from_secs(5), waiting.changed()).await.unwrap().unwrap();
    });
    command.close();
    server.close();
}

#[test]
fn one_holds_a_lease_until_it_runs_out_or_is_given_up() {
    on_both(|store| async move {
        let (ann, bob) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let start = Timestamp::from_millis(1_000_000);
        let later = start + Duration::from_secs(11);
        let take = |who: Uuid, now: Timestamp| {
            store.write(move |tx| lease::take(tx, "job", who, now, Duration::from_secs(10)))
        };
        assert!(take(ann, start).await.unwrap());
        assert!(!take(bob, start).await.unwrap());
        assert!(take(ann, start).await.unwrap(), "the holder renews");
        assert!(take(bob, later).await.unwrap(), "it has run out");
        assert!(!take(ann, later).await.unwrap());
        store.write(move |tx| lease::give_up(tx, "job", bob)).await.unwrap();
        assert!(take(ann, later).await.unwrap());
    });
}

#[test]
fn a_second_server_on_one_sqlite_file_is_refused_and_told_why() {
    let database = Database::sqlite();
    let first = database.try_open(true).unwrap();
    let second = database.try_open(true).err().expect("it is in use");
    assert!(second.to_string().contains("another frontdesk server is running"), "{second}");
    let beside = database.try_open(false).expect("a command beside the server is fine");
    runtime().block_on(beside.write(|tx| put(tx, "beside", "1"))).unwrap();
    assert_eq!(runtime().block_on(names(&first)), ["beside"]);
    beside.close();
    first.close();
}

#[test]
fn a_database_from_the_future_is_left_alone() {
    for database in [Database::sqlite(), Database::postgres()] {
        let store = database.open();
        let future = |tx: &mut Tx<'_>| tx.execute("INSERT INTO migrations VALUES (1000000)", &[])?.exactly(1);
        runtime().block_on(store.write(future)).unwrap();
        store.close();
        assert!(matches!(database.try_open(false).err(), Some(Error::TooNew { found: 1_000_000, .. })));
    }
}

#[test]
fn a_full_queue_says_so_at_once_and_loses_nothing_it_took() {
    on_both(|store| async move {
        let gate = Arc::new((Mutex::new(false), Condvar::new()));
        let begun = Arc::new(AtomicU32::new(0));
        // One of PostgreSQL's four threads is reserved for short statements.
        let threads = if store.dialect() == Dialect::Sqlite { 1 } else { 3 };
        let blockers = (0..threads).map(|_| {
            let (store, held, begun) = (store.clone(), gate.clone(), begun.clone());
            tokio::spawn(async move {
                store
                    .write(move |_| {
                        begun.fetch_add(1, Ordering::Relaxed);
                        let mut open = held.0.lock().unwrap();
                        while !*open {
                            open = held.1.wait(open).unwrap();
                        }
                        Ok::<(), Error>(())
                    })
                    .await
            })
        });
        let blockers: Vec<_> = blockers.collect();
        while begun.load(Ordering::Relaxed) < threads {
            tokio::task::yield_now().await;
        }
        let mut queued = Vec::new();
        let refused = loop {
            let store = store.clone();
            let n = queued.len();
            let mut write =
                Box::pin(async move { store.write(move |tx| put(tx, &format!("{n:05}"), "1")).await });
            match futures_poll(&mut write).await {
                Some(outcome) => break outcome,
                None => queued.push(write),
            }
            assert!(queued.len() < 10_000, "the queue has an end");
        };
        assert!(matches!(refused, Err(Error::Busy)), "{refused:?}");
        *gate.0.lock().unwrap() = true;
        gate.1.notify_all();
        for blocker in blockers {
            blocker.await.unwrap().unwrap();
        }
        let taken = queued.len();
        for write in queued {
            write.await.unwrap();
        }
        assert_eq!(names(&store).await.len(), taken);
    });
}

/// Polls once: the outcome, if there is one already.
async fn futures_poll<T>(future: &mut std::pin::Pin<Box<impl Future<Output = T>>>) -> Option<T> {
    std::future::poll_fn(|context| {
        std::task::Poll::Ready(match future.as_mut().poll(context) {
            std::task::Poll::Ready(outcome) => Some(outcome),
            std::task::Poll::Pending => None,
        })
    })
    .await
}

#[test]
fn a_lost_connection_is_made_anew() {
    let database = Database::postgres();
    let store = database.open();
    runtime().block_on(async {
        settled(&store).await;
        store.write(|tx| put(tx, "before", "1")).await.unwrap();
        let killed: Result<Vec<bool>> = store
            .read(|tx| {
                tx.query(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
                    &[],
                    only,
                )
            })
            .await;
        assert!(!killed.unwrap().is_empty());
        for n in 0..20 {
            store.write(move |tx| put(tx, &format!("after-{n:02}"), "1")).await.unwrap();
        }
        assert_eq!(names(&store).await.len(), 21);
    });
    store.close();
}

/// Every way in which PostgreSQL may ask for a password, and what it says to a wrong one.
#[test]
fn a_password_is_proved_in_the_way_that_is_asked_for() {
    let database = Database::postgres();
    // Its tables belong to whoever makes them.
    database.open().close();
    let (DatabaseUrl::Postgres(url), Cleanup::Postgres { server, .. }) = (&database.url, &database.cleanup)
    else {
        unreachable!("it is PostgreSQL")
    };
    let mut admin = postgres::Client::connect(server, postgres::NoTls).unwrap();
    let file: String = admin.query_one("SHOW hba_file", &[]).unwrap().get(0);
    let rules = std::fs::read_to_string(&file).unwrap();
    let ways = [("scram-sha-256", "scram-sha-256"), ("md5", "md5"), ("password", "scram-sha-256")];
    for (at, (_, kept_as)) in ways.into_iter().enumerate() {
        admin
            .batch_execute(&format!(
                "SET password_encryption = '{kept_as}'; DROP ROLE IF EXISTS keyed_{at};
                 CREATE ROLE keyed_{at} LOGIN SUPERUSER PASSWORD 'open sesame'"
            ))
            .unwrap();
    }
    let ours = ways.iter().enumerate().map(|(at, (way, _))| format!("host all keyed_{at} all {way}\n"));
    std::fs::write(&file, ours.collect::<String>() + &rules).unwrap();
    admin.batch_execute("SELECT pg_reload_conf()").unwrap();

    let open = |at: usize, password: &str| {
        let (_, place) = url.split_once('@').unwrap();
        let url = format!("postgres://keyed_{at}:{password}@{place}");
        Store::open(&Options { pool: 1, ..Options::new(url.parse().unwrap()) })
    };
    // The rules are read in a moment.
    let begin = std::time::Instant::now();
    while open(0, "wrong").is_ok() && begin.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(20));
    }
    for at in 0..ways.len() {
        let store = open(at, "open%20sesame").unwrap();
        runtime().block_on(store.write(move |tx| put(tx, &format!("a {at}"), "1"))).unwrap();
        store.close();
        let refused = open(at, "wrong").map(|store| store.close()).unwrap_err().to_string();
        assert!(refused.contains("password authentication failed"), "{refused}");
    }
    std::fs::write(&file, rules).unwrap();
    admin.batch_execute("SELECT pg_reload_conf(); DROP ROLE keyed_0, keyed_1, keyed_2").unwrap();
}

/// What spoils a connection, put into the only one of a pool. The next change gets another, and is made.
#[test]
fn a_spoiled_connection_is_replaced_and_the_change_is_made() {
    type Spoil = fn(&mut Tx<'_>) -> Result<()>;
    let spoils: [(&str, Spoil); 4] = [
        ("left in a transaction", |tx| tx.execute("BEGIN", &[]).map(drop)),
        // As a pooler does that hands out sessions by the transaction.
        ("without its statements", |tx| tx.execute("DEALLOCATE ALL", &[]).map(drop)),
        // As after a failover, when the server at the other end has become a standby.
        ("read-only", |tx| tx.execute("SET default_transaction_read_only = on", &[]).map(drop)),
        ("with a plan that is out of date", |tx| {
            tx.execute("ALTER TABLE settings ADD COLUMN more text", &[]).map(drop)
        }),
    ];
    let database = Database::postgres();
    let store = Store::open(&Options { pool: 1, ..Options::new(database.url.clone()) }).unwrap();
    runtime().block_on(async {
        let pid = || store.read(|tx| tx.query("SELECT pg_backend_pid()", &[], only::<i64>));
        let change = |n: usize| {
            store.write(move |tx| {
                tx.query("SELECT * FROM settings", &[], |_| Ok(()))?;
                tx.insert_along(Query::whole(
                    "INSERT INTO settings (name, value) VALUES ($1, '1')",
                    vec![Box::new(n.to_string())],
                ))
            })
        };
        change(100).await.unwrap();
        for (n, (what, spoil)) in spoils.into_iter().enumerate() {
            let before = pid().await.unwrap();
            store.single(spoil).await.unwrap();
            change(n).await.unwrap_or_else(|error| panic!("{what}: {error}"));
            assert_ne!(pid().await.unwrap(), before, "{what}");
            assert!(names(&store).await.contains(&n.to_string()), "{what}");
        }
    });
    store.close();
}

#[test]
fn a_transaction_whose_failure_was_passed_over_is_not_reported_as_made() {
    let database = Database::postgres();
    let store = database.open();
    runtime().block_on(async {
        store.write(|tx| put(tx, "a", "1")).await.unwrap();
        let made = store
            .write(|tx| {
                put(tx, "b", "1")?;
                assert!(put(tx, "a", "2").is_err());
                Ok::<_, Error>(())
            })
            .await;
        assert!(made.is_err(), "PostgreSQL answers COMMIT with ROLLBACK");
        assert_eq!(names(&store).await, ["a"]);
    });
    store.close();
}

#[test]
fn a_session_forgets_statements_and_goes_on() {
    let database = Database::postgres();
    let store = database.open();
    runtime().block_on(async {
        let many = store.write(|tx| {
            for n in 0..600_i64 {
                tx.insert_along(Query::whole(
                    &format!("INSERT INTO settings (name, value) VALUES ($1, '{n}')"),
                    vec![Box::new(format!("name {n}"))],
                ))?;
            }
            tx.find("SELECT count(*) FROM settings", &[], only::<i64>)
        });
        assert_eq!(many.await.unwrap(), Some(600));
        assert_eq!(names(&store).await.len(), 600);
    });
    store.close();
}

#[test]
fn what_cannot_be_reached_says_why() {
    let why = |url: &str| {
        let refused = Store::open(&Options::new(url.parse().unwrap()));
        refused.map(|store| store.close()).unwrap_err().to_string()
    };
    assert!(why("postgres://someone@127.0.0.1:1/x").contains("127.0.0.1:1: Connection refused"));
    assert!(why("postgres:///x?host=/nowhere&user=someone").contains("/nowhere/.s.PGSQL.5432"));
    let server = std::env::var("FRONTDESK_TEST_POSTGRES").unwrap();
    let (base, _) = server.rsplit_once('/').unwrap();
    let missing = why(&format!("{base}/not_there"));
    assert!(missing.contains("database \"not_there\" does not exist"), "{missing}");
    let misspelt = why(&format!("{server}?sslmode=requrie"));
    assert!(misspelt.contains("sslmode=requrie is not known"), "{misspelt}");
}

#[test]
fn a_store_that_may_not_create_a_database_finds_none() {
    for database in [Database::sqlite(), Database::postgres()] {
        let open = |create| Store::open(&Options { create, pool: 1, ..Options::new(database.url.clone()) });
        let refused = open(false).err().expect("there is none");
        assert!(matches!(refused, Error::NoDatabase(_)), "{refused}");
        if let DatabaseUrl::Sqlite(path) = &database.url {
            assert!(!path.exists(), "a database was created");
            assert!(refused.to_string().contains(&path.display().to_string()), "{refused}");
        }
        open(true).unwrap().close();
        open(false).unwrap().close();
    }
}

#[test]
fn a_place_shows_no_password() {
    let place = |url: &str| url.parse::<DatabaseUrl>().unwrap().place();
    assert_eq!(
        place("postgres://u:p%40ss@db.example.com:5432/desk?sslmode=require"),
        "postgres://db.example.com:5432/desk"
    );
    assert_eq!(place("postgres://localhost/desk"), "postgres://localhost/desk");
    assert_eq!(place("postgres://u:p?ss@localhost/desk"), "postgres://…");
    assert_eq!(place("postgres://localhost/desk?password=p&user=u"), "postgres://localhost/desk");
    assert_eq!(place("sqlite:data/frontdesk.db"), "data/frontdesk.db");
}
