//! The account that a command works on.

use clap::Args;
use frontdesk_kernel::ids::{Account, AccountId};
use frontdesk_platform::accounts;

use super::print::printable;
use super::values::id;
use crate::error::{Error, Result};
use crate::installation::Installation;

/// The most accounts that are listed where one of them must be named.
const ACCOUNTS_LISTED_MAX: usize = 20;

/// `--account`, in every command that works on one account.
#[derive(Args, Clone, Copy)]
pub(super) struct AccountArg {
    /// The account's id, as `frontdesk account list` shows it; may be left out if there is one account
    #[arg(long, value_name = "ID", value_parser = id::<Account>)]
    account: Option<AccountId>,
}

impl AccountArg {
    /// The account that was named.
    pub(super) fn given(self) -> Option<AccountId> {
        self.account
    }

    /// The account that was named, or the only one.
    pub(super) fn choose(self, installation: &Installation) -> Result<AccountId> {
        choose(installation, self.account)
    }
}

/// The account of `frontdesk account set`, `suspend` and `resume`: an argument, or `--account` as elsewhere.
#[derive(Args, Clone, Copy)]
pub(super) struct AccountPlace {
    /// The account's id, as `frontdesk account list` shows it; may be left out if there is one account
    #[arg(value_name = "ACCOUNT_ID", value_parser = id::<Account>)]
    id: Option<AccountId>,
    /// The same, as an option
    #[arg(long, value_name = "ID", value_parser = id::<Account>, conflicts_with = "id")]
    account: Option<AccountId>,
}

impl AccountPlace {
    pub(super) fn choose(self, installation: &Installation) -> Result<AccountId> {
        choose(installation, self.id.or(self.account))
    }
}

fn choose(installation: &Installation, given: Option<AccountId>) -> Result<AccountId> {
    match given {
        Some(account) => Ok(account),
        None => only(&installation.look(accounts::list)?),
    }
}

fn only(accounts: &[accounts::Account]) -> Result<AccountId> {
    match accounts {
        [one] => Ok(one.id),
        [] => Err(Error::Invalid(
            "there is no account yet. Make the first one: frontdesk init --account NAME --owner-email EMAIL"
                .to_owned(),
        )),
        several => {
            let listed: Vec<String> = several
                .iter()
                .take(ACCOUNTS_LISTED_MAX)
                .map(|account| format!("    --account {}    {}", account.id, printable(&account.name)))
                .collect();
            let rest = several.len().saturating_sub(ACCOUNTS_LISTED_MAX);
            let rest =
                if rest > 0 { format!("\n{rest} more: frontdesk account list") } else { String::new() };
            let listed = listed.join("\n");
            Err(Error::Invalid(format!(
                "there are {} accounts. Say which one you mean, and add one of these:\n\n{listed}{rest}",
                several.len()
            )))
        }
    }
}
