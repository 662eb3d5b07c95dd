//! Creates, changes and deletes triggers.

use frontdesk_agent::assistants;
use frontdesk_agent::ids::TriggerId;
use frontdesk_crm::contacts::{self, ContactId};
use frontdesk_crm::quota::TooMany;
use frontdesk_crm::segments::{self, SegmentId};
use frontdesk_db::{self as db, ReadTx, Tx};
use frontdesk_jobs::ONLY_LANE;
use frontdesk_kernel::ids::AssistantId;
use frontdesk_kernel::{Text, Timestamp};
use frontdesk_platform::{By, Error as PlatformError, accounts};
use frontdesk_web::input::is_blank;
use frontdesk_web::{Deleted, InvalidBody, Problems, Within};
use serde_json::{Map, Value};

use crate::input::{NewTrigger, TARGETS_DEFAULT, TARGETS_MAX, TriggerPatch, fits};
use crate::refusal::TriggerRefusal;
use crate::row::{self, TriggerRow};
use crate::trigger::{AudienceType, MISSING, Trigger, TriggerError, TriggerKind};
use crate::{events, plan, sql};

/// The most runs that one firing starts, unless a trigger says otherwise.
pub(crate) const USUAL_TARGETS: Within<1, TARGETS_MAX> = Within(TARGETS_DEFAULT);
/// Maximum triggers per account.
const TRIGGERS_MAX: i64 = 1_000;

/// Creates a trigger. A webhook trigger gets the token whose hash is given.
pub(crate) fn create(
    tx: &mut Tx<'_>,
    by: &By,
    new: &NewTrigger,
    token_hash: &[u8; 32],
) -> Result<Trigger, TriggerError> {
    TooMany::check("triggers", row::count(tx, by.account)?, TRIGGERS_MAX)?;
    let id: TriggerId = by.new_id();
    let trigger = of_new(new, id, by.now);
    check_references(tx, by, Some(trigger.assistant_id), trigger.contact_id, trigger.segment_id)?;
    let mut row = TriggerRow { account: by.account, trigger, next_fire_at: None, fired_for: None };
    reschedule(tx, by, &mut row)?;
    let has_token = row.trigger.kind == TriggerKind::Webhook;
    row::insert(tx, &row, has_token.then_some(token_hash))?;
    wake(tx, by, &row);
    Ok(row.trigger)
}

/// A new trigger with all of its fields.
pub(crate) fn of_new(new: &NewTrigger, id: TriggerId, now: Timestamp) -> Trigger {
    Trigger {
        id,
        assistant_id: new.assistant_id,
        name: new.name.to_string(),
        enabled: new.enabled.unwrap_or(false),
        kind: new.kind,
        goal: new.goal.to_string(),
        period: new.period,
        send_time: new.send_time,
        day_of_week: new.day_of_week.map(|day| day.0),
        day_of_month: new.day_of_month.map(|day| day.0),
        run_at: new.run_at,
        event_key: new.event_key,
        audience_type: new.audience_type.unwrap_or(AudienceType::None),
        contact_id: new.contact_id,
        segment_id: new.segment_id,
        max_targets: new.max_targets.unwrap_or(USUAL_TARGETS).0,
        respect_quiet_hours: new.respect_quiet_hours.unwrap_or(false),
        last_fired_at: None,
        last_error: None,
        created_at: id.created_at(),
        updated_at: now,
    }
}

