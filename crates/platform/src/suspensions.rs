//! Suspension: what workers need to know about suspended accounts.
//!
//! A worker that acts for accounts claims nothing of a suspended account: its statements have the condition
//! [`not_suspended!`](crate::not_suspended). The rows stay due, so they continue by themselves when the account is
//! resumed, and while they wait no worker is woken for them.
//!
//! Work that was claimed before the suspension asks [`Suspensions`] before it acts. It is a copy in memory, because a
//! read before every message would be too expensive, and at most half a second old.

use std::collections::HashSet;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use frontdesk_db::{self as db, Store, Topic, only};
use frontdesk_jobs::{self as jobs, Chore, Context, Worker};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use tokio::sync::watch;

use crate::ServerContext;

/// The topic of suspended and resumed accounts.
pub(crate) const CHANGED: Topic = "suspensions";
/// How often a server reads which accounts are suspended. The command line is another process, and on SQLite it wakes
/// nobody.
const REFRESH_PERIOD: Duration = Duration::from_millis(500);

frontdesk_db::statements! {
    SUSPENDED = "SELECT id FROM accounts WHERE suspended_at IS NOT NULL";
}

/// The condition that an account is not suspended. The argument is the SQL of its id.
#[macro_export]
macro_rules! not_suspended {
    ($account:literal) => {
        concat!(
            "(SELECT suspension.suspended_at FROM accounts suspension WHERE suspension.id = ",
            $account,
            ") IS NULL"
        )
    };
}

/// The accounts that are suspended.
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
pub fn start(server: &ServerContext, context: &Context) -> Worker {
    jobs::keep_up(Reader { store: server.store.clone(), suspensions: server.suspensions.clone() }, context)
}

struct Reader {
    store: Store,
    suspensions: Suspensions,
}

impl Chore for Reader {
    const NAME: &'static str = "suspensions";
    const TOPIC: Option<Topic> = Some(CHANGED);
    const PERIOD: Duration = REFRESH_PERIOD;

    async fn run(&self, _now: Timestamp, _stopped: &watch::Receiver<bool>) -> db::Result<()> {
        let suspended = self.store.read(|tx| tx.query(SUSPENDED, &[], only)).await?;
        self.suspensions.replace(suspended);
        Ok(())
    }
}
