//! The event types of contacts.

use frontdesk_platform::event_types;
use frontdesk_web::example::{self, Example};
use frontdesk_web::resource;

use super::contact::{Contact, ContactField, ContactId, ContactTag};

resource! {
    /// The `data` of events about a contact.
    pub struct ContactEventData<'e> {
        pub contact: &'e Contact,
    }
}

resource! {
    /// The `data` of an event about a merge.
    pub struct ContactMergedEventData<'e> {
        pub contact: &'e Contact,
        pub previous: PreviousContact,
    }
}

resource! {
    /// The contact that was merged into another and deleted.
    pub struct PreviousContact {
        pub contact_id: ContactId,
    }
}

event_types! {
    pub CREATED: ContactEventData<'static> = "contact.created",
        "A contact was created.",
        ContactEventData { contact: &Contact::example() };
    pub UPDATED: ContactEventData<'static> = "contact.updated",
        "A contact, its tags or its custom fields changed.",
        ContactEventData { contact: &Contact::example() };
    pub DELETED: ContactEventData<'static> = "contact.deleted",
        "A contact was permanently erased; `data` has only its id and timestamps.",
        ContactEventData { contact: &Contact::example().erased() };
    pub MERGED: ContactMergedEventData<'static> = "contact.merged",
        "Another contact was merged into this one; `previous` has the id of the deleted contact.",
        ContactMergedEventData {
            contact: &Contact::example(),
            previous: PreviousContact { contact_id: example::other_id() },
        };
    pub OPTED_OUT: ContactEventData<'static> = "contact.opted_out",
        "A contact has opted out of broadcasts.",
        ContactEventData { contact: &Contact::example() };
    pub OPTED_IN: ContactEventData<'static> = "contact.opted_in",
        "A contact has opted in to broadcasts again.",
        ContactEventData { contact: &Contact::example() };
}

impl Example for Contact {
    fn example() -> Self {
        Self {
            id: example::id(),
            name: Some("Ann Lee".into()),
            phone: "+14155550123".parse().ok(),
            email: Some("ann@example.com".into()),
            company: Some("Acme".into()),
            avatar_url: None,
            tags: vec![ContactTag { id: example::id(), name: "vip".into(), color: "#2563eb".into() }],
            custom_fields: vec![ContactField {
                field_id: example::id(),
                name: "Plan".into(),
                value: Some("gold".into()),
            }],
            created_at: example::MOMENT,
            updated_at: example::MOMENT,
        }
    }
}
