//! The event types of inquiries.

use frontdesk_platform::event_types;
use frontdesk_web::example::{self, Example};
use frontdesk_web::resource;

use super::inquiry::{Inquiry, InquiryStatus};

resource! {
    /// The `data` of an event about a new inquiry.
    pub struct InquiryEventData<'e> {
        pub inquiry: &'e Inquiry,
    }
}

resource! {
    /// The `data` of an event about an inquiry's status.
    pub struct InquiryStatusEventData<'e> {
        pub inquiry: &'e Inquiry,
        pub previous: PreviousInquiryStatus,
    }
}

resource! {
    /// The inquiry's previous status.
    pub struct PreviousInquiryStatus {
        pub status: InquiryStatus,
    }
}

event_types! {
    pub CREATED: InquiryEventData<'static> = "inquiry.created",
        "An inquiry was submitted through a website's form or the API.",
        InquiryEventData { inquiry: &Inquiry::example() };
    pub STATUS_CHANGED: InquiryStatusEventData<'static> = "inquiry.status_changed",
        "An inquiry's status changed.",
        InquiryStatusEventData {
            inquiry: &Inquiry { status: InquiryStatus::InProgress, ..Inquiry::example() },
            previous: PreviousInquiryStatus { status: InquiryStatus::New },
        };
}

impl Example for Inquiry {
    fn example() -> Self {
        Self {
            id: example::id(),
            form: Some("Contact us".into()),
            name: Some("Ann Lee".into()),
            email: Some("ann@example.com".into()),
            phone: "+14155550123".parse().ok(),
            message: Some("Do you ship to Norway?".into()),
            fields: [("company".to_owned(), "Acme".to_owned())].into(),
            source_url: Some("https://example.com/contact".into()),
            contact_id: Some(example::id()),
            status: InquiryStatus::New,
            created_at: example::MOMENT,
            updated_at: example::MOMENT,
        }
    }
}