/// Changes a trigger. If the change affects when it fires, its next due time moves at once.
pub(crate) fn patch(
    tx: &mut Tx<'_>,
    by: &By,
    id: TriggerId,
    patch: &TriggerPatch,
) -> Result<Trigger, TriggerError> {
    let TriggerRow { trigger: before, next_fire_at, fired_for, .. } =
        row::hold(tx, by.account, id)?.ok_or(MISSING)?;
    let mut after = apply(before.clone(), patch.clone());
    if audience(&after) != audience(&before) {
        clear_missing_error(&mut after);
    }
    let mut problems = Problems::new();
    fits(&checkable(&before, fields(&after)?), &mut problems);
    if !problems.is_empty() {
        return Err(TriggerError::Invalid(problems));
    }
    check_references(
        tx,
        by,
        Some(after.assistant_id).filter(|id| *id != before.assistant_id),
        after.contact_id.filter(|id| Some(*id) != before.contact_id),
        after.segment_id.filter(|id| Some(*id) != before.segment_id),
    )?;
    let is_moved = timing(&after) != timing(&before);
    let has_token = before.kind == TriggerKind::Webhook && after.kind != TriggerKind::Webhook;
    let ends_waiting =
        before.kind == TriggerKind::Event && !(after.enabled && after.kind == TriggerKind::Event);
    let mut row = TriggerRow { account: by.account, trigger: after, next_fire_at, fired_for };
    row.trigger.updated_at = by.now;
    if is_moved {
        reschedule(tx, by, &mut row)?;
    }
    row::update(tx, &row)?;
    tx.execute(sql::SET_ERROR, &[&by.account, &id, &row.trigger.last_error])?.exactly(1)?;
    if has_token {
        tx.execute(sql::DROP_TOKEN, &[&by.account, &id])?.exactly(1)?;
    }
    if ends_waiting {
        events::forget(tx, by.account, id)?;
    }
    wake(tx, by, &row);
    Ok(row.trigger)
}

/// Wakes a worker, if the trigger is due already.
fn wake(tx: &mut Tx<'_>, by: &By, row: &TriggerRow) {
    if row.next_fire_at.is_some_and(|at| at <= by.now) {
        tx.wake_about(row::DUE, ONLY_LANE);
    }
}

/// Checks an invalid body against the trigger, so that fields that would not fit after the change are reported with the
/// other problems.
pub(crate) fn check_invalid(
    tx: &mut ReadTx<'_>,
    by: &By,
    id: TriggerId,
    invalid: &InvalidBody,
) -> Result<Problems, TriggerError> {
    let trigger = row::find(tx, by.account, id)?.ok_or(MISSING)?;
    let mut changed = fields(&trigger)?;
    if let Some(given) = invalid.value.as_object() {
        changed.extend(given.clone());
    }
    let mut problems = Problems::new();
    fits(&checkable(&trigger, changed), &mut problems);
    Ok(problems)
}

/// Deletes a trigger. The runs that it has started continue.
pub(crate) fn delete(tx: &mut Tx<'_>, by: &By, id: TriggerId) -> Result<Deleted, TriggerError> {
    row::hold(tx, by.account, id)?.ok_or(MISSING)?;
    tx.execute(sql::DELETE, &[&by.account, &id])?.exactly(1)?;
    events::forget(tx, by.account, id)?;
    Ok(Deleted::new(id))
}

/// Gives a webhook trigger a new token. The old one is invalid at once.
pub(crate) fn rotate(
    tx: &mut Tx<'_>,
    by: &By,
    id: TriggerId,
    token_hash: &[u8; 32],
) -> Result<Trigger, TriggerError> {
    let mut trigger = row::hold(tx, by.account, id)?.ok_or(MISSING)?.trigger;
    if trigger.kind != TriggerKind::Webhook {
        return Err(TriggerError::NotAWebhook);
    }
    trigger.updated_at = by.now;
    tx.execute(sql::SET_TOKEN, &[&by.account, &id, &token_hash.to_vec(), &by.now])?.exactly(1)?;
    Ok(trigger)
}

/// Sets when a trigger is due next, counted from now in the account's timezone.
fn reschedule(tx: &mut Tx<'_>, by: &By, row: &mut TriggerRow) -> Result<(), TriggerError> {
    row.next_fire_at = if row.trigger.enabled {
        let account = accounts::find(tx, by.account)?.ok_or(PlatformError::Missing("account"))?;
        plan::next(&row.trigger, row.fired_for, &account.timezone, by.now)
    } else {
        None
    };
    Ok(())
}

