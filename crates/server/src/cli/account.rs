//! `frontdesk account`: create accounts, change their settings and limits, suspend and resume them.

mod delete;

use clap::{Args, Subcommand};
use frontdesk_crm::pipelines;
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Country, Email, Patch};
use frontdesk_platform::accounts::{self, Account, AccountError, AccountSettings};
use serde_json::json;

use super::account_arg::AccountPlace;
use super::print;
use super::values::{AtLeast, Name, Names, OrNone, Usd, patch};
use crate::error::{Error, Result};
use crate::installation::Installation;
use crate::{clock, routes};

/// The default time zone of an account.
const TIMEZONE_DEFAULT: &str = "UTC";

#[derive(Subcommand)]
pub(super) enum Command {
    /// Create an account and its owner
    Create {
        /// The business's name
        #[arg(long)]
        name: Name,
        #[command(flatten)]
        settings: Box<AccountArgs>,
    },
    /// List the accounts
    List,
    /// Change an account; `none` clears a setting
    Set {
        #[command(flatten)]
        account: AccountPlace,
        /// The business's name
        #[arg(long)]
        name: Option<Name>,
        #[command(flatten)]
        settings: Box<AccountArgs>,
    },
    /// Suspend an account: its requests are refused from now on
    Suspend {
        #[command(flatten)]
        account: AccountPlace,
    },
    /// Resume a suspended account
    Resume {
        #[command(flatten)]
        account: AccountPlace,
    },
    /// Delete an account with everything that it owns, for good
    Delete(delete::Command),
}

#[derive(Args)]
pub(super) struct AccountArgs {
    /// The account's time zone, such as Europe/Berlin; UTC when unset
    #[arg(long, value_name = "TZ")]
    timezone: Option<OrNone<Name>>,
    /// The country whose national phone numbers are read, such as DE; that of the time zone when unset
    #[arg(long, value_name = "CC")]
    country: Option<OrNone<Country>>,
    /// The owner's email address
    #[arg(long, value_name = "EMAIL")]
    owner_email: Option<OrNone<Email>>,
    /// Units per minute that each key may use; 60 when unset
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    rate_limit: Option<OrNone<AtLeast<1>>>,
    /// Maximum number of contacts of the account
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    contact_limit: Option<OrNone<AtLeast<0>>>,
    /// Maximum number of broadcasts of the account per month
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    broadcast_limit: Option<OrNone<AtLeast<0>>>,
    /// Maximum that the account's assistants may spend per month
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    ai_budget: Option<OrNone<Usd>>,
    /// The largest monthly AI budget that the account may set itself
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    ai_budget_max: Option<OrNone<Usd>>,
    /// The model that assistants use unless they name one
    #[arg(long)]
    model: Option<OrNone<Name>>,
    /// The models that the account may choose, separated by commas; all when unset
    #[arg(long, value_name = "MODELS")]
    models: Option<OrNone<Names>>,
    /// When messages may be sent, such as `{"mon": [["09:00", "17:30"]]}`; always when unset
    #[arg(long, value_name = "JSON")]
    sending_hours: Option<OrNone<String>>,
    /// When the business is open, in the same form; always when unset
    #[arg(long, value_name = "JSON")]
    business_hours: Option<OrNone<String>>,
}

impl AccountArgs {
    fn read(self, name: Option<Name>) -> AccountSettings {
        let timezone = self.timezone.map(|given| match given {
            OrNone::None => TIMEZONE_DEFAULT.to_owned(),
            OrNone::Some(zone) => zone.into_string(),
        });
        AccountSettings {
            name: name.map(Name::into_string),
            timezone,
            country: patch(self.country, |country| country),
            owner_email: patch(self.owner_email, |email| email),
            rate_limit: patch(self.rate_limit, |limit| limit.0),
            contact_limit: patch(self.contact_limit, |limit| limit.0),
            broadcast_limit: patch(self.broadcast_limit, |limit| limit.0),
            ai_budget_usd: patch(self.ai_budget, |budget| budget.0),
            ai_budget_max_usd: patch(self.ai_budget_max, |budget| budget.0),
            model: patch(self.model, Name::into_string),
            models: patch(self.models, |models| models.0),
            sending_hours: patch(self.sending_hours, |hours| hours),
            business_hours: patch(self.business_hours, |hours| hours),
        }
    }
}

fn says_nothing(settings: &AccountSettings) -> bool {
    settings.name.is_none()
        && settings.timezone.is_none()
        && settings.country.is_keep()
        && settings.owner_email.is_keep()
        && settings.rate_limit.is_keep()
        && settings.contact_limit.is_keep()
        && settings.broadcast_limit.is_keep()
        && settings.ai_budget_usd.is_keep()
        && settings.ai_budget_max_usd.is_keep()
        && settings.model.is_keep()
        && settings.models.is_keep()
        && settings.sending_hours.is_keep()
        && settings.business_hours.is_keep()
}

