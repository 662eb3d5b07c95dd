//! Faults of a PostgreSQL session, and how the store recovers.

use super::*;

#[test]
fn a_lost_connection_is_replaced() {
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

/// Every way in which PostgreSQL may request a password, and its response to a wrong one.
#[test]
fn a_password_is_proved_in_the_way_that_is_asked_for() {
    let database = Database::postgres();
    // Tables belong to the user who creates them.
    database.open().close();
    let DatabaseUrl::Postgres(url) = &database.url else { unreachable!("it is PostgreSQL") };
    let mut admin = postgres::Client::connect(&postgres_server().unwrap(), postgres::NoTls).unwrap();
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
    // The server reloads its rules within a moment.
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

/// Spoils the only connection of a pool. The next change gets a new connection and succeeds.
#[test]
fn a_spoiled_connection_is_replaced_and_the_change_is_made() {
    type Spoil = fn(&mut Tx<'_>) -> Result<()>;
    let spoils: [(&str, Spoil); 4] = [
        ("left in a transaction", |tx| tx.execute("BEGIN", &[]).map(drop)),
        // As a pooler that assigns sessions per transaction does.
        ("without its statements", |tx| tx.execute("DEALLOCATE ALL", &[]).map(drop)),
        // As after a failover, when the server has become a standby.
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
fn a_transaction_that_ignored_a_failed_statement_is_not_reported_as_committed() {
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
