//! Requests for a new password. The request of an address that nobody has is stored and taken like any other, so that
//! neither the response nor its time tells whether the address is known.

use frontdesk_db::{self as db, Tx, only};
use frontdesk_kernel::ids::{AccountId, UserId};
use frontdesk_kernel::{Ids, Timestamp};

use super::queue::queue_link;
use super::sql::{PERSON, REQUEST, REQUESTS, TAKE_REQUEST};

/// The topic that wakes the worker which looks for the people.
pub const REQUESTED: db::Topic = "password_requests";
/// Requests taken in one transaction.
const TAKEN_MAX: i64 = 50;

/// Stores a request, whether or not somebody has the address.
pub fn request(tx: &mut Tx<'_>, email_key: &str, now: Timestamp) -> db::Result<()> {
    let _stored_already_is_fine = tx.execute(REQUEST, &[&email_key, &now])?;
    tx.wake(REQUESTED);
    Ok(())
}

/// Queues a mail for each request whose address somebody has. True if there may be more.
pub fn take(tx: &mut Tx<'_>, ids: &Ids, now: Timestamp) -> db::Result<bool> {
    let requests = tx.query(REQUESTS, &[&TAKEN_MAX], only::<String>)?;
    for email_key in &requests {
        if !tx.execute(TAKE_REQUEST, &[email_key])?.any() {
            continue;
        }
        let person = tx.find(PERSON, &[email_key], |row| {
            Ok((row.next::<AccountId>()?, row.next::<UserId>()?, row.next::<bool>()?))
        })?;
        if let Some((account, user, _has_login)) = person {
            let _limits_are_fine = queue_link(tx, ids, (account, user), None, now)?;
        }
    }
    Ok(requests.len() as i64 == TAKEN_MAX)
}
