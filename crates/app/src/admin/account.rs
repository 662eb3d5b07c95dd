//! The account's own settings. The operator sets its limits.

use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Country, Patch, Text, Timestamp};
use frontdesk_platform::accounts::{self, Account, AccountError, AccountSettings};
use frontdesk_web::{
    Body, Components, Data, Failure, FieldPath, Given, Input, Problems, Result, input, resource,
};
use serde_json::{Value, json};

use crate::caller::{AppCaller, AppError, AppRoute};

const NAME_CHARS_MAX: usize = 200;
/// What an account may set itself as a month's budget.
const BUDGET_USD_MAX: f64 = 1_000_000.0;

resource! {
    /// An account's settings and limits.
    pub struct AccountDetail {
        pub id: AccountId,
        pub name: String,
        pub timezone: String,
        /// The country whose national phone numbers are read; null if numbers need their country code.
        pub country: Option<Country>,
        /// What assistants may spend a month; null for no limit.
        pub ai_budget_usd: Option<f64>,
        /// The largest budget that may be set; null for no limit. The operator sets it, and a larger budget counts as this
        /// one.
        pub ai_budget_max_usd: Option<f64>,
        /// The model that assistants use unless they name one.
        pub model: Option<String>,
        /// The models that may be chosen; null for all. The operator sets them.
        pub models: Option<Vec<String>>,
        /// When messages may be sent, by weekday; null for always.
        pub sending_hours: Option<Value>,
        /// When the business is open, by weekday; null for always.
        pub business_hours: Option<Value>,
        /// Units a minute that each key may use. The operator sets it.
        pub rate_limit: i64,
        /// The operator sets it.
        pub contact_limit: Option<i64>,
        /// The operator sets it.
        pub broadcast_limit: Option<i64>,
        pub created_at: Timestamp,
        pub updated_at: Timestamp,
    }
}

input! {
    /// What to change of an account.
    pub struct AccountPatch {
        pub name: Given<Text<NAME_CHARS_MAX>>,
        /// Such as Europe/Berlin.
        pub timezone: Given<Text<NAME_CHARS_MAX>>,
        /// The country whose national phone numbers are read, such as DE; null if numbers need their country code.
        pub country: Patch<Country>,
        pub ai_budget_usd: Patch<BudgetUsd>,
        pub model: Patch<Text<NAME_CHARS_MAX>>,
        /// Such as `{"mon": [["09:00", "17:30"]]}`.
        pub sending_hours: Patch<Value>,
        pub business_hours: Patch<Value>,
    }
}

/// An amount in US dollars.
#[derive(Clone, Copy, Debug)]
pub struct BudgetUsd(f64);

impl Input for BudgetUsd {
    fn schema(_: &mut Components) -> Value {
        json!({ "type": "number", "minimum": 0, "maximum": BUDGET_USD_MAX })
    }

    fn read(value: Option<&Value>, at: &mut FieldPath, problems: &mut Problems) -> Option<Self> {
        let given = input::present(value, at, problems)?.as_f64();
        let fitting = given.filter(|usd| (0.0..=BUDGET_USD_MAX).contains(usd));
        if fitting.is_none() {
            problems.at(at, format!("must be an amount in US dollars from 0 to {BUDGET_USD_MAX}"));
        }
        fitting.map(Self)
    }
}

impl From<AccountError> for AppError {
    fn from(error: AccountError) -> Self {
        match error {
            AccountError::Store(error) => Self::Store(error),
            AccountError::OverOperatorLimit(error) => Self::Told(error.into()),
            // The sessions of an account that is being deleted have ended.
            AccountError::NoAccount(_) | AccountError::BeingDeleted(_) => Self::Told(Failure::signed_out()),
            AccountError::Invalid(why) => {
                Self::Told(Failure::bad_request(format!("This is not possible: {why}.")))
            }
        }
    }
}

pub(super) fn routes() -> Vec<AppRoute> {
    vec![
        AppRoute::get("/admin/account", "getAccount", get).summary("The account's settings"),
        AppRoute::patch("/admin/account", "updateAccount", patch).summary("Change the account's settings"),
    ]
}

fn shown(account: Account) -> AccountDetail {
    AccountDetail {
        id: account.id,
        name: account.name,
        timezone: account.timezone,
        country: account.country,
        ai_budget_usd: account.ai_budget_usd,
        ai_budget_max_usd: account.ai_budget_max_usd,
        model: account.model,
        models: account.models,
        sending_hours: account.sending_hours,
        business_hours: account.business_hours,
        rate_limit: account.rate_limit,
        contact_limit: account.contact_limit,
        broadcast_limit: account.broadcast_limit,
        created_at: account.created_at,
        updated_at: account.updated_at,
    }
}

async fn get(caller: AppCaller) -> Result<Data<AccountDetail>> {
    let id = caller.manager()?.account;
    let account = caller.read(move |tx| Ok(accounts::find(tx, id)?)).await?;
    Ok(Data(shown(account.ok_or_else(Failure::signed_out)?)))
}

async fn patch(caller: AppCaller, Body(patch): Body<AccountPatch>) -> Result<Data<AccountDetail>> {
    let text = |given: Given<Text<NAME_CHARS_MAX>>| given.into_option().map(Text::into_string);
    let settings = AccountSettings {
        name: text(patch.name),
        timezone: text(patch.timezone),
        country: patch.country,
        ai_budget_usd: patch.ai_budget_usd.map(|budget| budget.0),
        model: patch.model.map(Text::into_string),
        sending_hours: patch.sending_hours.map(|hours| hours.to_string()),
        business_hours: patch.business_hours.map(|hours| hours.to_string()),
        ..AccountSettings::default()
    };
    let now = caller.now;
    let account = caller
        .administer("account.updated", move |tx, session| {
            Ok((accounts::set(tx, session.account, &settings, now)?, None))
        })
        .await?;
    Ok(Data(shown(account)))
}
