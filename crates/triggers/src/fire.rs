//! Fires triggers. The runs of a trigger start in the transaction that updates the trigger.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use frontdesk_agent::ids::RunId;
use frontdesk_agent::runs::{self, Entry, Launch, Machine, Origin, Start};
use frontdesk_crm::contacts::ContactId;
use frontdesk_db::{self as db, ReadTx, Tx};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::{AccountId, AssistantId};
use frontdesk_platform::By;
use frontdesk_platform::accounts::{self, Account};
use frontdesk_platform::hours::{Hours, next_open};

use crate::refusal::TriggerRefusal;
use crate::trigger::Trigger;

/// The contacts that a firing acts on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Targets {
    /// Nobody in particular: one run without a contact.
    Nobody,
    Contacts(Vec<ContactId>),
    Refused(TriggerRefusal),
}

/// A run that a firing starts.
#[derive(Clone, Debug, Default)]
pub(crate) struct NewTriggerRun {
    pub(crate) contact: Option<ContactId>,
    /// What the model reads after its goal.
    pub(crate) note: Option<String>,
    /// The note comes from outside, so the run's tools reach only that contact.
    pub(crate) confined: bool,
    pub(crate) due_in: Duration,
}

/// Whether a trigger may send messages now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SendWindow {
    Open,
    /// The sending hours open next at this time.
    OpensAt(Timestamp),
    /// The account has no sending hours at all.
    Never,
}

/// Lookups that all firings of a transaction share.
#[derive(Default)]
pub(crate) struct Firings {
    accounts: BTreeMap<AccountId, Arc<Account>>,
    launches: BTreeMap<(AccountId, AssistantId), Result<Launch, TriggerRefusal>>,
}

impl Firings {
    pub(crate) fn account(&mut self, tx: &mut ReadTx<'_>, id: AccountId) -> db::Result<Arc<Account>> {
        if let Some(account) = self.accounts.get(&id) {
            return Ok(account.clone());
        }
        let account = Arc::new(accounts::find(tx, id)?.ok_or(db::Error::Decode("account"))?);
        self.accounts.insert(id, account.clone());
        Ok(account)
    }

    /// Starts a run for each target, or returns why none starts.
    pub(crate) fn start(
        &mut self,
        tx: &mut Tx<'_>,
        by: &By,
        trigger: &Trigger,
        targets: &Targets,
    ) -> db::Result<Result<Vec<RunId>, TriggerRefusal>> {
        let contacts = match targets {
            Targets::Nobody => vec![None],
            Targets::Contacts(contacts) => contacts.iter().copied().map(Some).collect(),
            Targets::Refused(refusal) => return Ok(Err(*refusal)),
        };
        let launch = match self.launch(tx, by, trigger.assistant_id)? {
            Ok(launch) => launch,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let mut started = Vec::with_capacity(contacts.len());
        for contact in contacts {
            started.push(start(
                tx,
                by,
                &launch,
                trigger,
                NewTriggerRun { contact, ..NewTriggerRun::default() },
            )?);
        }
        Ok(Ok(started))
    }

    /// Starts one run, or returns why it does not start.
    pub(crate) fn start_one(
        &mut self,
        tx: &mut Tx<'_>,
        by: &By,
        trigger: &Trigger,
        new: NewTriggerRun,
    ) -> db::Result<Result<RunId, TriggerRefusal>> {
        match self.launch(tx, by, trigger.assistant_id)? {
            Ok(launch) => start(tx, by, &launch, trigger, new).map(Ok),
            Err(refusal) => Ok(Err(refusal)),
        }
    }

    /// Permission to start runs of an assistant, checked once.
    fn launch(
        &mut self,
        tx: &mut Tx<'_>,
        by: &By,
        assistant: AssistantId,
    ) -> db::Result<Result<Launch, TriggerRefusal>> {
        if let Some(launch) = self.launches.get(&(by.account, assistant)) {
            return Ok(*launch);
        }
        let account = self.account(tx, by.account)?;
        let launch = if account.suspended_at.is_some() {
            Err(TriggerRefusal::AccountSuspended)
        } else {
            match runs::may_start(tx, by, &account, assistant) {
                Ok(launch) => Ok(launch),
                Err(error) => Err(TriggerRefusal::of(error)?),
            }
        };
        self.launches.insert((by.account, assistant), launch);
        Ok(launch)
    }
}

fn start(
    tx: &mut Tx<'_>,
    by: &By,
    launch: &Launch,
    trigger: &Trigger,
    new: NewTriggerRun,
) -> db::Result<RunId> {
    let transcript = new.note.into_iter().map(Entry::Note).collect();
    let start = Start {
        assistant: trigger.assistant_id,
        goal: trigger.goal.clone(),
        contact: new.contact,
        conversation: None,
        trigger: Some(trigger.id),
        origin: Origin::Trigger,
        confined: new.confined,
        due_in: new.due_in,
        machine: Machine { transcript, ..Machine::default() },
    };
    runs::start_one(tx, by, launch, start)
}

/// Whether a trigger may send messages now. It depends on the account's sending hours if the trigger respects them.
pub(crate) fn send_window(trigger: &Trigger, account: &Account, now: Timestamp) -> SendWindow {
    let hours = Hours::of_account(account.sending_hours.as_ref()).filter(|_| trigger.respect_quiet_hours);
    let Some(hours) = hours else { return SendWindow::Open };
    match next_open(&hours, &account.timezone, now) {
        Some(at) if at <= now => SendWindow::Open,
        Some(at) => SendWindow::OpensAt(at),
        None => SendWindow::Never,
    }
}