/// The assistant, contact and segment of a trigger must belong to its account.
fn check_references(
    tx: &mut Tx<'_>,
    by: &By,
    assistant: Option<AssistantId>,
    contact: Option<ContactId>,
    segment: Option<SegmentId>,
) -> Result<(), TriggerError> {
    let missing = |noun| Err(TriggerError::from(PlatformError::Missing(noun)));
    if let Some(id) = assistant
        && assistants::find(tx, by.account, id)?.is_none()
    {
        return missing("assistant");
    }
    if let Some(id) = contact
        && !contacts::hold(tx, by.account, id)?
    {
        return missing("contact");
    }
    if let Some(id) = segment
        && segments::find(tx, by.account, id)?.is_none()
    {
        return missing("segment");
    }
    Ok(())
}

/// The fields that decide whom a trigger acts on.
fn audience(trigger: &Trigger) -> impl PartialEq + use<> {
    (trigger.audience_type, trigger.contact_id, trigger.segment_id)
}

/// Clears the error of a trigger that acts on somebody else from now on.
fn clear_missing_error(trigger: &mut Trigger) {
    const MISSING: [TriggerRefusal; 2] = [TriggerRefusal::ContactMissing, TriggerRefusal::SegmentMissing];
    if MISSING.iter().any(|missing| trigger.last_error.as_deref() == Some(missing.as_str())) {
        trigger.last_error = None;
    }
}

/// The changed fields of a trigger, for the check that they fit together. A trigger whose contact was deleted has an
/// audience without its contact. Other fields of it can be changed nevertheless, so the check leaves that audience out.
fn checkable(before: &Trigger, mut changed: Map<String, Value>) -> Map<String, Value> {
    let is_kept = changed.get("audience_type").and_then(Value::as_str)
        == Some(AudienceType::Contact.as_str())
        && is_blank(&changed, "contact_id");
    if is_kept && before.audience_type == AudienceType::Contact && before.contact_id.is_none() {
        changed.remove("audience_type");
    }
    changed
}

/// The fields that decide when a trigger fires.
fn timing(trigger: &Trigger) -> impl PartialEq + use<> {
    let Trigger { enabled, kind, period, send_time, day_of_week, day_of_month, run_at, .. } = trigger;
    (*enabled, *kind, *period, *send_time, *day_of_week, *day_of_month, *run_at)
}

fn fields(trigger: &Trigger) -> db::Result<Map<String, Value>> {
    match serde_json::to_value(trigger) {
        Ok(Value::Object(fields)) => Ok(fields),
        _ => Err(db::Error::Decode("trigger")),
    }
}

fn apply(before: Trigger, patch: TriggerPatch) -> Trigger {
    Trigger {
        id: before.id,
        assistant_id: patch.assistant_id.apply(before.assistant_id),
        name: patch.name.into_option().map_or(before.name, Text::into_string),
        enabled: patch.enabled.apply(before.enabled),
        kind: patch.kind.apply(before.kind),
        goal: patch.goal.into_option().map_or(before.goal, Text::into_string),
        period: patch.period.apply(before.period),
        send_time: patch.send_time.apply(before.send_time),
        day_of_week: patch.day_of_week.map(|day| day.0).apply(before.day_of_week),
        day_of_month: patch.day_of_month.map(|day| day.0).apply(before.day_of_month),
        run_at: patch.run_at.apply(before.run_at),
        event_key: patch.event_key.apply(before.event_key),
        audience_type: patch.audience_type.apply(before.audience_type),
        contact_id: patch.contact_id.apply(before.contact_id),
        segment_id: patch.segment_id.apply(before.segment_id),
        max_targets: patch.max_targets.into_option().map_or(before.max_targets, |most| most.0),
        respect_quiet_hours: patch.respect_quiet_hours.apply(before.respect_quiet_hours),
        last_fired_at: before.last_fired_at,
        last_error: before.last_error,
        created_at: before.created_at,
        updated_at: before.updated_at,
    }
}
