//! What members want mails about, and in which language.

use frontdesk_db::{self as db, ReadTx, Tx};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::{AccountId, UserId};

use super::kind::{MailKind, MailLanguage};
use super::sql::{CHOICES, CHOOSE};
use crate::export::{Columns, Exported, ExportedRows, LineFields};

/// What a member has chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MailChoices {
    /// What the member wants no mails about.
    pub off: Vec<MailKind>,
    /// The language in which the dashboard was last shown.
    pub language: Option<MailLanguage>,
}

impl MailChoices {
    pub fn wants(&self, kind: MailKind) -> bool {
        !self.off.contains(&kind)
    }
}

pub fn find(tx: &mut ReadTx<'_>, account: AccountId, user: UserId) -> db::Result<MailChoices> {
    let found = tx.find(CHOICES, &[&account, &user], |row| {
        Ok(MailChoices { off: read_kinds(&row.next::<String>()?), language: row.next()? })
    })?;
    Ok(found.unwrap_or_default())
}

pub fn put(
    tx: &mut Tx<'_>,
    (account, user): (AccountId, UserId),
    choices: &MailChoices,
    now: Timestamp,
) -> db::Result<()> {
    let off = write_kinds(&choices.off);
    tx.execute(CHOOSE, &[&account, &user, &off, &choices.language, &now])?.exactly(1)
}

/// The member gets no more mails of a kind.
pub fn turn_off(
    tx: &mut Tx<'_>,
    (account, user): (AccountId, UserId),
    kind: MailKind,
    now: Timestamp,
) -> db::Result<()> {
    tx.lock(format!("mail choices of {user}"))?;
    let mut choices = find(tx, account, user)?;
    if !choices.wants(kind) {
        return Ok(());
    }
    choices.off.push(kind);
    put(tx, (account, user), &choices, now)
}

fn read_kinds(text: &str) -> Vec<MailKind> {
    text.split(',').filter_map(|word| word.parse().ok()).collect()
}

fn write_kinds(kinds: &[MailKind]) -> String {
    let chosen = MailKind::ALL.iter().filter(|kind| kinds.contains(kind)).map(|kind| kind.as_str());
    chosen.collect::<Vec<_>>().join(",")
}

pub(crate) const EXPORTED: &[&dyn Exported] = &[&ExportedRows::new(
    "mail_choices",
    &["mail_choices"],
    Columns {
        sql: "t.user_id, t.off, t.language, t.updated_at",
        line: |row, _| {
            let line = LineFields::default()
                .with("user_id", &row.next::<UserId>()?)?
                .with("off", &read_kinds(&row.next::<String>()?))?
                .with("language", &row.next::<Option<MailLanguage>>()?)?
                .with("updated_at", &row.next::<Timestamp>()?)?;
            Ok(line.finish())
        },
    },
)
.keyed(&["t.user_id"])];
