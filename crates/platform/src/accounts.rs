//! Accounts: a business, its settings and its plan limits. Managed by the command line.

use frontdesk_db::{self as db, ReadTx, Row, Tx, only};
use frontdesk_kernel::ids::{AccountId, UserId};
use frontdesk_kernel::text::is_blank;
use frontdesk_kernel::{Country, Email, Ids, Patch, Timestamp};
use frontdesk_web::Failure;
use serde::Serialize;

use crate::auth_version::raise_version;
use crate::export::{Columns, Exported, ExportedRows, line};
use crate::members::{self, Role};
use crate::suspensions;

/// The default number of units per key and minute.
pub const RATE_LIMIT_DEFAULT: i64 = 60;
const MICROS_PER_USD: f64 = 1e6;
/// How the choice of no country is stored.
const NO_COUNTRY: &str = "";

frontdesk_db::statements! {
    /// Locks the counter until the transaction ends, so two creations never get the same number.
    NEXT_NUMBER = "UPDATE account_numbers SET last = last + 1 WHERE one = 1 RETURNING last";
    CREATE = "INSERT INTO accounts (id, num, name, timezone, owner_user_id, rate_limit, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7)";
    FIND = "SELECT id, name, timezone, owner_user_id, suspended_at, rate_limit, contact_limit, broadcast_limit,
        ai_budget_micros, model, sending_hours, business_hours, updated_at, ai_budget_max_micros, models, country FROM accounts WHERE id = $1";
    LIST = "SELECT id, name, timezone, owner_user_id, suspended_at, rate_limit, contact_limit, broadcast_limit,
        ai_budget_micros, model, sending_hours, business_hours, updated_at, ai_budget_max_micros, models, country FROM accounts ORDER BY id";
    UPDATE = "UPDATE accounts SET name = $2, timezone = $3, rate_limit = $4, contact_limit = $5, broadcast_limit = $6,
        ai_budget_micros = $7, model = $8, sending_hours = $9, business_hours = $10, updated_at = $11 WHERE id = $1";
    SET_OPERATOR_LIMITS = "UPDATE accounts SET ai_budget_max_micros = $2, models = $3 WHERE id = $1";
    SET_COUNTRY = "UPDATE accounts SET country = $2 WHERE id = $1";
    COUNTRY = "SELECT country, timezone FROM accounts WHERE id = $1";
    RECOUNT = "UPDATE accounts SET contact_count = (SELECT count(*) FROM contacts WHERE account_id = $1) WHERE id = $1";
    /// Makes the account's triggers due, so that their worker recomputes their next times.
    RESCHEDULE = "UPDATE triggers SET due_at = $2, lease = NULL WHERE account_id = $1 AND due_at IS NOT NULL";
    SUSPEND = "UPDATE accounts SET suspended_at = $2, updated_at = $3 WHERE id = $1";
    END_SESSIONS = "DELETE FROM sessions WHERE account_id = $1";
    IS_BEING_DELETED = "SELECT account_id FROM account_deletions WHERE account_id = $1";
    NUMBER = "SELECT num FROM accounts WHERE id = $1";
    ANY = "SELECT id FROM accounts LIMIT 1";
}

#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    #[error(transparent)]
    Store(#[from] db::Error),
    #[error("there is no account {0}")]
    NoAccount(AccountId),
    #[error(
        "this account is being deleted and cannot be resumed: finish with `frontdesk account delete {0}`"
    )]
    BeingDeleted(AccountId),
    #[error("{0}")]
    Invalid(String),
    #[error(transparent)]
    OverOperatorLimit(#[from] OverOperatorLimit),
}

/// A setting that exceeds what the operator allows the account.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum OverOperatorLimit {
    #[error(
        "the monthly AI budget may be {0:.2} USD at most. The operator sets this limit; ask them to raise it"
    )]
    Budget(f64),
    #[error("the model may be one of: {}. The operator sets this list; ask them to extend it", .0.join(", "))]
    Model(Vec<String>),
}

impl From<OverOperatorLimit> for Failure {
    fn from(error: OverOperatorLimit) -> Self {
        Self::unprocessable("over_operator_limit", format!("This is not possible: {error}."))
    }
}

/// Opening hours by weekday, kept as the JSON they were given in.
pub type Hours = String;

