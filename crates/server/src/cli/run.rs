//! `frontdesk run`: runs of assistants.

use std::collections::HashSet;
use std::time::Duration;

use clap::{Args, Subcommand};
use frontdesk_agent::ids::{RunId, RunRow};
use frontdesk_agent::runs::{self, NewRun, Run, RunError, RunEvent, RunStatus};
use frontdesk_crm::contacts::{Contact, ContactId};
use frontdesk_db::Store;
use frontdesk_inbox::conversations::ConversationId;
use frontdesk_kernel::Text;
use frontdesk_kernel::ids::{AccountId, Assistant, AssistantId};
use frontdesk_platform::By;
use frontdesk_platform::accounts::{self, AccountError};
use frontdesk_web::Failure;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::account_arg::AccountArg;
use super::print;
use super::values::id;
use crate::error::{Error, Result};
use crate::installation::Installation;
use crate::{clock, routes};

/// How often a watched run is polled.
const WATCH_PERIOD: Duration = Duration::from_millis(300);
/// Maximum number of listed runs.
const ROWS_MAX: i64 = 50;
/// Maximum characters shown of a step.
const SHOWN_CHARS_MAX: usize = 160;

#[derive(Subcommand)]
pub(super) enum Command {
    /// Start a run of an assistant
    Start(Start),
    /// List the last runs of an account
    List {
        #[command(flatten)]
        account: AccountArg,
        /// Only runs of this status, such as `waiting`
        #[arg(long)]
        status: Option<RunStatus>,
    },
    /// Show a run and its timeline
    Show {
        /// The run's id, as `frontdesk run list` shows it
        #[arg(value_name = "RUN_ID", value_parser = id::<RunRow>)]
        id: RunId,
        /// Follow its steps until it ends
        #[arg(long)]
        watch: bool,
    },
}

#[derive(Args)]
pub(super) struct Start {
    #[command(flatten)]
    account: AccountArg,
    /// The assistant's id, as `frontdesk assistant list` shows it
    #[arg(long, value_name = "ASSISTANT_ID", value_parser = id::<Assistant>)]
    assistant: AssistantId,
    /// What the assistant is to do
    #[arg(long)]
    goal: Text<8_000>,
    /// The contact that it is about
    #[arg(long, value_name = "CONTACT_ID", value_parser = id::<Contact>)]
    contact: Option<ContactId>,
    /// The conversation that it is about
    #[arg(long, value_name = "CONVERSATION_ID", value_parser = conversation)]
    conversation: Option<ConversationId>,
    /// Follow its steps until it ends
    #[arg(long)]
    watch: bool,
}

fn conversation(text: &str) -> std::result::Result<ConversationId, String> {
    id(text)
}

impl Command {
    pub(super) fn run(self, installation: &Installation) -> Result<()> {
        match self {
            Self::Start(wanted) => start(installation, wanted),
            Self::List { account, status } => list(installation, account.choose(installation)?, status),
            Self::Show { id, watch } => show(installation, id, watch),
        }
    }
}

/// The message of an error about runs.
fn told(error: RunError) -> Error {
    Error::Invalid(Failure::from(error).message().to_owned())
}

fn start(installation: &Installation, wanted: Start) -> Result<()> {
    let Start { account, assistant, goal, contact, conversation, watch } = wanted;
    let account = account.choose(installation)?;
    let (recorder, now) = (routes::recorder(), clock::now());
    let new = NewRun { assistant_id: assistant, goal, contact_id: contact, conversation_id: conversation };
    installation.work(async |store: &Store| {
        check_account(store, account).await?;
        let started = store.write(move |tx| runs::start(tx, &By::system(account, now, &recorder), &new));
        let run = started.await.map_err(told)?;
        if watch {
            return follow(store, account, run.id, installation.json).await;
        }
        print::output(installation.json, &run, || describe(&run))
    })
}

async fn check_account(store: &Store, account: AccountId) -> Result<()> {
    match store.read(move |tx| accounts::find(tx, account)).await? {
        Some(_) => Ok(()),
        None => Err(AccountError::NoAccount(account).into()),
    }
}

