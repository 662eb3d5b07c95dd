//! The events about broadcasts.

use frontdesk_inbox::messages::StatusError;
use frontdesk_platform::event_types;
use frontdesk_web::example::Example;
use frontdesk_web::resource;

use crate::broadcast::{Broadcast, BroadcastCounts};
use crate::status::BroadcastStatus;

resource! {
    /// What events about a broadcast carry.
    pub struct BroadcastEventData<'e> {
        pub broadcast: &'e Broadcast,
        /// Why it ended before all recipients were reached, if it did so by itself.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub error: Option<StatusError>,
    }
}

event_types! {
    pub STARTED: BroadcastEventData<'static> = "broadcast.started",
        "A broadcast began to be sent, or some of its recipients are tried again.",
        BroadcastEventData {
            broadcast: &Broadcast {
                status: BroadcastStatus::Sending,
                counts: BroadcastCounts { total: 120, ..BroadcastCounts::default() },
                ..Broadcast::example()
            },
            error: None,
        };
    pub COMPLETED: BroadcastEventData<'static> = "broadcast.completed",
        "The last recipient of a broadcast was handed to the channel; `error` says why, if it ended before.",
        BroadcastEventData { broadcast: &Broadcast::example(), error: None };
    pub FAILED: BroadcastEventData<'static> = "broadcast.failed",
        "Nothing of a broadcast could be handed to the channel; `error` says why, if it was stopped.",
        BroadcastEventData {
            broadcast: &Broadcast {
                status: BroadcastStatus::Failed,
                counts: BroadcastCounts { total: 120, ..BroadcastCounts::default() },
                ..Broadcast::example()
            },
            error: Some(StatusError {
                code: "template_withdrawn".into(),
                reason: "template_withdrawn".into(),
                message: "The template is PAUSED; only an APPROVED one can be sent.".into(),
            }),
        };
    pub CANCELLED: BroadcastEventData<'static> = "broadcast.cancelled",
        "A broadcast was cancelled.",
        BroadcastEventData {
            broadcast: &Broadcast { status: BroadcastStatus::Draft, scheduled_at: None, ..Broadcast::example() },
            error: None,
        };
}
