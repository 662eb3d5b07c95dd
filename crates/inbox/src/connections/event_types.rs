//! The event types of connections, which the API calls channels.

use frontdesk_platform::event_types;
use frontdesk_web::example::{self, Example};
use frontdesk_web::resource;

use super::{Channel, Connection, ConnectionStatus};

const EXPIRED: &str = "The access token has expired (code 190)";

resource! {
    /// The `data` of an event about a connected channel.
    pub struct ChannelEventData<'e> {
        pub channel: &'e Connection,
    }
}

resource! {
    /// The `data` of an event about a disconnected channel.
    pub struct ChannelDisconnectedEventData<'e> {
        pub channel: &'e Connection,
        /// Why it was disconnected.
        pub reason: &'e str,
    }
}

event_types! {
    pub CONNECTED: ChannelEventData<'static> = "channel.connected",
        "A channel was connected, for the first time or again.",
        ChannelEventData { channel: &Connection::example() };
    pub DISCONNECTED: ChannelDisconnectedEventData<'static> = "channel.disconnected",
        "A channel was disconnected: nothing is sent over it until it is connected again; `reason` says why.",
        ChannelDisconnectedEventData {
            channel: &Connection {
                status: ConnectionStatus::Disconnected,
                disconnected_reason: Some(EXPIRED.into()),
                ..Connection::example()
            },
            reason: EXPIRED,
        };
}

impl Example for Connection {
    fn example() -> Self {
        Self {
            id: example::id(),
            channel: Channel::Whatsapp,
            name: "whatsapp +14155550100".into(),
            address: Some("+14155550100".into()),
            status: ConnectionStatus::Connected,
            disconnected_reason: None,
            created_at: example::MOMENT,
        }
    }
}
