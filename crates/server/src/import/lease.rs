//! One import runs at a time: two would bring the same rows twice.

use std::time::Duration;

use frontdesk_db::{self as db, Store, lease};
use tokio::time::sleep;
use uuid::Uuid;

use crate::clock;
use crate::error::{Error, Result};

const LEASE: &str = "import";
/// An import that was killed holds the lease for so long. The next one waits for it.
const LEASE_SPAN: Duration = Duration::from_secs(20);
const RENEW_PERIOD: Duration = Duration::from_secs(4);
const WAIT_PERIOD: Duration = Duration::from_millis(500);

/// Does the work while no other import runs. It is stopped if the lease is lost.
pub(crate) async fn under_lease<T>(store: &Store, work: impl Future<Output = Result<T>>) -> Result<T> {
    let holder = db::new_lease();
    let mut waited = Duration::ZERO;
    while !take(store, holder).await? {
        if waited > LEASE_SPAN + RENEW_PERIOD {
            return Err(Error::Invalid(
                "another import is running: wait until it has ended, or end it, and run this again"
                    .to_owned(),
            ));
        }
        sleep(WAIT_PERIOD).await;
        waited += WAIT_PERIOD;
    }
    let done = tokio::select! {
        done = work => done,
        lost = keep(store, holder) => Err(lost),
        _ = tokio::signal::ctrl_c() => {
            Err(Error::Invalid("interrupted; run this again to bring the rest".to_owned()))
        }
    };
    store.write(move |tx| lease::give_up(tx, LEASE, holder)).await?;
    done
}

async fn take(store: &Store, holder: Uuid) -> Result<bool> {
    let now = clock::now();
    Ok(store.write(move |tx| lease::take(tx, LEASE, holder, now, LEASE_SPAN)).await?)
}

/// Renews the lease, and returns when it is lost.
async fn keep(store: &Store, holder: Uuid) -> Error {
    loop {
        sleep(RENEW_PERIOD).await;
        if let Ok(false) = take(store, holder).await {
            return Error::Invalid("another import has begun; run this again when it has ended".to_owned());
        }
    }
}
