//! Every table is known, a snapshot is of one moment, and a new database is whole or not there.

use std::collections::BTreeSet;

use frontdesk_testdb::TestDatabase;

use super::*;
use crate::postgres::Session;
use crate::row::only;
use crate::sqlite::{Connection, query};
use crate::{DatabaseUrl, Error, Options, Store, Tx};

fn url(database: &TestDatabase) -> DatabaseUrl {
    database.url().parse().unwrap()
}

/// Makes a change of a database that is opened for it.
fn change(url: &DatabaseUrl, sql: &'static str) {
    let store = Store::open(&Options { pool: 1, ..Options::new(url.clone()) }).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let changed = runtime.block_on(store.write(move |tx: &mut Tx<'_>| tx.execute(sql, &[]).map(drop)));
    changed.unwrap();
    store.close();
}

fn tables(url: &DatabaseUrl) -> BTreeSet<String> {
    let found = match url {
        DatabaseUrl::Sqlite(path) => {
            let connection = Connection::open(path).unwrap();
            let all = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
            query(&connection.raw, &connection.names, all, &[], only::<String>).unwrap()
        }
        DatabaseUrl::Postgres(url) => {
            let all = "SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema()";
            Session::connect(url).unwrap().query(all, &[], only::<String>).unwrap()
        }
    };
    found.into_iter().collect()
}

#[test]
fn every_table_is_kept_or_left_out_for_a_reason() {
    let kept: BTreeSet<&str> = KEPT.iter().copied().collect();
    let left_out: BTreeSet<&str> = LEFT_OUT.iter().map(|(table, _)| *table).collect();
    assert_eq!(kept.len() + left_out.len(), KEPT.len() + LEFT_OUT.len(), "a table is listed twice");
    assert!(kept.is_disjoint(&left_out));
    assert!(LEFT_OUT.iter().all(|(_, reason)| !reason.is_empty()));
    let mut everywhere = BTreeSet::new();
    for database in TestDatabase::both() {
        let url = url(&database);
        Store::open(&Options { pool: 1, ..Options::new(url.clone()) }).unwrap().close();
        let found = tables(&url);
        for table in &found {
            let is_listed = kept.contains(table.as_str()) || left_out.contains(table.as_str());
            assert!(is_listed, "list the table {table} in KEPT, or in LEFT_OUT with the reason");
        }
        for table in &kept {
            assert!(found.contains(*table), "{table} is not a table of {url:?}");
        }
        everywhere.extend(found);
    }
    for table in left_out {
        assert!(everywhere.contains(table), "{table} is no table");
    }
}

#[test]
fn a_snapshot_sees_nothing_that_is_written_later() {
    for database in TestDatabase::both() {
        let url = url(&database);
        change(&url, "INSERT INTO settings (name, value) VALUES ('a', '1'), ('b', '2'), ('c', '3')");
        let mut snapshot = Snapshot::open(&url).unwrap();
        change(&url, "DELETE FROM settings WHERE name = 'b'");
        change(&url, "INSERT INTO settings (name, value) VALUES ('d', '4')");
        let settings = snapshot.tables().iter().find(|table| table.name == "settings").unwrap().clone();
        let (mut names, mut last) = (Vec::new(), None);
        loop {
            let page = snapshot.page(&settings, last.as_ref(), 2).unwrap();
            let Some(row) = page.last() else { break };
            last = Some(row.clone());
            names.extend(page.into_iter().map(|row| row[0].clone()));
        }
        let text = |name: &str| StoredValue::Text(name.to_owned());
        assert_eq!(names, [text("a"), text("b"), text("c")]);
        assert_eq!(snapshot.setting("b").unwrap().as_deref(), Some("2"));
    }
}

#[test]
fn a_database_that_is_not_finished_is_not_there() {
    for database in TestDatabase::both() {
        let url = url(&database);
        let migrations = {
            let other = TestDatabase::sqlite();
            change(&other.url().parse().unwrap(), "DELETE FROM leases");
            Snapshot::open(&other.url().parse().unwrap()).unwrap().migrations().to_vec()
        };
        let row = vec![StoredValue::Text("a".to_owned()), StoredValue::Text("1".to_owned())];
        let columns = ["name".to_owned(), "value".to_owned()];
        let fill = || {
            let mut new = NewDatabase::create(&url, &migrations, &[]).unwrap();
            new.insert("settings", &columns, std::slice::from_ref(&row)).unwrap();
            new
        };
        drop(fill());
        if let DatabaseUrl::Sqlite(path) = &url {
            assert!(!path.exists());
            let left = std::fs::read_dir(path.parent().unwrap()).unwrap().count();
            assert_eq!(left, 1, "more than the lock is left");
        }
        fill().finish(None).unwrap();
        assert_eq!(Snapshot::open(&url).unwrap().setting("a").unwrap().as_deref(), Some("1"));
        let mut wrong = fill();
        assert!(wrong.insert("nothing", &columns, std::slice::from_ref(&row)).is_err());
        drop(wrong);
        let numbers = vec![StoredValue::Int(1), StoredValue::Int(2)];
        let mut wrong = fill();
        assert!(matches!(wrong.insert("settings", &columns, &[numbers]), Err(Error::Decode(_))));
    }
}
