//! The triggers of a definition: created, changed and deleted so that an assistant has exactly these.

use frontdesk_agent::ids::TriggerId;
use frontdesk_db::Tx;
use frontdesk_kernel::Patch;
use frontdesk_kernel::ids::AssistantId;
use frontdesk_platform::{By, Error as PlatformError};
use frontdesk_web::{FieldPath, Given, Problems};

use super::input::DefinedTrigger;
use super::whole::DefinitionError;
use crate::hook;
use crate::input::{NewTrigger, TriggerPatch};
use crate::ops::{self, of_new};
use crate::trigger::{Trigger, TriggerError, TriggerKind};

/// A webhook trigger that has got an address, and its token.
pub(super) type Issued = (TriggerId, String);

/// Gives an assistant these triggers. `held` are those that it has, which are locked. Every webhook trigger that has no
/// address gets one of the tokens.
pub(super) fn replace(
    tx: &mut Tx<'_>,
    by: &By,
    assistant: AssistantId,
    held: &[Trigger],
    wanted: &[DefinedTrigger],
    tokens: &[String],
) -> Result<Vec<Issued>, DefinitionError> {
    let mut problems = Problems::new();
    for (index, one) in wanted.iter().enumerate() {
        let Some(id) = one.id else { continue };
        let path = format!("definition.triggers.{index}.id");
        if !held.iter().any(|trigger| trigger.id == id) {
            problems.add(path, "must be a trigger of this assistant");
        } else if wanted[..index].iter().any(|other| other.id == Some(id)) {
            problems.add(path, "must be named once");
        }
    }
    if !problems.is_empty() {
        return Err(DefinitionError::Invalid(problems));
    }
    // Those that go make room for those that come.
    for gone in held.iter().filter(|trigger| !wanted.iter().any(|one| one.id == Some(trigger.id))) {
        ops::delete(tx, by, gone.id)?;
    }
    let (mut issued, mut tokens) = (Vec::new(), tokens.iter());
    for (index, one) in wanted.iter().enumerate() {
        let before = one.id.and_then(|id| held.iter().find(|trigger| trigger.id == id));
        let is_webhook = one.kind == TriggerKind::Webhook;
        let had_address = before.is_some_and(|trigger| trigger.kind == TriggerKind::Webhook);
        let token = if is_webhook && !had_address { tokens.next() } else { None };
        let hash = token.map(|token| hook::hash(token)).unwrap_or_default();
        let done = put(tx, by, before, &one.of_assistant(assistant), (token.is_some(), &hash));
        let id = done.map_err(|error| in_trigger(index, error))?;
        issued.extend(token.map(|token| (id, token.clone())));
    }
    Ok(issued)
}

fn put(
    tx: &mut Tx<'_>,
    by: &By,
    before: Option<&Trigger>,
    wanted: &NewTrigger,
    (is_new_address, hash): (bool, &[u8; 32]),
) -> Result<TriggerId, TriggerError> {
    let Some(before) = before else { return Ok(ops::create(tx, by, wanted, hash)?.id) };
    if !is_same(before, wanted) {
        ops::patch(tx, by, before.id, &patch_to(wanted))?;
    }
    if is_new_address {
        ops::rotate(tx, by, before.id, hash)?;
    }
    Ok(before.id)
}

/// Whether a trigger is what is wanted already.
fn is_same(before: &Trigger, wanted: &NewTrigger) -> bool {
    let Trigger { last_fired_at, last_error, updated_at, .. } = before.clone();
    let after = Trigger { last_fired_at, last_error, ..of_new(wanted, before.id, updated_at) };
    match (serde_json::to_value(before), serde_json::to_value(after)) {
        (Ok(before), Ok(after)) => before == after,
        _ => false,
    }
}

/// The change that gives a trigger all of these fields.
fn patch_to(wanted: &NewTrigger) -> TriggerPatch {
    fn may_be_empty<T>(value: Option<T>) -> Patch<T> {
        value.map_or(Patch::Clear, Patch::Set)
    }
    let wanted = wanted.clone();
    TriggerPatch {
        assistant_id: Given::Value(wanted.assistant_id),
        name: Given::Value(wanted.name),
        kind: Given::Value(wanted.kind),
        goal: Given::Value(wanted.goal),
        enabled: Given::Value(wanted.enabled.unwrap_or(false)),
        period: may_be_empty(wanted.period),
        send_time: may_be_empty(wanted.send_time),
        day_of_week: may_be_empty(wanted.day_of_week),
        day_of_month: may_be_empty(wanted.day_of_month),
        run_at: may_be_empty(wanted.run_at),
        event_key: may_be_empty(wanted.event_key),
        audience_type: Given::Value(wanted.audience_type.unwrap_or(crate::trigger::AudienceType::None)),
        contact_id: may_be_empty(wanted.contact_id),
        segment_id: may_be_empty(wanted.segment_id),
        max_targets: Given::Value(wanted.max_targets.unwrap_or(ops::USUAL_TARGETS)),
        respect_quiet_hours: Given::Value(wanted.respect_quiet_hours.unwrap_or(false)),
    }
}

/// What is wrong with a trigger, at its path in the request.
fn in_trigger(index: usize, error: TriggerError) -> DefinitionError {
    let found = match error {
        TriggerError::Invalid(problems) => problems,
        TriggerError::Platform(PlatformError::Missing(noun @ ("contact" | "segment"))) => {
            Problems::one(format!("{noun}_id"), format!("must be a {noun} of this account"))
        }
        other => return other.into(),
    };
    let mut problems = Problems::new();
    FieldPath::root().field("definition", |at| {
        at.field("triggers", |at| at.index(index, |at| problems.adopt(at, found)));
    });
    DefinitionError::Invalid(problems)
}
