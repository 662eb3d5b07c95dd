//! The event types of endpoints.

use frontdesk_web::example::{self, Example};
use frontdesk_web::resource;

use super::endpoint::WebhookEndpoint;
use crate::events::event_types;

resource! {
    /// The `data` of a test event.
    pub struct WebhookEventData<'e> {
        pub webhook: &'e WebhookEndpoint,
    }
}

event_types! {
    pub TEST: WebhookEventData<'static> = "webhook.test",
        "Sent to one endpoint as a test.",
        WebhookEventData { webhook: &WebhookEndpoint::example() };
}

impl Example for WebhookEndpoint {
    fn example() -> Self {
        Self {
            id: example::id(),
            url: "https://example.com/hook".into(),
            description: None,
            event_types: vec!["contact.*".into()],
            enabled: true,
            disabled_reason: None,
            secret: None,
            created_at: example::MOMENT,
            updated_at: example::MOMENT,
        }
    }
}
