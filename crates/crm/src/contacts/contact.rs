//! The contact and its inputs.

use std::sync::Arc;

use frontdesk_db as db;
use frontdesk_kernel::{Country, Email, Id, Patch, Phone, Text, Timestamp};
use frontdesk_platform::Error as PlatformError;
use frontdesk_web::{Entries, Failure, Items, Problems, input, resource};
use serde_json::{Map, Value, json};

use crate::custom_fields::{FieldId, FieldValue};
use crate::tags::TagId;

/// Maximum tags and fields of one request.
const TAGS_MAX: usize = 100;
pub(crate) const FIELDS_MAX: usize = 200;

pub type ContactId = Id<Contact>;
pub type TagIds = Items<TagId, TAGS_MAX>;
/// Values by the id of their field; null clears.
pub type FieldValues = Entries<Option<FieldValue>, FIELDS_MAX>;

resource! {
    /// A person the business talks to.
    pub struct Contact {
        pub id: ContactId,
        /// Display name.
        pub name: Option<String>,
        /// E.164; null for a contact reached only on Messenger, Instagram or web chat.
        pub phone: Option<Phone>,
        /// Email address, when known.
        pub email: Option<String>,
        /// Organisation.
        pub company: Option<String>,
        /// Profile picture URL, when a channel supplied one.
        pub avatar_url: Option<String>,
        pub tags: Vec<ContactTag>,
        /// Every custom field of the account, with a null value where it is unset.
        pub custom_fields: Vec<ContactField>,
        pub created_at: Timestamp,
        pub updated_at: Timestamp,
    }
}

impl Contact {
    /// The text that `q` searches.
    pub(super) fn search_text(&self) -> String {
        let phone = self.phone.as_ref().map(Phone::as_str);
        frontdesk_search::text([self.name.as_deref(), phone, self.email.as_deref(), self.company.as_deref()])
    }

    /// The contact in events after it is erased: only its id and timestamps.
    pub(super) fn erased(&self) -> Self {
        Self {
            id: self.id,
            name: None,
            phone: None,
            email: None,
            company: None,
            avatar_url: None,
            tags: Vec::new(),
            custom_fields: Vec::new(),
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }
}

resource! {
    /// A tag of a contact.
    pub struct ContactTag {
        pub id: TagId,
        pub name: String,
        pub color: String,
    }
}

impl ContactTag {
    /// Sorts tags as a contact shows them.
    pub(super) fn sort(tags: &mut [Self]) {
        tags.sort_by(|one, other| one.name.cmp(&other.name));
    }
}

resource! {
    /// A contact's value of a custom field.
    pub struct ContactField {
        pub field_id: FieldId,
        pub name: Arc<str>,
        pub value: Option<String>,
    }
}

input! {
    /// A new contact. At least one of phone, name or email is required.
    pub struct NewContact {
        /// With its country code; spaces, dashes and brackets are ignored. With `country` also as it is dialled there.
        pub phone: Option<Phone>,
        /// The country of a number without a country code, such as `DE`. With it, a number that cannot exist is refused.
        pub country: Option<Country>,
        pub name: Option<Text<200>>,
        pub email: Option<Email>,
        pub company: Option<Text<200>>,
        /// Tags of this account.
        pub tag_ids: Option<TagIds>,
        /// Values keyed by custom-field id.
        pub custom_fields: Option<FieldValues>,
    }
    shape = has_identity;
}

input! {
    /// Changes of a contact. Null clears a field.
    pub struct ContactPatch {
        /// With its country code. With `country` also as it is dialled there.
        pub phone: Patch<Phone>,
        /// The country of a number without a country code, such as `DE`. With it, a number that cannot exist is refused.
        pub country: Option<Country>,
        pub name: Patch<Text<200>>,
        pub email: Patch<Email>,
        pub company: Patch<Text<200>>,
        /// Replaces the contact's tags.
        pub tag_ids: Patch<TagIds>,
        /// Merged by key; null clears a value.
        pub custom_fields: Option<FieldValues>,
    }
}

input! {
    /// The contact to merge into this one.
    pub struct MergeContact {
        /// The other contact, which is deleted.
        pub contact_id: ContactId,
    }
}

fn has_identity(new: &Map<String, Value>, problems: &mut Problems) {
    if ["phone", "name", "email"].into_iter().all(|field| input::is_blank(new, field)) {
        problems.add("", "must have at least one of phone, name or email");
    }
}

#[derive(Debug, thiserror::Error)]
pub enum ContactError {
    #[error(transparent)]
    Platform(#[from] PlatformError),
    #[error("the phone number belongs to contact {existing}")]
    PhoneTaken { existing: ContactId },
    #[error("the account may have at most {limit} contacts")]
    LimitReached { limit: i64 },
    #[error("some values are not acceptable")]
    Invalid(Problems),
    #[error("the contact does not carry that tag")]
    NotTagged,
    #[error("a contact cannot be merged into itself")]
    SameContact,
}

impl From<db::Error> for ContactError {
    fn from(error: db::Error) -> Self {
        Self::Platform(error.into())
    }
}

impl From<ContactError> for Failure {
    fn from(error: ContactError) -> Self {
        match error {
            ContactError::Platform(error) => error.into(),
            ContactError::PhoneTaken { existing } => {
                let told = "This phone number already belongs to a contact of this account. Update that contact instead.";
                let detail = json!({ "path": "phone", "message": "already belongs to a contact", "contact_id": existing });
                Self::conflict(told).detail(detail)
            }
            ContactError::LimitReached { limit } => Self::plan_limit("contacts", limit),
            ContactError::Invalid(problems) => Self::validation(problems),
            ContactError::SameContact => Self::unprocessable(
                "same_contact",
                "A contact cannot be merged into itself. Name the other contact in `contact_id`.",
            ),
            ContactError::NotTagged => Self::not_found("The contact does not carry this tag."),
        }
    }
}

pub(super) const MISSING: PlatformError = PlatformError::Missing("contact");
