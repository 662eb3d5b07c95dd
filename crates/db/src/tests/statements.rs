//! The order and visibility of the statements of one transaction.

use super::*;

#[test]
fn statements_sent_along_run_before_the_next_statement_and_the_commit() {
    fn put_along(tx: &mut Tx<'_>, name: &'static str) -> Result<()> {
        let params: Vec<crate::OwnedParam> = vec![Box::new(name)];
        tx.insert_along(Query::whole("INSERT INTO settings (name, value) VALUES ($1, '1')", params))
    }
    const COUNT: &str = "SELECT count(*) FROM settings";
    on_both(|store| async move {
        // More statements than can wait at a time, the first of them before anything else.
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
        // If one fails, its transaction fails, whether another statement follows or the commit.
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
fn a_prefetched_query_is_used_once_and_only_by_the_same_query() {
    const VALUE: &str = "SELECT value FROM settings WHERE name = $1";
    on_both(|store| async move {
        store.write(|tx| put(tx, "a", "1").and_then(|()| put(tx, "b", "2"))).await.unwrap();
        let told = store.write(|tx| {
            tx.prefetch(Query::whole(VALUE, vec![Box::new("a")]))?;
            // The prefetched rows come with this statement.
            let other = tx.find(VALUE, &[&"b"], only::<String>)?;
            let ahead = tx.find(VALUE, &[&"a"], only::<String>)?;
            tx.execute("UPDATE settings SET value = '3' WHERE name = $1", &[&"a"])?.exactly(1)?;
            Ok::<_, Error>([other, ahead, tx.find(VALUE, &[&"a"], only::<String>)?])
        });
        assert_eq!(told.await.unwrap(), ["2", "1", "3"].map(|value| Some(value.to_owned())));
        // Nothing of it remains in the next transaction.
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
fn several_prefetched_queries_are_used_in_any_order() {
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
fn a_transaction_that_waited_for_a_lock_sees_what_its_holder_committed() {
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
fn pick_returns_at_most_as_many_rows_as_are_wanted() {
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
