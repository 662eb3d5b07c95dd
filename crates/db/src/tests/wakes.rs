//! Wake-ups, work handed over with a commit, and leases.

use super::*;

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

/// Waits until the store listens to other servers, which begins with waking all waiters.
#[test]
fn a_commit_hands_over_as_much_as_there_is_room_for() {
    fn offer(tx: &mut Tx<'_>, about: Uuid, name: &'static str) -> bool {
        tx.take_place("parcels", about).map(|place| tx.hand_over(place, name)).is_some()
    }
    on_both(|store| async move {
        let (ann, bob) = (Uuid::from_u128(1), Uuid::from_u128(2));
        assert!(!store.write(move |tx| Ok::<_, Error>(offer(tx, ann, "nobody waits"))).await.unwrap());
        let mailbox = store.wakes().mailbox::<&str>("parcels");
        mailbox.set_room(ann, 2);
        let places = move |tx: &mut Tx<'_>| {
            Ok::<_, Error>([ann, bob].map(|about| tx.places::<&str>("parcels", about)))
        };
        assert_eq!(store.write(places).await.unwrap(), [2, 0]);
        assert!(!store.write(move |tx| Ok::<_, Error>(offer(tx, bob, "no room"))).await.unwrap());
        let undone = store.write(move |tx| {
            assert!(offer(tx, ann, "undone"));
            Err::<(), _>(Error::Decode("no"))
        });
        undone.await.unwrap_err();
        assert!(mailbox.is_empty());
        assert_eq!(store.write(places).await.unwrap(), [2, 0], "the place is free again");
        mailbox.set_room(ann, 1);
        assert!(store.write(move |tx| Ok::<_, Error>(offer(tx, ann, "first"))).await.unwrap());
        // It is in the mailbox before the writer gets its result.
        assert_eq!(mailbox.take_jobs(), ["first"]);
        assert!(!store.write(move |tx| Ok::<_, Error>(offer(tx, ann, "full"))).await.unwrap());
        mailbox.set_room(ann, 1);
        mailbox.close();
        assert!(!store.write(move |tx| Ok::<_, Error>(offer(tx, ann, "closed"))).await.unwrap());
        assert!(mailbox.is_empty());
    });
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
fn a_text_reaches_the_mailbox_of_every_server() {
    let database = Database::postgres();
    let (one, other) = (database.open(), database.open());
    runtime().block_on(async {
        let [here, there] = [&one, &other].map(|store| store.wakes().mailbox::<String>("news"));
        settled(&other).await;
        let undone: Result<()> = one
            .write(|tx| {
                tx.tell("news", "undone".to_owned());
                Err(Error::Decode("no"))
            })
            .await;
        undone.unwrap_err();
        let wrote: Result<()> = one
            .write(|tx| {
                tx.tell("news", "a/b".to_owned());
                tx.tell("news", "a/b".to_owned());
                Ok(())
            })
            .await;
        wrote.unwrap();
        tokio::time::timeout(Duration::from_secs(5), there.wait()).await.unwrap();
        assert_eq!(
            [here.take_jobs(), there.take_jobs()],
            [["a/b"], ["a/b"]],
            "each once, and nothing undone"
        );
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
fn a_lease_has_one_holder_until_it_expires_or_is_released() {
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
fn a_lease_that_was_taken_before_the_clock_was_set_back_is_free() {
    on_both(|store| async move {
        let (ann, bob) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let (wrong, right) =
            (Timestamp::from_millis(900_000_000_000), Timestamp::from_millis(800_000_000_000));
        let take = |who: Uuid, now: Timestamp| {
            store.write(move |tx| lease::take(tx, "job", who, now, Duration::from_secs(10)))
        };
        assert!(take(ann, wrong).await.unwrap());
        assert!(!take(bob, wrong - Duration::from_mins(2)).await.unwrap(), "servers' clocks differ a little");
        assert!(take(bob, right).await.unwrap());
        assert!(!take(ann, right).await.unwrap());
    });
}
