//! The guarantees of a write: atomic, and durable when it returns.

use super::*;

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
    /// Takes a while to drop, as a large batch may.
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
fn a_violated_constraint_is_reported_by_name() {
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