fn list(installation: &Installation, account: AccountId, status: Option<RunStatus>) -> Result<()> {
    let runs = installation.work(async |store: &Store| {
        check_account(store, account).await?;
        Ok(store.scan(move |tx| runs::recent(tx, account, status, ROWS_MAX)).await?)
    })?;
    print::output(installation.json, &runs, || {
        let rows = runs.iter().map(|run| {
            vec![
                run.id.to_string(),
                run.status.to_string(),
                run.tick_count.to_string(),
                format!("{:.4}", run.cost_usd),
                run.created_at.to_string(),
                short(&run.goal),
            ]
        });
        print::table(
            &["id", "status", "ticks", "usd", "created", "goal"],
            rows.collect(),
            "There are no runs. Start one with: frontdesk run start --assistant ASSISTANT_ID --goal GOAL",
        )
    })
}

fn show(installation: &Installation, id: RunId, watch: bool) -> Result<()> {
    installation.work(async |store: &Store| {
        let account = store.read(move |tx| runs::account_of(tx, id)).await?;
        let account = account.ok_or_else(|| {
            Error::Invalid(format!("there is no run {id}; `frontdesk run list` shows those there are"))
        })?;
        if watch {
            return follow(store, account, id, installation.json).await;
        }
        let (run, events) = look(store, account, id).await?;
        let whole = json!({ "run": run, "events": events });
        print::output(installation.json, &whole, || {
            let connections: Vec<String> = events.iter().map(connection).collect();
            format!("{}\n\n{}", describe(&run), connections.join("\n"))
        })
    })
}

async fn look(store: &Store, account: AccountId, id: RunId) -> Result<(Run, Vec<RunEvent>)> {
    let found = store
        .read(move |tx| {
            Ok::<_, frontdesk_db::Error>((
                runs::find(tx, account, id)?,
                runs::events_after(tx, account, id, None)?,
            ))
        })
        .await?;
    let run = found.0.ok_or_else(|| Error::Invalid(format!("there is no run {id}")))?;
    Ok((run, found.1))
}

/// Prints the steps of a run until it ends.
async fn follow(store: &Store, account: AccountId, id: RunId, as_json: bool) -> Result<()> {
    let mut shown = HashSet::new();
    loop {
        let (run, events) = look(store, account, id).await?;
        for event in events.iter().filter(|event| !shown.contains(&event.id)) {
            print::output(as_json, event, || connection(event))?;
        }
        shown.extend(events.iter().map(|event| event.id));
        if run.status.is_over() {
            return print::output(as_json, &run, || format!("\n{}", describe(&run)));
        }
        sleep(WATCH_PERIOD).await;
    }
}

fn describe(run: &Run) -> String {
    let asks: Vec<String> =
        run.pending_asks.iter().map(|ask| format!("{} ({})", ask.prompt, ask.id)).collect();
    print::fields(&[
        ("run", run.id.to_string()),
        ("status", run.status.to_string()),
        ("goal", short(&run.goal)),
        ("result", print::or_dash(run.result.as_deref().map(short))),
        ("error", print::or_dash(run.error.as_ref())),
        ("waits for", print::or_dash((!asks.is_empty()).then(|| asks.join("; ")))),
        ("ticks", run.tick_count.to_string()),
        ("cost", format!("${:.6}", run.cost_usd)),
    ])
}

/// A step on one line.
fn connection(event: &RunEvent) -> String {
    let data: Value = serde_json::from_str(event.data.get()).unwrap_or_default();
    let text = |name: &str| data[name].as_str().unwrap_or_default().to_owned();
    let about = match event.r#type.as_str() {
        "model_called" => match data["error"].as_str() {
            Some(error) => format!("{}: {error}", text("model")),
            None => format!("{} ${} {}", text("model"), data["cost_usd"], text("text")),
        },
        "tool_called" => format!("{} {}", text("tool"), data["arguments"]),
        "tool_returned" => format!("{} {}", text("tool"), text("content")),
        _ => data.to_string(),
    };
    let clean: String = about.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("{}  {:<14} {}", event.created_at, event.r#type.as_str(), short(&clean))
}

fn short(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
