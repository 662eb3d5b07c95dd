//! `POST /triggers/preview`: when a draft of a trigger would fire, and whom it would affect.

use frontdesk_crm::contacts::{self, ContactId};
use frontdesk_crm::segments::{self, SegmentId};
use frontdesk_db::ReadTx;
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AssistantId;
use frontdesk_platform::accounts::Account;
use frontdesk_platform::{By, Caller, Error as PlatformError, accounts};
use frontdesk_web::{Body, Data, Result, Within, input, resource};

use crate::input::{TARGETS_DEFAULT, TARGETS_MAX, fits};
use crate::plan;
use crate::preview::{self, TriggerTarget, fire_time};
use crate::refusal::TriggerRefusal;
use crate::schedule::TimeOfDay;
use crate::trigger::{AudienceType, Trigger, TriggerError, TriggerEvent, TriggerKind, TriggerPeriod};

/// Times that are shown.
const TIMES_SHOWN: usize = 5;
/// Due times that are looked at for them: several may wait for the same sending hour.
const TIMES_LOOKED_MAX: usize = 40;

input! {
    /// A trigger that is not saved: the fields of a new one that say when it fires and whom it affects.
    pub struct TriggerDraft {
        pub assistant_id: AssistantId,
        pub kind: TriggerKind,
        /// Defaults to true.
        pub enabled: Option<bool>,
        pub period: Option<TriggerPeriod>,
        pub send_time: Option<TimeOfDay>,
        pub day_of_week: Option<Within<0, 6>>,
        pub day_of_month: Option<Within<1, 31>>,
        pub run_at: Option<Timestamp>,
        pub event_key: Option<TriggerEvent>,
        pub audience_type: Option<AudienceType>,
        pub contact_id: Option<ContactId>,
        pub segment_id: Option<SegmentId>,
        /// Defaults to 50.
        pub max_targets: Option<Within<1, TARGETS_MAX>>,
        pub respect_quiet_hours: Option<bool>,
    }
    shape = fits;
}

resource! {
    /// What a trigger that is not saved would do.
    pub struct TriggerDraftPreview {
        /// When it would fire next, at most five times, sending hours included. Empty for event and webhook triggers.
        pub fire_times: Vec<Timestamp>,
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

pub(super) async fn preview(
    caller: Caller,
    Body(draft): Body<TriggerDraft>,
) -> Result<Data<TriggerDraftPreview>> {
    caller.scan(move |tx, by| look(tx, by, &draft)).await.map(Data)
}

fn look(
    tx: &mut ReadTx<'_>,
    by: &By,
    draft: &TriggerDraft,
) -> std::result::Result<TriggerDraftPreview, TriggerError> {
    check_references(tx, by, draft)?;
    let account = accounts::find(tx, by.account)?.ok_or(PlatformError::Missing("account"))?;
    let trigger = trigger_of(by, draft);
    let due = plan::next(&trigger, None, &account.timezone, by.now);
    let outcome = preview::outcome(tx, by, &trigger, &account, due)?;
    Ok(TriggerDraftPreview {
        fire_times: fire_times(&trigger, &account, by.now),
        would_fire: outcome.reason.is_none(),
        reason: outcome.reason,
        target_count: outcome.target_count,
        targets: outcome.targets,
    })
}

/// The next times at which a trigger fires, each once.
fn fire_times(trigger: &Trigger, account: &Account, now: Timestamp) -> Vec<Timestamp> {
    let (mut times, mut last) = (Vec::new(), None);
    for _ in 0..TIMES_LOOKED_MAX {
        let Some(due) = plan::next(trigger, last, &account.timezone, now) else { break };
        times.extend(fire_time(trigger, account, due.max(now)));
        times.dedup();
        if times.len() == TIMES_SHOWN {
            break;
        }
        last = Some(due);
    }
    times
}

fn trigger_of(by: &By, draft: &TriggerDraft) -> Trigger {
    Trigger {
        id: by.new_id(),
        assistant_id: draft.assistant_id,
        name: String::new(),
        enabled: draft.enabled.unwrap_or(true),
        kind: draft.kind,
        goal: String::new(),
        period: draft.period,
        send_time: draft.send_time,
        day_of_week: draft.day_of_week.map(|day| day.0),
        day_of_month: draft.day_of_month.map(|day| day.0),
        run_at: draft.run_at,
        event_key: draft.event_key,
        audience_type: draft.audience_type.unwrap_or(AudienceType::None),
        contact_id: draft.contact_id,
        segment_id: draft.segment_id,
        max_targets: draft.max_targets.map_or(TARGETS_DEFAULT, |most| most.0),
        respect_quiet_hours: draft.respect_quiet_hours.unwrap_or(false),
        last_fired_at: None,
        last_error: None,
        created_at: by.now,
        updated_at: by.now,
    }
}

/// What the draft names must be in the account, as for a trigger that is created.
fn check_references(
    tx: &mut ReadTx<'_>,
    by: &By,
    draft: &TriggerDraft,
) -> std::result::Result<(), TriggerError> {
    let missing = |noun| Err(TriggerError::from(PlatformError::Missing(noun)));
    if frontdesk_agent::assistants::find(tx, by.account, draft.assistant_id)?.is_none() {
        return missing("assistant");
    }
    if let Some(id) = draft.contact_id
        && !contacts::exists(tx, by.account, id)?
    {
        return missing("contact");
    }
    if let Some(id) = draft.segment_id
        && segments::find(tx, by.account, id)?.is_none()
    {
        return missing("segment");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use frontdesk_web::example::{self, Example};
    use serde_json::json;

    use super::*;

    fn account(hours: Option<serde_json::Value>) -> Account {
        Account {
            id: example::id(),
            name: "Acme".into(),
            timezone: "UTC".into(),
            country: None,
            owner_user_id: example::id(),
            suspended_at: None,
            rate_limit: 60,
            contact_limit: None,
            broadcast_limit: None,
            ai_budget_usd: None,
            ai_budget_max_usd: None,
            model: None,
            models: None,
            sending_hours: hours,
            business_hours: None,
            created_at: example::MOMENT,
            updated_at: example::MOMENT,
        }
    }

    fn moment(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn five_times_are_shown_and_those_that_wait_for_the_same_hour_once() {
        let weekly = Trigger::example();
        let now = moment("2026-06-01T08:00:00Z");
        let times = fire_times(&weekly, &account(None), now);
        assert_eq!(times.len(), 5);
        assert_eq!((times[0], times[4]), (moment("2026-06-01T09:00:00Z"), moment("2026-06-29T09:00:00Z")));
        let daily = Trigger { period: Some(TriggerPeriod::Daily), day_of_week: None, ..weekly };
        // Open on Mondays only.
        let mondays = account(Some(json!({ "mon": [["08:00", "20:00"]] })));
        let times = fire_times(&daily, &mondays, now);
        let days: Vec<String> = times.iter().map(|time| time.to_string()[..10].to_owned()).collect();
        assert_eq!(days[..2], ["2026-06-01", "2026-06-08"], "{times:?}");
        let once = Trigger { kind: TriggerKind::Once, run_at: Some(now), ..daily };
        assert_eq!(fire_times(&once, &account(None), now), [now]);
    }
}
