//! The request bodies of definitions.

use frontdesk_agent::assistants::{BOUND_MAX, ConfinedToolNames, NewAssistant};
use frontdesk_agent::ids::TriggerId;
use frontdesk_agent::instructions::{BODY_CHARS_MAX, InstructionId, NewInstruction, TITLE_CHARS_MAX};
use frontdesk_agent::runs::limits::GOAL_CHARS_MAX;
use frontdesk_crm::contacts::ContactId;
use frontdesk_crm::segments::SegmentId;
use frontdesk_kernel::ids::AssistantId;
use frontdesk_kernel::{Text, Timestamp};
use frontdesk_web::{Items, Within, input};

use crate::input::{NAME_CHARS_MAX, NewTrigger, TARGETS_MAX, fits};
use crate::schedule::TimeOfDay;
use crate::trigger::{AudienceType, TriggerEvent, TriggerKind, TriggerPeriod};

/// Maximum triggers of one definition: as many as an account may have.
pub(super) const DEFINED_TRIGGERS_MAX: usize = 1_000;
const REVISION_CHARS_MAX: usize = 100;

input! {
    /// Everything that an assistant is. What is left out gets its default.
    pub struct NewDefinition {
        pub assistant: NewAssistant,
        /// Tools that reach the whole account also in a confined run. None when left out.
        pub unconfined_tools: Option<ConfinedToolNames>,
        /// In order.
        pub instructions: Option<Items<DefinedInstruction, BOUND_MAX>>,
        pub triggers: Option<Items<DefinedTrigger, DEFINED_TRIGGERS_MAX>>,
    }
}

input! {
    /// A definition that replaces another one.
    pub struct DefinitionChange {
        /// The revision that is replaced. If the assistant has another one by now, nothing is changed. When left out, the
        /// definition is replaced whatever it is.
        pub expected_revision: Option<Text<REVISION_CHARS_MAX>>,
        pub definition: NewDefinition,
    }
}

input! {
    /// An instruction of a definition.
    pub struct DefinedInstruction {
        /// The instruction of the library that gets this text. Without an id, one with the same text is used if there is one,
        /// and otherwise a new one.
        pub id: Option<InstructionId>,
        pub title: Text<TITLE_CHARS_MAX>,
        pub body: Text<BODY_CHARS_MAX>,
    }
}

impl DefinedInstruction {
    pub(super) fn text(&self) -> NewInstruction {
        NewInstruction { title: self.title.clone(), body: self.body.clone() }
    }
}

input! {
    /// A trigger of a definition. Its fields are those of a trigger.
    pub struct DefinedTrigger {
        /// The trigger of this assistant that is changed. Without an id, it is a new one.
        pub id: Option<TriggerId>,
        pub name: Text<NAME_CHARS_MAX>,
        pub kind: TriggerKind,
        /// The goal of the runs.
        pub goal: Text<GOAL_CHARS_MAX>,
        /// Defaults to false.
        pub enabled: Option<bool>,
        pub period: Option<TriggerPeriod>,
        /// In the account's timezone.
        pub send_time: Option<TimeOfDay>,
        /// 0 is Sunday.
        pub day_of_week: Option<Within<0, 6>>,
        /// In a shorter month it is the last day.
        pub day_of_month: Option<Within<1, 31>>,
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
        pub max_targets: Option<Within<1, TARGETS_MAX>>,
        /// Defaults to false.
        pub respect_quiet_hours: Option<bool>,
    }
    shape = fits;
}

impl DefinedTrigger {
    /// The same as a trigger of an assistant.
    pub(super) fn of_assistant(&self, assistant_id: AssistantId) -> NewTrigger {
        let Self { name, kind, goal, enabled, period, send_time, day_of_week, day_of_month, run_at, .. } =
            self.clone();
        let Self {
            event_key, audience_type, contact_id, segment_id, max_targets, respect_quiet_hours, ..
        } = self.clone();
        NewTrigger {
            assistant_id,
            name,
            kind,
            goal,
            enabled,
            period,
            send_time,
            day_of_week,
            day_of_month,
            run_at,
            event_key,
            audience_type,
            contact_id,
            segment_id,
            max_targets,
            respect_quiet_hours,
        }
    }
}