impl Command {
    pub(super) fn run(self, installation: &Installation) -> Result<()> {
        match self {
            Self::Create { name, settings } => create(installation, settings.read(Some(name))),
            Self::List => list(installation),
            Self::Set { account, name, settings } => set(installation, account, settings.read(name)),
            Self::Suspend { account } => suspend(installation, account, true),
            Self::Resume { account } => suspend(installation, account, false),
            Self::Delete(command) => command.run(installation),
        }
    }
}

fn create(installation: &Installation, settings: AccountSettings) -> Result<()> {
    let (recorder, now) = (routes::recorder(), clock::now());
    let owner_email = settings.owner_email.clone();
    let made = installation.change(move |tx| {
        let made = accounts::create(tx, recorder.ids(), &settings, now)?;
        pipelines::ensure_default(tx, made.account, now, &recorder)?;
        Ok::<_, AccountError>(made)
    })?;
    let response = json!({ "account_id": made.account, "owner_user_id": made.owner });
    print::output(installation.json, &response, || {
        let fields =
            print::fields(&[("account", made.account.to_string()), ("owner", made.owner.to_string())]);
        format!("{fields}\n\n{}", invite_owner(made.account, &owner_email))
    })
}

/// How the owner of a new account gets into the dashboard.
pub(super) fn invite_owner(account: AccountId, email: &Patch<Email>) -> String {
    match email {
        Patch::Set(email) => format!(
            "Make the link by which the owner sets a password and signs in:\n\n    frontdesk member invite {email} --account {account}"
        ),
        Patch::Keep | Patch::Clear => format!(
            "The owner cannot sign in without an email address. Set it, and make a link for the first password:\n\n    \
             frontdesk account set {account} --owner-email EMAIL\n    frontdesk member invite EMAIL --account {account}"
        ),
    }
}

fn list(installation: &Installation) -> Result<()> {
    let accounts = installation.look(accounts::list)?;
    print::output(installation.json, &accounts, || {
        let rows = accounts.iter().map(|account| {
            let state = if account.suspended_at.is_some() { "suspended" } else { "active" };
            vec![
                account.id.to_string(),
                account.name.clone(),
                account.timezone.clone(),
                print::or_dash(account.country),
                state.to_owned(),
                account.rate_limit.to_string(),
                print::or_dash(account.contact_limit),
                print::or_dash(account.broadcast_limit),
                print::or_dash(account.ai_budget_max_usd.map(|usd| format!("{usd:.2} USD"))),
                print::or_dash(account.models.as_ref().map(|models| models.join(", "))),
            ]
        });
        let head = [
            "id",
            "name",
            "timezone",
            "country",
            "state",
            "rate limit",
            "contact limit",
            "broadcast limit",
            "AI budget max",
            "models",
        ];
        print::table(
            &head,
            rows.collect(),
            "There are no accounts. Make one with: frontdesk account create --name NAME",
        )
    })
}

fn set(installation: &Installation, account: AccountPlace, settings: AccountSettings) -> Result<()> {
    if says_nothing(&settings) {
        let nothing = "nothing to change. Name a setting: frontdesk account set --rate-limit 120";
        return Err(Error::Invalid(nothing.to_owned()));
    }
    let (id, now) = (account.choose(installation)?, clock::now());
    let account = installation.change(move |tx| accounts::set(tx, id, &settings, now))?;
    show(installation, &account)
}

fn suspend(installation: &Installation, account: AccountPlace, suspended: bool) -> Result<()> {
    let (id, now) = (account.choose(installation)?, clock::now());
    let account = installation.change(move |tx| accounts::suspend(tx, id, suspended, now))?;
    show(installation, &account)
}

fn show(installation: &Installation, account: &Account) -> Result<()> {
    print::output(installation.json, account, || {
        print::fields(&[
            ("account", account.id.to_string()),
            ("name", account.name.clone()),
            ("timezone", account.timezone.clone()),
            ("country", print::or_dash(account.country)),
            ("suspended since", print::or_dash(account.suspended_at)),
            ("rate limit", format!("{} units a minute", account.rate_limit)),
            ("contact limit", print::or_dash(account.contact_limit)),
            ("broadcast limit", print::or_dash(account.broadcast_limit)),
            ("AI budget", print::or_dash(account.ai_budget_usd.map(|usd| format!("{usd:.2} USD a month")))),
            (
                "AI budget, at most",
                print::or_dash(account.ai_budget_max_usd.map(|usd| format!("{usd:.2} USD a month"))),
            ),
            ("model", print::or_dash(account.model.as_ref())),
            ("models allowed", print::or_dash(account.models.as_ref().map(|models| models.join(", ")))),
            ("sending hours", print::or_dash(account.sending_hours.as_ref())),
            ("business hours", print::or_dash(account.business_hours.as_ref())),
        ])
    })
}
