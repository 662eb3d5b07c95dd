//! Old entries of the audit log and orphaned logins are deleted, on both engines.

use std::time::Duration;

use frontdesk_db::{Options, Param, Result, Store, Tx, only};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Ids, Timestamp};
use frontdesk_platform::sign_in::audit::{self, Author};
use frontdesk_platform::sign_in::orphans;
use frontdesk_testdb::TestDatabase;
use uuid::Uuid;

const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);
const DAY: Duration = Duration::from_hours(24);
const ADD_LOGIN: &str = "INSERT INTO logins (account_id, id, updated_at) VALUES ($1, $2, $3)";
const ADD_CODE: &str = "INSERT INTO recovery_codes (login_id, hash) VALUES ($1, $2)";
const ADD_MEMBER: &str = "INSERT INTO members (account_id, id, name, role, login_id, removed_at, updated_at)
    VALUES ($1, $2, 'Ann', 'agent', $3, $4, $5)";

fn on_both<F: Future<Output = ()>>(test: impl Fn(Store) -> F) {
    for database in TestDatabase::both() {
        let url = database.url().parse().expect("the URL is valid");
        let store = Store::open(&Options::new(url)).expect("the store opens");
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        runtime.expect("a runtime starts").block_on(test(store.clone()));
        store.close();
    }
}

async fn count(store: &Store, query: &'static str) -> i64 {
    store.read(move |tx| tx.find(query, &[], only)).await.expect("a read works").unwrap_or(0)
}

#[test]
fn old_entries_of_the_audit_log_are_deleted() {
    on_both(|store| async move {
        let account = AccountId::from_uuid(Uuid::from_u128(7));
        let write = |at: Timestamp| {
            store.write(move |tx| {
                let author = Author { account, user: None, address: None };
                audit::write(tx, &Ids::new(), &author, "account.changed", None, at)
            })
        };
        for days in [1, 9, 11, 400] {
            write(NOW - DAY * days).await.expect("an entry is written");
        }
        let forget = || store.write(move |tx| audit::forget(tx, account, NOW - DAY * 10));
        assert!(!forget().await.expect("a write works"));
        assert_eq!(count(&store, "SELECT count(*) FROM audit_log").await, 2);
    });
}

/// Adds a login with a recovery code, and a member for each of these times of removal.
fn login(tx: &mut Tx<'_>, number: u128, removed: &[Option<Timestamp>]) -> Result<()> {
    let (account, id, old) = (Uuid::from_u128(7), Uuid::from_u128(number), NOW - DAY * 400);
    tx.execute(ADD_LOGIN, &[&account, &id, &old])?.exactly(1)?;
    tx.execute(ADD_CODE, &[&id, &[1_u8; 32].as_slice()])?.exactly(1)?;
    for (at, removed) in removed.iter().enumerate() {
        let member = Uuid::from_u128(number * 100 + at as u128);
        let params: &[&dyn Param] = &[&account, &member, &id, removed, &old];
        tx.execute(ADD_MEMBER, params)?.exactly(1)?;
    }
    Ok(())
}

#[test]
fn a_login_that_no_membership_uses_is_deleted_after_a_while() {
    on_both(|store| async move {
        let (long_ago, lately) = (Some(NOW - DAY * 100), Some(NOW - DAY * 5));
        let fill = store.write(move |tx| -> Result<()> {
            login(tx, 1, &[None])?;
            login(tx, 2, &[long_ago, None])?;
            login(tx, 3, &[long_ago, lately])?;
            login(tx, 4, &[long_ago])?;
            login(tx, 5, &[])
        });
        fill.await.expect("logins are written");
        let forget = || store.write(|tx| orphans::forget(tx, NOW - DAY * 90));
        assert!(!forget().await.expect("a write works"));
        let left = store.read(|tx| tx.query("SELECT id FROM logins ORDER BY id", &[], only::<Uuid>)).await;
        assert_eq!(left.expect("a read works"), [1, 2, 3].map(Uuid::from_u128));
        assert_eq!(count(&store, "SELECT count(*) FROM recovery_codes").await, 3);
        assert_eq!(count(&store, "SELECT count(*) FROM members WHERE login_id IS NULL").await, 1);
    });
}
