//! The trigger, and its errors.

use frontdesk_agent::ids::TriggerId;
use frontdesk_agent::runs::{Run, RunError};
use frontdesk_crm::contacts::ContactId;
use frontdesk_crm::quota::TooMany;
use frontdesk_crm::segments::SegmentId;
use frontdesk_crm::{bookings, contacts, deals};
use frontdesk_db as db;
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AssistantId;
use frontdesk_platform::Error as PlatformError;
use frontdesk_web::example::{self, Example};
use frontdesk_web::{Components, Describe, Failure, Problems, choice, filters, resource, text_input};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use crate::schedule::TimeOfDay;

choice! {
    /// The kind of trigger: a schedule, a point in time, an event of the account, or a call from another
    /// system.
    pub enum TriggerKind {
        Recurring => "recurring",
        Once => "once",
        Event => "event",
        Webhook => "webhook",
    }
}

choice! {
    /// How often a recurring trigger fires.
    pub enum TriggerPeriod {
        Daily => "daily",
        Weekly => "weekly",
        Monthly => "monthly",
    }
}

choice! {
    /// The event that fires an event trigger.
    pub enum TriggerEvent {
        ContactCreated => "contact.created",
        DealStageChanged => "deal.stage_changed",
        BookingCompleted => "booking.completed",
    }
}

choice! {
    /// The audience of a firing: none, one contact, or the contacts of a segment.
    pub enum AudienceType {
        None => "none",
        Contact => "contact",
        Segment => "segment",
    }
}

frontdesk_db::text_column!(TriggerKind, TriggerPeriod, TriggerEvent, AudienceType);

impl TriggerEvent {
    /// The key of an event's type, if events of that type fire triggers.
    pub(crate) fn of(event_type: &str) -> Option<Self> {
        let known = [
            (contacts::event_types::CREATED.name(), Self::ContactCreated),
            (deals::event_types::STAGE_CHANGED.name(), Self::DealStageChanged),
            (bookings::event_types::COMPLETED.name(), Self::BookingCompleted),
        ];
        known.into_iter().find_map(|(name, key)| (name == event_type).then_some(key))
    }
}

impl Serialize for TimeOfDay {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Describe for TimeOfDay {
    fn schema(_: &mut Components) -> Value {
        json!({ "type": "string", "pattern": Self::PATTERN, "examples": ["09:00"] })
    }
}

text_input!(TimeOfDay, <TimeOfDay as Describe>::schema);

resource! {
    /// A trigger starts an assistant's runs automatically.
    pub struct Trigger {
        pub id: TriggerId,
        /// The assistant it fires.
        pub assistant_id: AssistantId,
        pub name: String,
        /// A disabled trigger does not fire.
        pub enabled: bool,
        pub kind: TriggerKind,
        /// The goal of the runs.
        pub goal: String,
        /// Recurring triggers only.
        pub period: Option<TriggerPeriod>,
        /// Recurring triggers only: the time of day, in the account's timezone.
        pub send_time: Option<TimeOfDay>,
        /// Weekly triggers only: 0 is Sunday.
        pub day_of_week: Option<i64>,
        /// Monthly triggers only: 1 to 31. In a shorter month it is the last day.
        pub day_of_month: Option<i64>,
        /// One-off triggers only.
        pub run_at: Option<Timestamp>,
        /// Event triggers only.
        pub event_key: Option<TriggerEvent>,
        pub audience_type: AudienceType,
        /// The contact, when the audience is one.
        pub contact_id: Option<ContactId>,
        /// The segment, when the audience is one.
        pub segment_id: Option<SegmentId>,
        /// The most runs that one firing starts.
        pub max_targets: i64,
        /// Whether a firing outside the account's sending hours waits until they begin.
        pub respect_quiet_hours: bool,
        pub last_fired_at: Option<Timestamp>,
        /// Why the last firing started no run, as a code: `contact_missing` or `segment_missing` (it was deleted; choose
        /// another), `segment_empty`, `assistant_disabled`, `ai_budget_exhausted`, `over_operator_limit` (the operator does
        /// not allow the assistant's model), `account_suspended`, `no_sending_hours` (they never open). `events_waiting`
        /// means that more events came than runs may work at a time. Null when the last firing started its runs.
        pub last_error: Option<String>,
        pub created_at: Timestamp,
        pub updated_at: Timestamp,
    }
}

resource! {
    /// A trigger and its address, which is shown once.
    pub struct IssuedTrigger {
        pub trigger: Trigger,
        /// The address that fires a webhook trigger. Null for other kinds. It is shown once.
        pub webhook_url: Option<String>,
    }
}

resource! {
    /// A webhook trigger and its new address.
    pub struct RotatedTrigger {
        pub trigger: Trigger,
        /// The address that fires the trigger. It is shown once.
        pub webhook_url: String,
    }
}

resource! {
    /// The runs of a manual firing.
    pub struct FiredTrigger {
        pub trigger: Trigger,
        pub runs: Vec<Run>,
    }
}

filters! {
    /// Which triggers to list.
    pub struct TriggerFilters {
        pub assistant_id: Option<AssistantId>,
        pub kind: Option<TriggerKind>,
        pub enabled: Option<bool>,
    }
}

#[derive(Debug, thiserror::Error)]
pub enum TriggerError {
    #[error(transparent)]
    Platform(#[from] PlatformError),
    #[error("the trigger's fields do not fit together")]
    Invalid(Problems),
    #[error(transparent)]
    TooMany(#[from] TooMany),
    #[error("the trigger is no webhook trigger")]
    NotAWebhook,
    #[error(transparent)]
    Refused(#[from] RunError),
    #[error("the trigger was changed in between")]
    Changed,
}

impl From<db::Error> for TriggerError {
    fn from(error: db::Error) -> Self {
        Self::Platform(error.into())
    }
}

impl From<TriggerError> for Failure {
    fn from(error: TriggerError) -> Self {
        match error {
            TriggerError::Platform(error) => error.into(),
            TriggerError::Invalid(problems) => Self::validation(problems),
            TriggerError::TooMany(error) => error.into(),
            TriggerError::NotAWebhook => Self::unprocessable(
                "not_a_webhook_trigger",
                "Only a trigger of the kind webhook has an address. Use one of that kind.",
            ),
            TriggerError::Refused(error) => error.into(),
            TriggerError::Changed => {
                Self::conflict("This trigger was changed at the same time. Send the request again.")
            }
        }
    }
}

pub(crate) const MISSING: PlatformError = PlatformError::Missing("trigger");

impl Example for Trigger {
    fn example() -> Self {
        Self {
            id: example::id(),
            assistant_id: example::id(),
            name: "Monday follow-up".into(),
            enabled: true,
            kind: TriggerKind::Recurring,
            goal: "Ask whether the offer raised any questions.".into(),
            period: Some(TriggerPeriod::Weekly),
            send_time: "09:00".parse().ok(),
            day_of_week: Some(1),
            day_of_month: None,
            run_at: None,
            event_key: None,
            audience_type: AudienceType::Segment,
            contact_id: None,
            segment_id: Some(example::id()),
            max_targets: 50,
            respect_quiet_hours: true,
            last_fired_at: Some(example::MOMENT),
            last_error: None,
            created_at: example::MOMENT,
            updated_at: example::MOMENT,
        }
    }
}
