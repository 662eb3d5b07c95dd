//! Members: the people of an account.

use frontdesk_db::{self as db, ReadTx, Row, Tx, only};
use frontdesk_kernel::ids::{AccountId, UserId};
use frontdesk_kernel::text::is_blank;
use frontdesk_kernel::{Email, Ids, Timestamp};
use frontdesk_web::{choice, resource};

use crate::auth_version::raise_version;
use crate::export::{Columns, Exported, ExportedRows, LineFields, line_with};

frontdesk_db::statements! {
    INSERT = "INSERT INTO members (account_id, id, name, email, email_key, role, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7)";
    LIST = "SELECT id, name, email, role, removed_at FROM members WHERE account_id = $1 ORDER BY id DESC";
    LOCATE = "SELECT m.account_id, m.removed_at, a.owner_user_id FROM members m JOIN accounts a ON a.id = m.account_id WHERE m.id = $1";
    FIND = "SELECT removed_at FROM members WHERE account_id = $1 AND id = $2";
    FIND_BY_EMAIL = "SELECT id FROM members WHERE account_id = $1 AND email_key = $2 AND removed_at IS NULL";
    WITH_EMAIL = "SELECT m.account_id, m.id, a.name FROM members m JOIN accounts a ON a.id = m.account_id
        WHERE m.email_key = $1 AND m.removed_at IS NULL ORDER BY m.id";
    EMAIL_OF = "SELECT email_key FROM members WHERE account_id = $1 AND id = $2";
    SET_EMAIL = "UPDATE members SET email = $3, email_key = $4, updated_at = $5 WHERE account_id = $1 AND id = $2";
    CHANGE = "UPDATE members SET name = $3, role = $4, updated_at = $5 WHERE account_id = $1 AND id = $2";
    DETAIL = "SELECT name, role FROM members WHERE account_id = $1 AND id = $2 AND removed_at IS NULL";
    OWNER = "SELECT owner_user_id FROM accounts WHERE id = $1";
    END_SESSIONS = "DELETE FROM sessions WHERE account_id = $1 AND user_id = $2";
    REMOVE = "UPDATE members SET removed_at = $3, updated_at = $3 WHERE account_id = $1 AND id = $2";
}

choice! {
    /// A member's role in the account. Keys do not inherit it.
    pub enum Role {
        Owner => "owner",
        Admin => "admin",
        Agent => "agent",
    }
}

choice! {
    /// Whether a member is active.
    pub enum MemberStatus {
        Active => "active",
        Removed => "removed",
    }
}

frontdesk_db::text_column!(Role);

resource! {
    /// A member of the account.
    pub struct Member {
        pub id: UserId,
        pub name: String,
        pub email: Option<String>,
        pub role: Role,
        pub status: MemberStatus,
    }
}

