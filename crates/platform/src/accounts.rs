//! Accounts: a business, its settings and its plan limits. Managed by the command line.

use frontdesk_db::{self as db, ReadTx, Row, Tx, only};
use frontdesk_kernel::ids::{AccountId, UserId};
use frontdesk_kernel::text::is_blank;
use frontdesk_kernel::{Email, Ids, Patch, Timestamp};
use serde::Serialize;

use crate::keys::raise_version;
use crate::members::{self, Role};
use crate::sign_in::sessions;
use crate::suspensions;

/// The default number of units per key and minute.
pub const RATE_LIMIT_DEFAULT: i64 = 60;

frontdesk_db::statements! {
    /// Locks the counter until the transaction ends, so two creations never get the same number.
    NEXT_NUMBER = "UPDATE account_numbers SET last = last + 1 WHERE one = 1 RETURNING last";
    CREATE = "INSERT INTO accounts (id, num, name, timezone, owner_user_id, rate_limit, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7)";
    FIND = "SELECT id, name, timezone, owner_user_id, suspended_at, rate_limit, contact_limit, broadcast_limit,
        ai_budget_micros, model, sending_hours, business_hours, updated_at FROM accounts WHERE id = $1";
    LIST = "SELECT id, name, timezone, owner_user_id, suspended_at, rate_limit, contact_limit, broadcast_limit,
        ai_budget_micros, model, sending_hours, business_hours, updated_at FROM accounts ORDER BY id";
    UPDATE = "UPDATE accounts SET name = $2, timezone = $3, rate_limit = $4, contact_limit = $5, broadcast_limit = $6,
        ai_budget_micros = $7, model = $8, sending_hours = $9, business_hours = $10, updated_at = $11 WHERE id = $1";
    RECOUNT = "UPDATE accounts SET contact_count = (SELECT count(*) FROM contacts WHERE account_id = $1) WHERE id = $1";
    /// Makes the account's triggers due, so that their worker recomputes their next times.
    RESCHEDULE = "UPDATE triggers SET due_at = $2, lease = NULL WHERE account_id = $1 AND due_at IS NOT NULL";
    SUSPEND = "UPDATE accounts SET suspended_at = $2, updated_at = $3 WHERE id = $1";
    OWNER = "SELECT owner_user_id FROM accounts WHERE id = $1";
    NUMBER = "SELECT num FROM accounts WHERE id = $1";
    ANY = "SELECT id FROM accounts LIMIT 1";
}

#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    #[error(transparent)]
    Store(#[from] db::Error),
    #[error("there is no account {0}")]
    NoAccount(AccountId),
    #[error("{0}")]
    Invalid(String),
}

/// Opening hours by weekday, kept as the JSON they were given in.
pub type Hours = String;