/// An account, as the API and the command line list it.
#[derive(Clone, Debug, Serialize)]
pub struct Account {
    pub id: AccountId,
    pub name: String,
    pub timezone: String,
    /// The country whose national phone numbers are read; none if numbers need their country code.
    pub country: Option<Country>,
    pub owner_user_id: UserId,
    pub suspended_at: Option<Timestamp>,
    pub rate_limit: i64,
    pub contact_limit: Option<i64>,
    pub broadcast_limit: Option<i64>,
    pub ai_budget_usd: Option<f64>,
    /// The largest budget that the operator allows. A larger one counts as this one.
    pub ai_budget_max_usd: Option<f64>,
    pub model: Option<String>,
    /// The models that the operator allows; none for all. The server's default model is always allowed.
    pub models: Option<Vec<String>>,
    pub sending_hours: Option<serde_json::Value>,
    pub business_hours: Option<serde_json::Value>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl Account {
    /// What assistants may spend a month: the account's own budget, within the operator's limit.
    pub fn effective_ai_budget_usd(&self) -> Option<f64> {
        match (self.ai_budget_usd, self.ai_budget_max_usd) {
            (Some(own), Some(max)) => Some(own.min(max)),
            (own, max) => own.or(max),
        }
    }

    /// Checks that the operator allows a model.
    pub fn check_model(&self, model: &str) -> Result<(), OverOperatorLimit> {
        match &self.models {
            Some(models) if !models.iter().any(|allowed| allowed == model) => {
                Err(OverOperatorLimit::Model(models.clone()))
            }
            _ => Ok(()),
        }
    }

    /// Checks that the operator allows a budget. No budget at all is larger than any.
    fn check_budget(&self, budget_usd: Option<f64>) -> Result<(), OverOperatorLimit> {
        match self.ai_budget_max_usd {
            Some(max) if budget_usd.is_none_or(|budget| budget > max) => Err(OverOperatorLimit::Budget(max)),
            _ => Ok(()),
        }
    }
}

/// The settings that `account create` and `account set` accept.
#[derive(Clone, Debug, Default)]
pub struct AccountSettings {
    pub name: Option<String>,
    pub timezone: Option<String>,
    /// Left out, it follows the time zone.
    pub country: Patch<Country>,
    pub owner_email: Patch<Email>,
    pub rate_limit: Patch<i64>,
    pub contact_limit: Patch<i64>,
    pub broadcast_limit: Patch<i64>,
    pub ai_budget_usd: Patch<f64>,
    /// Only the operator sets it.
    pub ai_budget_max_usd: Patch<f64>,
    pub model: Patch<String>,
    /// Only the operator sets it.
    pub models: Patch<Vec<String>>,
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
    let mut account = tx.find_to_change(FIND, &[&id], read)?.ok_or(AccountError::NoAccount(id))?;
    check(settings)?;
    set_operator_limits(tx, &mut account, settings)?;
    check_operator_limits(&account, settings)?;
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
    match settings.country {
        Patch::Keep => {}
        Patch::Clear => tx.execute(SET_COUNTRY, &[&id, &NO_COUNTRY])?.exactly(1)?,
        Patch::Set(country) => tx.execute(SET_COUNTRY, &[&id, &country])?.exactly(1)?,
    }
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

/// Changes the operator's limits. Settings that exceed a new limit stay, and have no effect beyond it.
fn set_operator_limits(
    tx: &mut Tx<'_>,
    account: &mut Account,
    settings: &AccountSettings,
) -> Result<(), AccountError> {
    if settings.ai_budget_max_usd.is_keep() && settings.models.is_keep() {
        return Ok(());
    }
    account.ai_budget_max_usd = settings.ai_budget_max_usd.clone().apply(account.ai_budget_max_usd);
    account.models = settings.models.clone().apply(account.models.take());
    let models = account.models.as_ref().map(serde_json::to_string).transpose();
    let models = models.map_err(|_| db::Error::Decode("models"))?;
    tx.execute(SET_OPERATOR_LIMITS, &[&account.id, &account.ai_budget_max_usd.map(micros), &models])?
        .exactly(1)?;
    Ok(())
}

/// Checks the budget and the model that are set against the operator's limits.
fn check_operator_limits(account: &Account, settings: &AccountSettings) -> Result<(), OverOperatorLimit> {
    match &settings.ai_budget_usd {
        Patch::Keep => {}
        Patch::Clear => account.check_budget(None)?,
        Patch::Set(budget) => account.check_budget(Some(*budget))?,
    }
    match &settings.model {
        Patch::Set(model) => account.check_model(model),
        Patch::Keep | Patch::Clear => Ok(()),
    }
}

fn usd(micros: i64) -> f64 {
    micros as f64 / MICROS_PER_USD
}

fn micros(usd: f64) -> i64 {
    (usd * MICROS_PER_USD).round() as i64
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
    for budget in [&settings.ai_budget_usd, &settings.ai_budget_max_usd] {
        if matches!(budget, Patch::Set(budget) if !budget.is_finite() || *budget < 0.0) {
            return invalid("an AI budget must be an amount in US dollars; `none` clears it");
        }
    }
    if matches!(&settings.models, Patch::Set(models) if models.is_empty() || models.iter().any(|model| is_blank(model)))
    {
        return invalid("a list of models must name them, such as gpt-5,gpt-5-mini; `none` clears it");
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
    if !suspended && tx.find(IS_BEING_DELETED, &[&id], only::<AccountId>)?.is_some() {
        return Err(AccountError::BeingDeleted(id));
    }
    let at = suspended.then_some(now);
    if !tx.execute(SUSPEND, &[&id, &at, &now])?.any() {
        return Err(AccountError::NoAccount(id));
    }
    if suspended {
        let _any_number_is_fine = tx.execute(END_SESSIONS, &[&id])?;
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

/// The country whose national phone numbers an account reads.
pub fn country(tx: &mut ReadTx<'_>, id: AccountId) -> db::Result<Option<Country>> {
    let found = tx.find(COUNTRY, &[&id], |row| Ok((row.next()?, row.next::<String>()?)))?;
    Ok(found.and_then(|(chosen, timezone)| effective_country(chosen, &timezone)))
}

/// The country that was chosen, or else that of the time zone.
pub(crate) fn effective_country(chosen: Option<String>, timezone: &str) -> Option<Country> {
    match chosen {
        Some(chosen) => chosen.parse().ok(),
        None => Country::of_timezone(timezone),
    }
}

/// The small number of an account in search indexes. It never changes.
pub fn number(tx: &mut ReadTx<'_>, id: AccountId) -> db::Result<Option<i64>> {
    tx.find(NUMBER, &[&id], only)
}

/// Whether any account exists.
pub fn any(tx: &mut ReadTx<'_>) -> db::Result<bool> {
    Ok(tx.find(ANY, &[], only::<AccountId>)?.is_some())
}

pub(crate) const EXPORTED: &[&dyn Exported] = &[&ExportedRows::new(
    "account",
    &["accounts"],
    Columns {
        sql: "t.id, t.name, t.timezone, t.owner_user_id, t.suspended_at, t.rate_limit, t.contact_limit, t.broadcast_limit,
            t.ai_budget_micros, t.model, t.sending_hours, t.business_hours, t.updated_at, t.ai_budget_max_micros, t.models, t.country",
        line: |row, _| line(&read(row)?),
    },
)
.owned_by("t.id")];

fn read(row: &mut Row<'_>) -> db::Result<Account> {
    let id: AccountId = row.next()?;
    let json = |text: Option<String>| text.and_then(|text| serde_json::from_str(&text).ok());
    let mut account = Account {
        id,
        name: row.next()?,
        timezone: row.next()?,
        country: None,
        owner_user_id: row.next()?,
        suspended_at: row.next()?,
        rate_limit: row.next()?,
        contact_limit: row.next()?,
        broadcast_limit: row.next()?,
        ai_budget_usd: row.next::<Option<i64>>()?.map(usd),
        model: row.next()?,
        sending_hours: json(row.next()?),
        business_hours: json(row.next()?),
        created_at: id.created_at(),
        updated_at: row.next()?,
        ai_budget_max_usd: row.next::<Option<i64>>()?.map(usd),
        models: match row.next::<Option<String>>()? {
            Some(models) => Some(serde_json::from_str(&models).map_err(|_| db::Error::Decode("models"))?),
            None => None,
        },
    };
    account.country = effective_country(row.next()?, &account.timezone);
    Ok(account)
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
