//! One statement, run once per row of parameters.

use super::*;
use crate::{FOR_UPDATE, Param};

const PUT: &str = "INSERT INTO settings (name, value) VALUES ($1, $2)";
const PUT_NEW: &str = "INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING";
const VALUE: &str = "SELECT value FROM settings WHERE name = $1";
/// More than one round trip takes.
const ROWS: usize = 300;

fn numbered() -> Vec<String> {
    (0..ROWS).map(|n| format!("{n:03}")).collect()
}

fn pairs(names: &[String]) -> Vec<[&dyn Param; 2]> {
    names.iter().map(|name| [name as &dyn Param, name]).collect()
}

#[test]
fn each_row_has_its_own_result_in_order() {
    on_both(|store| async move {
        let outcome: Result<_> = store
            .write(|tx| {
                let names = numbered();
                tx.insert_each(PUT, &pairs(&names[..ROWS - 1]))?;
                // All but the last exist.
                let touched = tx.execute_each(PUT_NEW, &pairs(&names))?;
                let wanted: Vec<[&dyn Param; 1]> =
                    vec![[&"007" as &dyn Param], [&"nobody"], [&"299"], [&"000"]];
                Ok((touched, tx.find_each(VALUE, &wanted, only::<String>)?))
            })
            .await;
        let (touched, found) = outcome.unwrap();
        let changed: Vec<usize> =
            touched.iter().enumerate().filter(|(_, touched)| touched.any()).map(|(at, _)| at).collect();
        assert_eq!((touched.len(), changed), (ROWS, vec![ROWS - 1]));
        let found: Vec<Option<&str>> = found.iter().map(Option::as_deref).collect();
        assert_eq!(found, [Some("007"), None, Some("299"), Some("000")]);
        assert_eq!(names(&store).await, numbered());
    });
}

#[test]
fn a_row_that_fails_undoes_all_of_them() {
    on_both(|store| async move {
        store.write(|tx| put(tx, "200", "taken")).await.unwrap();
        let failed = store.write(|tx| tx.insert_each(PUT, &pairs(&numbered()))).await.unwrap_err();
        assert!(failed.is_constraint("settings_pkey"), "{failed:?}");
        assert_eq!(names(&store).await, ["200"]);
    });
}

#[test]
fn no_rows_are_no_statement() {
    on_both(|store| async move {
        let found: Result<_> = store
            .write(|tx| {
                tx.insert_each::<2>("not a statement", &[])?;
                let touched = tx.execute_each::<1>("not a statement", &[])?.len();
                Ok(touched + tx.query_each::<String, 1>("not a statement", &[], only)?.len())
            })
            .await;
        assert_eq!(found.unwrap(), 0);
    });
}

#[test]
fn large_rows_and_large_results_do_not_block_each_other() {
    on_both(|store| async move {
        let found: Result<_> = store
            .write(|tx| {
                let (name, value) = ("large", "x".repeat(200_000));
                put(tx, name, &value)?;
                let rows: Vec<[&dyn Param; 1]> = (0..ROWS).map(|_| [&name as &dyn Param]).collect();
                let change = "UPDATE settings SET value = $2 WHERE name = $1";
                let changes: Vec<[&dyn Param; 2]> =
                    (0..ROWS).map(|_| [&name as &dyn Param, &value]).collect();
                let changed =
                    tx.execute_each(change, &changes)?.iter().filter(|touched| touched.any()).count();
                Ok((
                    changed,
                    tx.find_each(VALUE, &rows, only::<String>)?
                        .iter()
                        .flatten()
                        .map(String::len)
                        .sum::<usize>(),
                ))
            })
            .await;
        assert_eq!(found.unwrap(), (ROWS, ROWS * 200_000));
    });
}

#[test]
fn rows_to_change_are_locked() {
    let database = Database::postgres();
    let (first, second) = (database.open(), database.open());
    runtime().block_on(async {
        first.write(|tx| put(tx, "a", "0")).await.unwrap();
        let add = |store: Store| async move {
            for _ in 0..50 {
                let added = store.write(|tx| {
                    let found =
                        tx.find_each_locked(VALUE, FOR_UPDATE, &[[&"a" as &dyn Param]], only::<String>)?;
                    let value: u64 = found[0].as_deref().and_then(|value| value.parse().ok()).unwrap_or(0);
                    let value = (value + 1).to_string();
                    tx.execute("UPDATE settings SET value = $2 WHERE name = $1", &[&"a", &value])?.exactly(1)
                });
                added.await.unwrap();
            }
        };
        let (one, other) = tokio::join!(tokio::spawn(add(first.clone())), tokio::spawn(add(second.clone())));
        one.and(other).unwrap();
        let value = first.read(|tx| tx.find(VALUE, &[&"a"], only::<String>)).await.unwrap();
        assert_eq!(value.as_deref(), Some("100"));
    });
    first.close();
    second.close();
}
