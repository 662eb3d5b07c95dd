//! `frontdesk assistant`: the assistants of an account.

mod files;

use std::process::ExitCode;

use clap::Subcommand;
use frontdesk_agent::assistants::{self, Assistant, AssistantError, AssistantPatch};
use frontdesk_db::ReadTx;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::By;
use frontdesk_platform::accounts::{self, AccountError};
use frontdesk_web::{Failure, FieldPath, Input, Problems};
use serde_json::json;

use super::account_arg::AccountArg;
use super::print;
use super::values::Name;
use crate::error::{Error, Result};
use crate::installation::Installation;
use crate::{clock, routes};

#[derive(Subcommand)]
pub(super) enum Command {
    /// List the assistants of an account
    List {
        #[command(flatten)]
        account: AccountArg,
    },
    /// Show an assistant
    Show {
        /// The assistant's id or name, as `frontdesk assistant list` shows them
        #[arg(value_name = "ASSISTANT")]
        assistant: Name,
        #[command(flatten)]
        account: AccountArg,
    },
    /// Switch an assistant on: it answers new conversations on its channels
    Enable {
        /// The assistant's id or name, as `frontdesk assistant list` shows them
        #[arg(value_name = "ASSISTANT")]
        assistant: Name,
        #[command(flatten)]
        account: AccountArg,
    },
    /// Switch an assistant off: it starts no runs and answers nobody
    Disable {
        /// The assistant's id or name, as `frontdesk assistant list` shows them
        #[arg(value_name = "ASSISTANT")]
        assistant: Name,
        #[command(flatten)]
        account: AccountArg,
    },
    /// Bring an assistant into a directory, as files for version control
    Pull(files::Pull),
    /// Make an assistant on a server what its files say
    Push(files::Push),
    /// Show what a push would change
    Diff(files::Diff),
    /// Have the assistant of the files reply to its test conversations, and check the replies
    Test(files::Test),
}

impl Command {
    pub(super) fn run(self, installation: &Installation) -> Result<ExitCode> {
        match self {
            Self::Diff(command) => return command.run(installation),
            Self::Test(command) => return command.run(installation),
            Self::Pull(command) => command.run(installation),
            Self::Push(command) => command.run(installation),
            Self::List { account } => list(installation, account.choose(installation)?),
            Self::Show { assistant, account } => {
                let found = installation.look(move |tx| find(tx, account.given(), assistant.as_str()))?;
                show(installation, &found.1)
            }
            Self::Enable { assistant, account } => switch(installation, account, assistant, true),
            Self::Disable { assistant, account } => switch(installation, account, assistant, false),
        }?;
        Ok(ExitCode::SUCCESS)
    }
}

/// The assistant with an id or a name, of one account or of all.
fn find(tx: &mut ReadTx<'_>, account: Option<AccountId>, named: &str) -> Result<(AccountId, Assistant)> {
    let accounts = match account {
        Some(account) => vec![account],
        None => accounts::list(tx)?.into_iter().map(|account| account.id).collect(),
    };
    let mut found = Vec::new();
    for account in accounts {
        let assistants = assistants::list_all(tx, account)?.into_iter();
        let is_named =
            |one: &Assistant| one.id.to_string() == named || one.name.to_lowercase() == named.to_lowercase();
        found.extend(assistants.filter(is_named).map(|assistant| (account, assistant)));
    }
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(Error::Invalid(format!(
            "there is no assistant {named:?}. See those there are: frontdesk assistant list"
        ))),
        several => {
            let ids: Vec<String> = found
                .iter()
                .map(|(account, assistant)| format!("    {}    of account {account}", assistant.id))
                .collect();
            Err(Error::Invalid(format!(
                "there are {several} assistants called {named:?}. Name the one you mean by its id:\n\n{}",
                ids.join("\n")
            )))
        }
    }
}

fn list(installation: &Installation, account: AccountId) -> Result<()> {
    let rows = installation.look(move |tx| {
        accounts::find(tx, account)?.ok_or(AccountError::NoAccount(account))?;
        assistants::list_all(tx, account).map_err(AccountError::from)
    })?;
    print::output(installation.json, &rows, || {
        let lines = rows.iter().map(|assistant| {
            vec![
                assistant.id.to_string(),
                assistant.name.clone(),
                state(assistant).to_owned(),
                targets(assistant),
                print::or_dash(assistant.model.as_ref()),
            ]
        });
        print::table(
            &["id", "name", "state", "answers on", "model"],
            lines.collect(),
            "There are no assistants. Make one in the dashboard, under Settings, Assistants, or with POST /assistants.",
        )
    })
}

fn state(assistant: &Assistant) -> &'static str {
    if assistant.enabled { "enabled" } else { "disabled" }
}

fn targets(assistant: &Assistant) -> String {
    print::or_dash((!assistant.targets.is_empty()).then(|| assistant.targets.join(", ")))
}

fn show(installation: &Installation, assistant: &Assistant) -> Result<()> {
    print::output(installation.json, assistant, || {
        let fields = print::fields(&[
            ("assistant", assistant.id.to_string()),
            ("name", assistant.name.clone()),
            ("state", state(assistant).to_owned()),
            ("answers on", targets(assistant)),
            ("schedule", assistant.schedule.mode.to_string()),
            ("model", assistant.model.clone().unwrap_or_else(|| "the account's".to_owned())),
            (
                "gated tools",
                print::or_dash((!assistant.gated_tools.is_empty()).then(|| assistant.gated_tools.join(", "))),
            ),
            ("instructions", assistant.instruction_count.to_string()),
        ]);
        let lines: Vec<String> =
            assistant.system_prompt.lines().map(|line| format!("    {}", print::printable(line))).collect();
        format!("{fields}\n\n{}", lines.join("\n"))
    })
}

fn switch(installation: &Installation, account: AccountArg, assistant: Name, enabled: bool) -> Result<()> {
    let (recorder, now) = (routes::recorder(), clock::now());
    let changed = installation.change(move |tx| {
        let (account, found) = find(tx, account.given(), assistant.as_str())?;
        if found.enabled == enabled {
            return Ok(found);
        }
        let wanted = json!({ "enabled": enabled });
        let patch = AssistantPatch::read(Some(&wanted), &mut FieldPath::root(), &mut Problems::new());
        let patch = patch.ok_or(frontdesk_db::Error::Decode("assistant"))?;
        assistants::patch(tx, &By::system(account, now, &recorder), found.id, &patch).map_err(told)
    })?;
    show(installation, &changed)
}

/// The message of the API's error.
fn told(error: AssistantError) -> Error {
    Error::Invalid(Failure::from(error).message().to_owned())
}
