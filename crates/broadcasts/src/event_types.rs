//! The events about broadcasts.

use frontdesk_inbox::messages::StatusError;
use frontdesk_platform::event_types;
use frontdesk_web::example::Example;
use frontdesk_web::resource;

use crate::broadcast::{Broadcast, BroadcastCounts};
use crate::status::BroadcastStatus;

resource! {
    /// The `data` of events about a broadcast.
    pub struct BroadcastEventData<'e> {
        pub broadcast: &'e Broadcast,
        /// The reason of `error`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub reason: Option<String>,
        /// Why the service ended it before all messages were sent, if it did.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub error: Option<StatusError>,
    }
}

impl<'e> BroadcastEventData<'e> {
    pub(crate) fn new(broadcast: &'e Broadcast, error: Option<StatusError>) -> Self {
        Self { broadcast, reason: error.as_ref().map(|error| error.reason.clone()), error }
    }
}

event_types! {
    pub STARTED: BroadcastEventData<'static> = "broadcast.started",
        "A broadcast has started, or some of its recipients are retried.",
        BroadcastEventData::new(
            &Broadcast {
                status: BroadcastStatus::Sending,
                counts: BroadcastCounts { total: 120, ..BroadcastCounts::default() },
                ..Broadcast::example()
            },
            None,
        );
    pub COMPLETED: BroadcastEventData<'static> = "broadcast.completed",
        "The channel has accepted the last recipient's message; `error` gives the reason if the broadcast ended early.",
        BroadcastEventData::new(&Broadcast::example(), None);
    pub FAILED: BroadcastEventData<'static> = "broadcast.failed",
        "No message of a broadcast could be sent; `error` gives the reason if it was stopped.",
        BroadcastEventData::new(
            &Broadcast {
                status: BroadcastStatus::Failed,
                counts: BroadcastCounts { total: 120, ..BroadcastCounts::default() },
                ..Broadcast::example()
            },
            Some(StatusError {
                code: "template_withdrawn".into(),
                reason: "template_withdrawn".into(),
                message: "The template is PAUSED; only an APPROVED one can be sent.".into(),
            }),
        );
    pub CANCELLED: BroadcastEventData<'static> = "broadcast.cancelled",
        "A broadcast was cancelled.",
        BroadcastEventData::new(
            &Broadcast { status: BroadcastStatus::Draft, scheduled_at: None, ..Broadcast::example() },
            None,
        );
}
