//! Suspension: what workers need to know about suspended accounts.
//!
//! A worker that acts for accounts claims nothing of a suspended account: its statements have the condition
//! [`not_suspended!`](crate::not_suspended). The rows stay due, so they continue by themselves when the account is
//! resumed, and while they wait no worker is woken for them.
//!
//! The work of an account also waits while the account is *held* ([`holds`](crate::holds)), as every account is in a database
//! that was restored from a backup. Its requests are served.
//!
//! Work that was claimed before the suspension asks [`Suspensions`] before it acts. It is a copy in memory, because a
//! read before every message would be too expensive, and at most half a second old.

use std::collections::HashSet;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use frontdesk_db::{self as db, Store, Topic, only};
use frontdesk_jobs::{Chore, Context, Worker};
use frontdesk_kernel::ids::AccountId;

/// The topic of suspended and resumed accounts.
pub(crate) const CHANGED: Topic = "suspensions";
/// How often a server reads which accounts are suspended. The command line is another process, and on SQLite it wakes
/// nobody.
const CHORE: Chore = Chore::every(Duration::from_millis(500), "suspensions").woken_by(CHANGED);

frontdesk_db::statements! {
    /// With those that are held.
    SUSPENDED = "SELECT id FROM accounts WHERE suspended_at IS NOT NULL UNION SELECT id FROM accounts WHERE held_at IS NOT NULL";
}

/// The condition that an account is neither suspended nor held. The argument is the SQL of its id.
#[macro_export]
macro_rules! not_suspended {
    ($account:literal) => {
        concat!(
            "(SELECT coalesce(suspension.suspended_at, suspension.held_at) FROM accounts suspension WHERE suspension.id = ",
            $account,
            ") IS NULL"
        )
    };
}

pub(crate) use not_suspended;

/// The accounts that are suspended or held.
#[derive(Clone, Debug, Default)]
pub struct Suspensions(Arc<RwLock<HashSet<AccountId>>>);

impl Suspensions {
    pub fn contains(&self, account: AccountId) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).contains(&account)
    }

    fn replace(&self, accounts: Vec<AccountId>) {
        let accounts = accounts.into_iter().collect();
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = accounts;
    }
}

/// Starts the worker that keeps the server's [`Suspensions`] up to date.
pub fn start(store: &Store, suspensions: &Suspensions, context: &Context) -> Worker {
    CHORE.start(context, (store.clone(), suspensions.clone()), async |(store, suspensions), _stopped| {
        suspensions.replace(store.read(|tx| tx.query(SUSPENDED, &[], only)).await?);
        db::Result::Ok(())
    })
}
