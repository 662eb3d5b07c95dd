//! Opening a store, and the errors if it cannot be opened.

use super::*;

#[test]
fn a_second_server_on_one_sqlite_file_is_refused_with_the_reason() {
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
fn a_database_that_cannot_be_reached_says_why() {
    let why = |url: &str| {
        let refused = Store::open(&Options::new(url.parse().unwrap()));
        refused.map(|store| store.close()).unwrap_err().to_string()
    };
    assert!(why("postgres://someone@127.0.0.1:1/x").contains("127.0.0.1:1: Connection refused"));
    assert!(why("postgres:///x?host=/nowhere&user=someone").contains("/nowhere/.s.PGSQL.5432"));
    let server = postgres_server().unwrap();
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
fn a_displayed_location_contains_no_password() {
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