#[derive(Debug, thiserror::Error)]
pub enum MemberError {
    #[error(transparent)]
    Store(#[from] db::Error),
    #[error("there is no account {0}")]
    NoAccount(AccountId),
    #[error("there is no member {0}")]
    NoMember(UserId),
    #[error("the owner of an account cannot leave it: suspend the account instead")]
    Owner,
    #[error("a member's name must not be blank")]
    Blank,
    #[error("an account has one owner; every other member is an admin or an agent")]
    OneOwner,
    #[error("the owner has no email address, without which nobody can sign in")]
    NoEmail(AccountId),
    #[error("member {0} of that account has this email address already")]
    EmailTaken(UserId),
}

pub fn add(
    tx: &mut Tx<'_>,
    ids: &Ids,
    account: AccountId,
    name: &str,
    email: &Email,
    role: Role,
    now: Timestamp,
) -> Result<UserId, MemberError> {
    if owner(tx, account)?.is_none() {
        return Err(MemberError::NoAccount(account));
    }
    if is_blank(name) {
        return Err(MemberError::Blank);
    }
    if role == Role::Owner {
        return Err(MemberError::OneOwner);
    }
    if let Some(existing) = tx.find(FIND_BY_EMAIL, &[&account, &email.key()], only)? {
        return Err(MemberError::EmailTaken(existing));
    }
    let id = ids.next(now);
    insert(tx, account, id, name.trim(), Some(email.as_str()), role, now)?;
    raise_version(tx)?;
    Ok(id)
}

pub(crate) fn insert(
    tx: &mut Tx<'_>,
    account: AccountId,
    id: UserId,
    name: &str,
    email: Option<&str>,
    role: Role,
    now: Timestamp,
) -> db::Result<()> {
    let email_key = email.map(str::to_lowercase);
    tx.execute(INSERT, &[&account, &id, &name, &email, &email_key, &role, &now])?.exactly(1)
}

pub(crate) fn set_email(
    tx: &mut Tx<'_>,
    account: AccountId,
    id: UserId,
    email: Option<&Email>,
    now: Timestamp,
) -> db::Result<()> {
    tx.execute(SET_EMAIL, &[&account, &id, &email, &email.map(Email::key), &now])?.exactly(1)
}

/// Changes the name or the role of a member who has not left. The owner stays the owner.
pub fn change(
    tx: &mut Tx<'_>,
    account: AccountId,
    id: UserId,
    (name, role): (Option<&str>, Option<Role>),
    now: Timestamp,
) -> Result<(), MemberError> {
    let before =
        tx.find_to_change(DETAIL, &[&account, &id], |row| Ok((row.next::<String>()?, row.next::<Role>()?)))?;
    let (old_name, old_role) = before.ok_or(MemberError::NoMember(id))?;
    let (name, role) = (name.unwrap_or(&old_name).trim(), role.unwrap_or(old_role));
    if is_blank(name) {
        return Err(MemberError::Blank);
    }
    if (old_role == Role::Owner) != (role == Role::Owner) {
        return Err(MemberError::OneOwner);
    }
    tx.execute(CHANGE, &[&account, &id, &name, &role, &now])?.exactly(1)?;
    raise_version(tx)?;
    Ok(())
}

pub fn list(tx: &mut ReadTx<'_>, account: AccountId) -> db::Result<Vec<Member>> {
    tx.query(LIST, &[&account], read)
}

/// Removes a member. Keys that the member created keep working; their writes are attributed to the owner from
/// now on.
pub fn remove(tx: &mut Tx<'_>, id: UserId, now: Timestamp) -> Result<(), MemberError> {
    let located = tx.find(LOCATE, &[&id], |row| {
        Ok((row.next::<AccountId>()?, row.next::<Option<Timestamp>>()?, row.next::<UserId>()?))
    })?;
    let (account, removed_at, owner) = located.ok_or(MemberError::NoMember(id))?;
    if owner == id {
        return Err(MemberError::Owner);
    }
    if removed_at.is_none() {
        tx.execute(REMOVE, &[&account, &id, &now])?.exactly(1)?;
        end_sessions(tx, account, id)?;
        raise_version(tx)?;
    }
    Ok(())
}

/// Ends the sessions of a member.
pub fn end_sessions(tx: &mut Tx<'_>, account: AccountId, id: UserId) -> db::Result<()> {
    tx.execute(END_SESSIONS, &[&account, &id]).map(|_any_number| ())
}

/// The member who owns an account.
pub(crate) fn owner(tx: &mut ReadTx<'_>, account: AccountId) -> db::Result<Option<UserId>> {
    tx.find(OWNER, &[&account], only)
}

/// The account of a member who has not left.
pub fn account_of(tx: &mut ReadTx<'_>, id: UserId) -> db::Result<Option<AccountId>> {
    let located =
        tx.find(LOCATE, &[&id], |row| Ok((row.next::<AccountId>()?, row.next::<Option<Timestamp>>()?)))?;
    Ok(located.and_then(|(account, removed_at)| removed_at.is_none().then_some(account)))
}

/// A person's membership in one account.
#[derive(Clone, Debug)]
pub struct MemberOf {
    pub account: AccountId,
    pub user: UserId,
    pub account_name: String,
}

/// The members of all accounts who have this email address and have not left.
pub fn with_email(tx: &mut ReadTx<'_>, email_key: &str) -> db::Result<Vec<MemberOf>> {
    tx.query(WITH_EMAIL, &[&email_key], |row| {
        Ok(MemberOf { account: row.next()?, user: row.next()?, account_name: row.next()? })
    })
}

pub(crate) fn has_email(tx: &mut ReadTx<'_>, account: AccountId, id: UserId) -> db::Result<bool> {
    Ok(tx.find(EMAIL_OF, &[&account, &id], only::<Option<String>>)?.flatten().is_some())
}

/// Whether this is an active member of the account.
pub fn is_active(tx: &mut ReadTx<'_>, account: AccountId, id: UserId) -> db::Result<bool> {
    Ok(tx.find(FIND, &[&account, &id], only::<Option<Timestamp>>)? == Some(None))
}

pub(crate) fn exists(tx: &mut ReadTx<'_>, account: AccountId, id: UserId) -> db::Result<bool> {
    Ok(tx.find(FIND, &[&account, &id], only::<Option<Timestamp>>)?.is_some())
}

/// Members without their passwords and second factors, which belong to their logins.
pub(crate) const EXPORTED: &[&dyn Exported] = &[&ExportedRows::new(
    "members",
    &["members"],
    Columns {
        sql: "t.id, t.name, t.email, t.role, t.removed_at, t.removed_at, t.updated_at",
        line: |row, _| {
            let member = read(row)?;
            let more = LineFields::default()
                .with("removed_at", &row.next::<Option<Timestamp>>()?)?
                .with("created_at", &member.id.created_at())?
                .with("updated_at", &row.next::<Timestamp>()?)?;
            line_with(&member, more)
        },
    },
)];

fn read(row: &mut Row<'_>) -> db::Result<Member> {
    let (id, name, email, role) = (row.next()?, row.next()?, row.next()?, row.next()?);
    let removed: Option<Timestamp> = row.next()?;
    let status = if removed.is_some() { MemberStatus::Removed } else { MemberStatus::Active };
    Ok(Member { id, name, email, role, status })
}
