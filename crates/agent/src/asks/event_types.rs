//! The events about asks.

use frontdesk_platform::event_types;
use frontdesk_web::example::{self, Example};
use frontdesk_web::resource;

use super::ask::{Ask, AskStatus};

resource! {
    /// The `data` of events about an ask.
    pub struct AskEventData<'e> {
        pub ask: &'e Ask,
    }
}

event_types! {
    pub CREATED: AskEventData<'static> = "ask.created",
        "An assistant waits for a person to approve or to answer.",
        AskEventData { ask: &Ask::example() };
    pub ANSWERED: AskEventData<'static> = "ask.answered",
        "An ask was approved, declined or answered, has expired, or was cancelled with its run.",
        AskEventData {
            ask: &Ask {
                status: AskStatus::Approved,
                answered_by: Some(example::id()),
                answered_at: Some(example::MOMENT),
                ..Ask::example()
            },
        };
}
