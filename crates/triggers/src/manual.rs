//! Fires a trigger on request: now, whether or not it is enabled, and at any hour.

use frontdesk_agent::ids::TriggerId;
use frontdesk_agent::runs::{self, RunError};
use frontdesk_crm::contacts::ContactId;
use frontdesk_crm::segments::SegmentId;
use frontdesk_db::{ReadTx, Tx};
use frontdesk_platform::By;

use crate::fire::{Firings, Targets};
use crate::refusal::TriggerRefusal;
use crate::row;
use crate::targets;
use crate::trigger::{AudienceType, FiredTrigger, MISSING, TriggerError};

/// The contacts of a trigger's segment, found before the transaction that fires it.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    segment: SegmentId,
    /// None when there is no such segment.
    contacts: Option<Vec<ContactId>>,
}

/// Finds the contacts of a trigger's segment, if its audience is a segment.
pub(crate) fn search(tx: &mut ReadTx<'_>, by: &By, id: TriggerId) -> Result<Option<Found>, TriggerError> {
    let trigger = row::find(tx, by.account, id)?.ok_or(MISSING)?;
    let Some(segment) = trigger.segment_id else { return Ok(None) };
    let most = usize::try_from(trigger.max_targets).unwrap_or_default();
    let found = targets::search(tx, by.account, segment, most, by.now)?;
    let contacts = found.map(|found| found.into_iter().map(|target| target.contact).collect());
    Ok(Some(Found { segment, contacts }))
}

/// Fires a trigger. It locks contacts before the trigger, as an erasure does.
pub(crate) fn fire(
    tx: &mut Tx<'_>,
    by: &By,
    id: TriggerId,
    found: Option<&Found>,
) -> Result<FiredTrigger, TriggerError> {
    let seen = row::find(tx, by.account, id)?.ok_or(MISSING)?;
    let targets = match (seen.audience_type, found) {
        (AudienceType::None, _) => Targets::Nobody,
        (AudienceType::Contact, _) => {
            let contacts: Vec<ContactId> = seen.contact_id.into_iter().collect();
            of_contacts(row::hold_contacts(tx, by.account, &contacts)?, TriggerRefusal::ContactMissing)
        }
        (AudienceType::Segment, Some(Found { segment, contacts })) if seen.segment_id == Some(*segment) => {
            match contacts {
                None => Targets::Refused(TriggerRefusal::SegmentMissing),
                Some(contacts) => {
                    of_contacts(row::hold_contacts(tx, by.account, contacts)?, TriggerRefusal::SegmentEmpty)
                }
            }
        }
        (AudienceType::Segment, _) => return Err(TriggerError::Changed),
    };
    let mut row = row::hold(tx, by.account, id)?.ok_or(MISSING)?;
    let audience =
        |trigger: &crate::trigger::Trigger| (trigger.audience_type, trigger.contact_id, trigger.segment_id);
    if audience(&row.trigger) != audience(&seen) {
        return Err(TriggerError::Changed);
    }
    let outcome = Firings::default().start(tx, by, &row.trigger, &targets)?;
    let started = match &outcome {
        Ok(runs) => runs.as_slice(),
        Err(TriggerRefusal::AssistantDisabled) => return Err(RunError::AssistantDisabled.into()),
        Err(TriggerRefusal::BudgetExhausted) => return Err(RunError::BudgetExhausted.into()),
        Err(TriggerRefusal::OverOperatorLimit) => return Err(RunError::ModelNotAllowed.into()),
        Err(_) => &[],
    };
    row::record_firing(tx, &mut row, by.now, outcome.as_ref().err().map(|refusal| refusal.as_str()))?;
    let runs = runs::find_many(tx, by.account, started)?;
    Ok(FiredTrigger { trigger: row.trigger, runs })
}

fn of_contacts(contacts: Vec<ContactId>, refusal: TriggerRefusal) -> Targets {
    if contacts.is_empty() { Targets::Refused(refusal) } else { Targets::Contacts(contacts) }
}