/// An account, as the API and the command line list it.
#[derive(Clone, Debug, Serialize)]
pub struct Account {
    pub id: AccountId,
    pub name: String,
    pub timezone: String,
    pub owner_user_id: UserId,
    pub suspended_at: Option<Timestamp>,
    pub rate_limit: i64,
    pub contact_limit: Option<i64>,
    pub broadcast_limit: Option<i64>,
    pub ai_budget_usd: Option<f64>,
    pub model: Option<String>,
    pub sending_hours: Option<serde_json::Value>,
    pub business_hours: Option<serde_json::Value>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// The settings that `account create` and `account set` accept.
#[derive(Clone, Debug, Default)]
pub struct AccountSettings {
    pub name: Option<String>,
    pub timezone: Option<String>,
    pub owner_email: Patch<Email>,
    pub rate_limit: Patch<i64>,
    pub contact_limit: Patch<i64>,
    pub broadcast_limit: Patch<i64>,
    pub ai_budget_usd: Patch<f64>,
    pub model: Patch<String>,
    pub sending_hours: Patch<Hours>,
    pub business_hours: Patch<Hours>,
}

/// An account and its owner.
#[derive(Clone, Copy, Debug)]
pub struct Created {
    pub account: AccountId,
    pub owner: UserId,
}

/// Creates an account with its owner, then applies the settings.
pub fn create(
    tx: &mut Tx<'_>,
    ids: &Ids,
    settings: &AccountSettings,
    now: Timestamp,
) -> Result<Created, AccountError> {
    let (account, owner) = (ids.next(now), ids.next(now));
    let name = settings.name.as_deref().unwrap_or("Account");
    let number: i64 = tx.find(NEXT_NUMBER, &[], only)?.ok_or(db::Error::Decode("account number"))?;
    tx.execute(CREATE, &[&account, &number, &name, &"UTC", &owner, &RATE_LIMIT_DEFAULT, &now])?.exactly(1)?;
    let owner_name = match &settings.owner_email {
        Patch::Set(email) => email.as_str().split('@').next().unwrap_or_default(),
        Patch::Keep | Patch::Clear => "Owner",
    };
    members::insert(tx, account, owner, owner_name, None, Role::Owner, now)?;
    set(tx, account, settings, now)?;
    Ok(Created { account, owner })
}

pub fn set(
    tx: &mut Tx<'_>,
    id: AccountId,
    settings: &AccountSettings,
    now: Timestamp,
) -> Result<Account, AccountError> {
    let account = tx.find_to_change(FIND, &[&id], read)?.ok_or(AccountError::NoAccount(id))?;
    check(settings)?;
    let micros = |usd: f64| (usd * 1e6).round() as i64;
    let kept = |hours: &Option<serde_json::Value>| hours.as_ref().map(ToString::to_string);
    let contact_limit = settings.contact_limit.clone().apply(account.contact_limit);
    let params: &[&dyn db::Param] = &[
        &id,
        settings.name.as_ref().unwrap_or(&account.name),
        settings.timezone.as_ref().unwrap_or(&account.timezone),
        &settings.rate_limit.clone().apply(Some(account.rate_limit)).unwrap_or(RATE_LIMIT_DEFAULT),
        &contact_limit,
        &settings.broadcast_limit.clone().apply(account.broadcast_limit),
        &settings.ai_budget_usd.clone().apply(account.ai_budget_usd).map(micros),
        &settings.model.clone().apply(account.model),
        &settings.sending_hours.clone().apply(kept(&account.sending_hours)),
        &settings.business_hours.clone().apply(kept(&account.business_hours)),
        &now,
    ];
    tx.execute(UPDATE, params)?.exactly(1)?;
    if contact_limit.is_some() && account.contact_limit.is_none() {
        // Counts the existing contacts once. The count is maintained from then on.
        tx.execute(RECOUNT, &[&id])?.exactly(1)?;
    }
    if settings.timezone.is_some() || !settings.sending_hours.is_keep() {
        let _any_number_is_fine = tx.execute(RESCHEDULE, &[&id, &now])?;
    }
    match &settings.owner_email {
        Patch::Keep => {}
        Patch::Clear => members::set_email(tx, id, account.owner_user_id, None, now)?,
        Patch::Set(email) => members::set_email(tx, id, account.owner_user_id, Some(email), now)?,
    }
    raise_version(tx)?;
    find(tx, id)?.ok_or(AccountError::NoAccount(id))
}

fn check(settings: &AccountSettings) -> Result<(), AccountError> {
    let invalid = |text: &str| Err(AccountError::Invalid(text.to_owned()));
    if settings.name.as_ref().is_some_and(|name| is_blank(name)) {
        return invalid("an account's name must not be blank");
    }
    if let Some(zone) = &settings.timezone
        && jiff::tz::TimeZone::get(zone).is_err()
    {
        return Err(AccountError::Invalid(format!(
            "{zone:?} is no time zone: use a name such as Europe/Berlin"
        )));
    }
    if matches!(settings.rate_limit, Patch::Set(limit) if limit < 1) {
        return invalid("a rate limit must be 1 or more a minute");
    }
    for limit in [&settings.contact_limit, &settings.broadcast_limit] {
        if matches!(limit, Patch::Set(limit) if *limit < 0) {
            return invalid("a limit must not be negative; `none` clears it");
        }
    }
    if matches!(settings.ai_budget_usd, Patch::Set(budget) if !budget.is_finite() || budget < 0.0) {
        return invalid("an AI budget must be an amount in US dollars; `none` clears it");
    }
    for hours in [&settings.sending_hours, &settings.business_hours] {
        if let Patch::Set(hours) = hours {
            check_hours(hours).map_err(AccountError::Invalid)?;
        }
    }
    Ok(())
}

/// Hours are an object from `mon` … `sun` to lists of `["HH:MM", "HH:MM"]` pairs.
fn check_hours(text: &str) -> Result<(), String> {
    const DAYS: &[&str] = &["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    let shape = || "hours are JSON such as {\"mon\": [[\"09:00\", \"17:30\"]]}".to_owned();
    let hours: std::collections::BTreeMap<String, Vec<(String, String)>> =
        serde_json::from_str(text).map_err(|_| shape())?;
    for (day, spans) in &hours {
        if !DAYS.contains(&day.as_str()) {
            return Err(format!("{day:?} is no day: use mon, tue, wed, thu, fri, sat or sun"));
        }
        for (open, close) in spans {
            let minutes = |time: &str| {
                let (hour, minute) = time.split_once(':')?;
                let (hour, minute): (u16, u16) = (hour.parse().ok()?, minute.parse().ok()?);
                (time.len() == 5 && minute < 60 && (hour < 24 || (hour == 24 && minute == 0)))
                    .then_some(hour * 60 + minute)
            };
            match (minutes(open), minutes(close)) {
                (Some(open), Some(close)) if open < close => {}
                _ => {
                    return Err(format!(
                        "[{open:?}, {close:?}] is no span of a day: use HH:MM, the earlier first"
                    ));
                }
            }
        }
    }
    Ok(())
}

/// Suspends an account, or resumes it. Workers leave the work of a suspended account where it is, and continue with it
/// when the account is resumed.
pub fn suspend(
    tx: &mut Tx<'_>,
    id: AccountId,
    suspended: bool,
    now: Timestamp,
) -> Result<Account, AccountError> {
    let at = suspended.then_some(now);
    if !tx.execute(SUSPEND, &[&id, &at, &now])?.any() {
        return Err(AccountError::NoAccount(id));
    }
    if suspended {
        sessions::end_of_account(tx, id)?;
    }
    tx.notify(suspensions::CHANGED)?;
    raise_version(tx)?;
    find(tx, id)?.ok_or(AccountError::NoAccount(id))
}

pub fn find(tx: &mut ReadTx<'_>, id: AccountId) -> db::Result<Option<Account>> {
    tx.find(FIND, &[&id], read)
}

pub fn list(tx: &mut ReadTx<'_>) -> db::Result<Vec<Account>> {
    tx.query(LIST, &[], read)
}

/// The member who owns an account.
pub fn owner(tx: &mut ReadTx<'_>, id: AccountId) -> db::Result<Option<UserId>> {
    tx.find(OWNER, &[&id], only)
}

/// The small number of an account in search indexes. It never changes.
pub fn number(tx: &mut ReadTx<'_>, id: AccountId) -> db::Result<Option<i64>> {
    tx.find(NUMBER, &[&id], only)
}

/// Whether any account exists.
pub fn any(tx: &mut ReadTx<'_>) -> db::Result<bool> {
    Ok(tx.find(ANY, &[], only::<AccountId>)?.is_some())
}

fn read(row: &mut Row<'_>) -> db::Result<Account> {
    let id: AccountId = row.next()?;
    let json = |text: Option<String>| text.and_then(|text| serde_json::from_str(&text).ok());
    Ok(Account {
        id,
        name: row.next()?,
        timezone: row.next()?,
        owner_user_id: row.next()?,
        suspended_at: row.next()?,
        rate_limit: row.next()?,
        contact_limit: row.next()?,
        broadcast_limit: row.next()?,
        ai_budget_usd: row.next::<Option<i64>>()?.map(|micros| micros as f64 / 1e6),
        model: row.next()?,
        sending_hours: json(row.next()?),
        business_hours: json(row.next()?),
        created_at: id.created_at(),
        updated_at: row.next()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_are_checked_before_they_are_kept() {
        assert!(check_hours(r#"{"mon": [["09:00", "12:00"], ["13:00", "24:00"]], "sun": []}"#).is_ok());
        for wrong in [
            "[]",
            r#"{"monday": []}"#,
            r#"{"mon": [["9:00", "12:00"]]}"#,
            r#"{"mon": [["12:00", "09:00"]]}"#,
            r#"{"mon": [["09:00"]]}"#,
            r#"{"mon": [["09:00", "24:01"]]}"#,
        ] {
            assert!(check_hours(wrong).is_err(), "{wrong}");
        }
    }
}
