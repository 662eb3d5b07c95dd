//! What a firing would do, without firing.

use frontdesk_agent::assistants;
use frontdesk_agent::ids::TriggerId;
use frontdesk_agent::spend;
use frontdesk_crm::contacts::{self, ContactId};
use frontdesk_db::ReadTx;
use frontdesk_kernel::Timestamp;
use frontdesk_platform::accounts::{self, Account};
use frontdesk_platform::{By, Error as PlatformError};
use frontdesk_web::example::{self, Example};
use frontdesk_web::resource;

use crate::fire::{SendWindow, send_window};
use crate::refusal::TriggerRefusal;
use crate::targets::{self, Target};
use crate::trigger::{AudienceType, MISSING, Trigger, TriggerError, TriggerKind};
use crate::{plan, row};

/// Maximum targets that a preview lists.
const TARGETS_SHOWN_MAX: usize = 20;

resource! {
    /// A contact that a firing would act on.
    pub struct TriggerTarget {
        pub contact_id: ContactId,
        pub name: Option<String>,
    }
}

resource! {
    /// A preview of a firing.
    pub struct TriggerPreview {
        /// When the trigger fires next if it is enabled, sending hours included. Null for event and webhook triggers, and for a
        /// one-off that has fired.
        pub next_fire_at: Option<Timestamp>,
        /// Whether it would start a run if its time came now.
        pub would_fire: bool,
        /// Why it would not.
        pub reason: Option<TriggerRefusal>,
        /// The contacts that a firing would act on, at most `max_targets`.
        pub target_count: i64,
        /// The first 20 of them.
        pub targets: Vec<TriggerTarget>,
    }
}

/// Finds out what a firing would do now.
pub(crate) fn preview(tx: &mut ReadTx<'_>, by: &By, id: TriggerId) -> Result<TriggerPreview, TriggerError> {
    let row = row::find_row(tx, by.account, id)?.ok_or(MISSING)?;
    let trigger = &row.trigger;
    let account = accounts::find(tx, by.account)?.ok_or(PlatformError::Missing("account"))?;
    let due = row.next_fire_at.or_else(|| plan::next(trigger, row.fired_for, &account.timezone, by.now));
    let next_fire_at = due.and_then(|due| fire_time(trigger, &account, due.max(by.now)));
    let Outcome { reason, target_count, targets } = outcome(tx, by, trigger, &account, due)?;
    Ok(TriggerPreview { next_fire_at, would_fire: reason.is_none(), reason, target_count, targets })
}

/// When a trigger that is due fires: then, or when the sending hours begin.
pub(crate) fn fire_time(trigger: &Trigger, account: &Account, due: Timestamp) -> Option<Timestamp> {
    match send_window(trigger, account, due) {
        SendWindow::Open => Some(due),
        SendWindow::OpensAt(opens) => Some(opens),
        SendWindow::Never => None,
    }
}

/// What a firing would come to now.
pub(crate) struct Outcome {
    /// Why it would start no run.
    pub(crate) reason: Option<TriggerRefusal>,
    pub(crate) target_count: i64,
    pub(crate) targets: Vec<TriggerTarget>,
}

/// Finds out what a firing would come to. `due` is when the trigger is due next.
pub(crate) fn outcome(
    tx: &mut ReadTx<'_>,
    by: &By,
    trigger: &Trigger,
    account: &Account,
    due: Option<Timestamp>,
) -> Result<Outcome, TriggerError> {
    let targets = targets_of(tx, by, trigger)?;
    let assistant = assistants::find(tx, by.account, trigger.assistant_id)?;
    let has_fired = trigger.kind == TriggerKind::Once && due.is_none();
    let reason = if !trigger.enabled {
        Some(TriggerRefusal::TriggerDisabled)
    } else if has_fired {
        Some(TriggerRefusal::AlreadyFired)
    } else if assistant.as_ref().is_none_or(|assistant| !assistant.enabled) {
        Some(TriggerRefusal::AssistantDisabled)
    } else if assistant.is_some_and(|assistant| !assistant.has_allowed_model(account)) {
        Some(TriggerRefusal::OverOperatorLimit)
    } else if spend::is_exhausted(tx, account, by.now)? {
        Some(TriggerRefusal::BudgetExhausted)
    } else if send_window(trigger, account, by.now) == SendWindow::Never {
        Some(TriggerRefusal::NoSendingHours)
    } else {
        targets.as_ref().err().copied()
    };
    let targets = targets.unwrap_or_default();
    let shown = |target: &Target| TriggerTarget { contact_id: target.contact, name: target.name.clone() };
    Ok(Outcome {
        reason,
        target_count: targets.len() as i64,
        targets: targets.iter().take(TARGETS_SHOWN_MAX).map(shown).collect(),
    })
}

/// The contacts that a trigger would act on now, or why there are none.
fn targets_of(
    tx: &mut ReadTx<'_>,
    by: &By,
    trigger: &Trigger,
) -> Result<Result<Vec<Target>, TriggerRefusal>, TriggerError> {
    Ok(match (trigger.audience_type, trigger.contact_id, trigger.segment_id) {
        (AudienceType::None, ..) => Ok(Vec::new()),
        (AudienceType::Contact, Some(id), _) => match contacts::find(tx, by.account, id)? {
            Some(contact) => Ok(vec![Target { contact: id, name: contact.name }]),
            None => Err(TriggerRefusal::ContactMissing),
        },
        (AudienceType::Segment, _, Some(segment)) => {
            let most = usize::try_from(trigger.max_targets).unwrap_or_default();
            match targets::search(tx, by.account, segment, most, by.now)? {
                Some(found) if found.is_empty() => Err(TriggerRefusal::SegmentEmpty),
                Some(found) => Ok(found),
                None => Err(TriggerRefusal::SegmentMissing),
            }
        }
        (AudienceType::Contact, None, _) => Err(TriggerRefusal::ContactMissing),
        (AudienceType::Segment, _, None) => Err(TriggerRefusal::SegmentMissing),
    })
}

impl Example for TriggerPreview {
    fn example() -> Self {
        Self {
            next_fire_at: Some(example::MOMENT),
            would_fire: true,
            reason: None,
            target_count: 1,
            targets: vec![TriggerTarget { contact_id: example::id(), name: Some("Ann".into()) }],
        }
    }
}
