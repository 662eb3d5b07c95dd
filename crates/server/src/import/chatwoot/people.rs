//! The people of an account there.

use frontdesk_kernel::Email;

use super::source::Source;
use crate::error::Result;

/// The administrators first: the first of them owns a new account.
const MEMBERS: &str = "SELECT CAST(u.id AS bigint), u.name::text, u.email::text, CAST(coalesce(a.role, 0) AS bigint)
    FROM account_users a JOIN users u ON u.id = a.user_id WHERE a.account_id = $1::bigint ORDER BY a.role DESC, a.id";
const ADMINISTRATOR: i64 = 1;
/// A member there.
pub(super) struct Person {
    pub(super) id: i64,
    pub(super) name: String,
    email: Option<String>,
    pub(super) is_administrator: bool,
}

impl Person {
    pub(super) fn all(source: &mut Source, account: i64) -> Result<Vec<Self>> {
        source.query(MEMBERS, &[&account], |row| {
            let (id, name) = (row.next()?, row.next::<Option<String>>()?.unwrap_or_default());
            Ok(Self { id, name, email: row.next()?, is_administrator: row.next::<i64>()? == ADMINISTRATOR })
        })
    }

    pub(super) fn email(&self) -> Option<Email> {
        self.email.as_deref()?.parse().ok()
    }
}
