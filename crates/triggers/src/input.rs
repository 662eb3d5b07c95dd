//! Request bodies of triggers, and the checks of their fields.

use frontdesk_agent::runs::limits::GOAL_CHARS_MAX;
use frontdesk_crm::contacts::ContactId;
use frontdesk_crm::segments::SegmentId;
use frontdesk_kernel::ids::AssistantId;
use frontdesk_kernel::{Patch, Text, Timestamp};
use frontdesk_web::input::is_blank;
use frontdesk_web::{Given, Problems, Within, input};
use serde_json::{Map, Value};

use crate::schedule::TimeOfDay;
use crate::trigger::{AudienceType, TriggerEvent, TriggerKind, TriggerPeriod};

pub(crate) const TARGETS_DEFAULT: i64 = 50;
pub(crate) const TARGETS_MAX: i64 = 500;
pub(crate) const NAME_CHARS_MAX: usize = 200;

type Name = Text<NAME_CHARS_MAX>;
type Goal = Text<GOAL_CHARS_MAX>;
type DayOfWeek = Within<0, 6>;
type DayOfMonth = Within<1, 31>;
type Targets = Within<1, TARGETS_MAX>;

input! {
    /// A new trigger. A recurring one needs `period` and `send_time`, and `day_of_week` if it is weekly or
    /// `day_of_month` if it is monthly; a one-off needs `run_at`; an event trigger needs `event_key`. Fields
    /// of other kinds must be left out.
    pub struct NewTrigger {
        pub assistant_id: AssistantId,
        pub name: Name,
        pub kind: TriggerKind,
        /// The goal of the runs.
        pub goal: Goal,
        /// Defaults to false.
        pub enabled: Option<bool>,
        pub period: Option<TriggerPeriod>,
        /// In the account's timezone.
        pub send_time: Option<TimeOfDay>,
        /// 0 is Sunday.
        pub day_of_week: Option<DayOfWeek>,
        /// In a shorter month it is the last day.
        pub day_of_month: Option<DayOfMonth>,
        /// A time that has passed fires at once.
        pub run_at: Option<Timestamp>,
        pub event_key: Option<TriggerEvent>,
        /// Defaults to `none`. Event and webhook triggers allow no other.
        pub audience_type: Option<AudienceType>,
        /// Required when the audience is a contact.
        pub contact_id: Option<ContactId>,
        /// Required when the audience is a segment.
        pub segment_id: Option<SegmentId>,
        /// Defaults to 50.
        pub max_targets: Option<Targets>,
        /// Defaults to false.
        pub respect_quiet_hours: Option<bool>,
    }
    shape = fits;
}

input! {
    /// Changes of a trigger. Null clears a field that may be empty. The fields must be consistent after the
    /// change.
    pub struct TriggerPatch {
        pub assistant_id: Given<AssistantId>,
        pub name: Given<Name>,
        pub kind: Given<TriggerKind>,
        pub goal: Given<Goal>,
        pub enabled: Given<bool>,
        pub period: Patch<TriggerPeriod>,
        pub send_time: Patch<TimeOfDay>,
        pub day_of_week: Patch<DayOfWeek>,
        pub day_of_month: Patch<DayOfMonth>,
        pub run_at: Patch<Timestamp>,
        pub event_key: Patch<TriggerEvent>,
        pub audience_type: Given<AudienceType>,
        pub contact_id: Patch<ContactId>,
        pub segment_id: Patch<SegmentId>,
        pub max_targets: Given<Targets>,
        pub respect_quiet_hours: Given<bool>,
    }
}

/// The fields that say when a trigger fires.
const WHEN: [&str; 6] = ["period", "send_time", "day_of_week", "day_of_month", "run_at", "event_key"];

/// Checks that the fields of a trigger fit its kind, its period and its audience. It works on JSON, so that fields that
/// do not fit are reported together with fields that cannot be parsed.
pub(crate) fn fits(trigger: &Map<String, Value>, problems: &mut Problems) {
    let kind = word::<TriggerKind>(trigger, "kind");
    if let Some(kind) = kind {
        when_fits(trigger, kind, problems);
    }
    let audience = match trigger.get("audience_type") {
        None | Some(Value::Null) => Some(AudienceType::None),
        Some(_) => word(trigger, "audience_type"),
    };
    let Some(audience) = audience else { return };
    if let Some(kind @ (TriggerKind::Event | TriggerKind::Webhook)) = kind
        && audience != AudienceType::None
    {
        problems.add("audience_type", format!("must be none for a trigger of the kind {kind}"));
    }
    let of = format!("the audience_type {audience}");
    for (field, wanted_by) in [("contact_id", AudienceType::Contact), ("segment_id", AudienceType::Segment)] {
        judge(trigger, field, audience == wanted_by, &of, problems);
    }
}

fn when_fits(trigger: &Map<String, Value>, kind: TriggerKind, problems: &mut Problems) {
    let period = word::<TriggerPeriod>(trigger, "period");
    for field in WHEN {
        let is_wanted = match (kind, field) {
            (TriggerKind::Recurring, "day_of_week" | "day_of_month") => {
                if let Some(period) = period {
                    judge(
                        trigger,
                        field,
                        day_of(period) == Some(field),
                        &format!("a {period} trigger"),
                        problems,
                    );
                }
                continue;
            }
            (TriggerKind::Recurring, "period" | "send_time")
            | (TriggerKind::Once, "run_at")
            | (TriggerKind::Event, "event_key") => true,
            _ => false,
        };
        judge(trigger, field, is_wanted, &format!("a trigger of the kind {kind}"), problems);
    }
}

/// The field that says on which day a trigger of a period fires.
fn day_of(period: TriggerPeriod) -> Option<&'static str> {
    match period {
        TriggerPeriod::Daily => None,
        TriggerPeriod::Weekly => Some("day_of_week"),
        TriggerPeriod::Monthly => Some("day_of_month"),
    }
}

/// Reports a field that is required but missing, or present but not allowed.
fn judge(trigger: &Map<String, Value>, field: &str, is_wanted: bool, of: &str, problems: &mut Problems) {
    match (is_wanted, is_blank(trigger, field)) {
        (true, true) => problems.add(field, format!("is required for {of}")),
        (false, false) => problems.add(field, format!("must be left out of {of}")),
        _ => {}
    }
}

/// The value of a field, if it is one of the allowed values.
fn word<T: std::str::FromStr>(trigger: &Map<String, Value>, field: &str) -> Option<T> {
    trigger.get(field)?.as_str()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use frontdesk_web::{FieldPath, Input};
    use serde_json::json;

    const ID: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

    /// The paths of all problems of a trigger.
    fn wrong(fields: Value) -> Vec<String> {
        let mut body = json!({ "assistant_id": ID, "name": "Trigger", "goal": "Do it." });
        body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let mut problems = Problems::new();
        let read = NewTrigger::read(Some(&body), &mut FieldPath::root(), &mut problems);
        assert_eq!(read.is_none(), !problems.is_empty());
        problems.iter().map(|(path, _)| path.to_owned()).collect()
    }

    #[test]
    fn every_kind_has_its_fields() {
        let none: [&str; 0] = [];
        for whole in [
            json!({ "kind": "recurring", "period": "daily", "send_time": "09:00" }),
            json!({ "kind": "recurring", "period": "weekly", "send_time": "09:00", "day_of_week": 0 }),
            json!({ "kind": "recurring", "period": "monthly", "send_time": "09:00", "day_of_month": 31, "run_at": null }),
            json!({ "kind": "once", "run_at": "2026-06-01T09:00:00Z", "audience_type": "segment", "segment_id": ID }),
            json!({ "kind": "event", "event_key": "contact.created", "audience_type": "none" }),
            json!({ "kind": "webhook", "contact_id": null }),
        ] {
            assert_eq!(wrong(whole.clone()), none, "{whole}");
        }
        assert_eq!(wrong(json!({ "kind": "recurring" })), ["period", "send_time"]);
        assert_eq!(
            wrong(json!({ "kind": "recurring", "period": "weekly", "send_time": "09:00" })),
            ["day_of_week"]
        );
        assert_eq!(
            wrong(json!({ "kind": "recurring", "period": "monthly", "send_time": "09:00" })),
            ["day_of_month"]
        );
        assert_eq!(wrong(json!({ "kind": "once" })), ["run_at"]);
        assert_eq!(wrong(json!({ "kind": "event" })), ["event_key"]);
    }

    #[test]
    fn fields_of_another_kind_or_period_are_refused() {
        let all = json!({
            "period": "weekly", "send_time": "09:00", "day_of_week": 1, "day_of_month": 1,
            "run_at": "2026-06-01T09:00:00Z", "event_key": "contact.created",
        });
        let with = |kind: &str| {
            let mut fields = all.clone();
            fields["kind"] = json!(kind);
            wrong(fields)
        };
        assert_eq!(with("recurring"), ["day_of_month", "run_at", "event_key"]);
        assert_eq!(with("once"), ["period", "send_time", "day_of_week", "day_of_month", "event_key"]);
        assert_eq!(with("event"), ["period", "send_time", "day_of_week", "day_of_month", "run_at"]);
        assert_eq!(with("webhook"), WHEN);
        let daily = json!({ "kind": "recurring", "period": "daily", "send_time": "09:00", "day_of_week": 1, "day_of_month": 1 });
        assert_eq!(wrong(daily), ["day_of_week", "day_of_month"]);
    }

    #[test]
    fn an_audience_has_its_id_and_no_other() {
        let with = |audience: Value| {
            let mut fields = json!({ "kind": "once", "run_at": "2026-06-01T09:00:00Z" });
            fields.as_object_mut().unwrap().extend(audience.as_object().unwrap().clone());
            wrong(fields)
        };
        assert_eq!(with(json!({ "audience_type": "contact" })), ["contact_id"]);
        assert_eq!(
            with(json!({ "audience_type": "segment", "contact_id": ID })),
            ["contact_id", "segment_id"]
        );
        assert_eq!(with(json!({ "contact_id": ID, "segment_id": ID })), ["contact_id", "segment_id"]);
        let event = json!({ "kind": "event", "event_key": "contact.created", "audience_type": "contact", "contact_id": ID });
        assert_eq!(wrong(event), ["audience_type"]);
    }

    #[test]
    fn what_does_not_fit_is_told_along_with_what_cannot_be_read() {
        let fields = json!({
            "kind": "recurring", "period": "monthly", "send_time": "9 o'clock", "day_of_week": 7, "max_targets": 501,
            "event_key": "contact.deleted", "name": " ", "goal": null,
        });
        let mut found = wrong(fields);
        found.sort_unstable();
        found.dedup();
        assert_eq!(
            found,
            ["day_of_month", "day_of_week", "event_key", "goal", "max_targets", "name", "send_time"]
        );
        assert_eq!(wrong(json!({ "kind": "yearly", "run_at": "soon" })), ["kind", "run_at"]);
    }
}
