//! The inquiry and its inputs.

use std::collections::BTreeMap;
use std::str::FromStr;

use frontdesk_db as db;
use frontdesk_kernel::{Country, Email, Id, Phone, Text, Timestamp};
use frontdesk_platform::Error as PlatformError;
use frontdesk_web::{Entries, Failure, Given, Problems, choice, input, resource, text_input};
use serde_json::{Map, Value, json};

use crate::contacts::{ContactError, ContactId};

const MESSAGE_CHARS_MAX: usize = 10_000;
/// Maximum number of further fields, and the lengths of their names and values.
const FIELDS_MAX: usize = 50;
const FIELD_NAME_CHARS_MAX: usize = 100;
const FIELD_CHARS_MAX: usize = 2_000;
const URL_CHARS_MAX: usize = 2_048;

pub type InquiryId = Id<Inquiry>;
type FieldTexts = Entries<Option<Text<FIELD_CHARS_MAX>>, FIELDS_MAX>;

choice! {
    /// The status of an inquiry.
    pub enum InquiryStatus {
        New => "new",
        InProgress => "in_progress",
        Resolved => "resolved",
        Spam => "spam",
    }
}

frontdesk_db::text_column!(InquiryStatus);

resource! {
    /// A submission of a website's form or of the API.
    pub struct Inquiry {
        pub id: InquiryId,
        /// The name of the form.
        pub form: Option<String>,
        pub name: Option<String>,
        pub email: Option<String>,
        /// E.164.
        pub phone: Option<Phone>,
        pub message: Option<String>,
        /// Further fields.
        pub fields: BTreeMap<String, String>,
        /// The page it was sent from.
        pub source_url: Option<String>,
        /// The inquiry's contact; null if it has no name, phone or email, or if the contact limit was
        /// reached.
        pub contact_id: Option<ContactId>,
        pub status: InquiryStatus,
        pub created_at: Timestamp,
        pub updated_at: Timestamp,
    }
}

input! {
    /// A new inquiry. At least one of name, email, phone or message is required.
    pub struct NewInquiry {
        /// The name of the form.
        pub form: Option<Text<200>>,
        pub name: Option<Text<200>>,
        pub email: Option<Email>,
        /// With its country code; spaces, dashes and brackets are ignored. With `country` also as it is dialled there.
        pub phone: Option<Phone>,
        /// The country of a number without a country code, such as `DE`. With it, a number that cannot exist is refused.
        pub country: Option<Country>,
        pub message: Option<Text<MESSAGE_CHARS_MAX>>,
        /// Further fields, by name.
        pub fields: Option<FieldTexts>,
        /// The page it was sent from.
        pub source_url: Option<PageUrl>,
    }
    shape = says_something;
}

input! {
    /// Changes of an inquiry.
    pub struct InquiryPatch {
        pub status: Given<InquiryStatus>,
    }
}

fn says_something(new: &Map<String, Value>, problems: &mut Problems) {
    if ["name", "email", "phone", "message"].into_iter().all(|field| input::is_blank(new, field)) {
        problems.add("", "must have at least one of name, email, phone or message");
    }
    let fields = new.get("fields").and_then(Value::as_object).into_iter().flatten();
    if fields.into_iter().any(|(name, _)| name.is_empty() || name.chars().count() > FIELD_NAME_CHARS_MAX) {
        problems.add("fields", format!("must have names of 1 to {FIELD_NAME_CHARS_MAX} characters"));
    }
}

/// The address of a page: an http or https URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageUrl(String);

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be the URL of a page, such as https://example.com/contact")]
pub struct NotAPageUrl;

impl PageUrl {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether both pages are on one site.
    pub fn is_beside(&self, other: &Self) -> bool {
        let site = |url: &Self| {
            let uri: http::Uri = url.0.parse().ok()?;
            Some((uri.scheme_str()?.to_owned(), uri.authority()?.as_str().to_lowercase()))
        };
        site(self).is_some_and(|ours| site(other) == Some(ours))
    }
}

impl FromStr for PageUrl {
    type Err = NotAPageUrl;

    fn from_str(text: &str) -> Result<Self, NotAPageUrl> {
        let text = text.trim();
        // A fragment is part of a page's address but not of a request, so it is left out of the check.
        let uri: http::Uri = text.split('#').next().unwrap_or_default().parse().map_err(|_| NotAPageUrl)?;
        let web = matches!(uri.scheme_str(), Some("http" | "https"));
        let authority = uri.authority().ok_or(NotAPageUrl)?;
        let plain = !authority.as_str().contains('@') && text.chars().all(|c| c.is_ascii_graphic());
        if web && plain && text.len() <= URL_CHARS_MAX { Ok(Self(text.to_owned())) } else { Err(NotAPageUrl) }
    }
}

text_input!(PageUrl, |_| json!({
    "type": "string", "format": "uri", "maxLength": URL_CHARS_MAX, "pattern": "^https?://", "examples": ["https://example.com/contact"],
}));

#[derive(Debug, thiserror::Error)]
pub enum InquiryError {
    #[error(transparent)]
    Platform(#[from] PlatformError),
    #[error(transparent)]
    Contact(#[from] ContactError),
}

impl From<db::Error> for InquiryError {
    fn from(error: db::Error) -> Self {
        Self::Platform(error.into())
    }
}

impl From<InquiryError> for Failure {
    fn from(error: InquiryError) -> Self {
        match error {
            InquiryError::Platform(error) => error.into(),
            InquiryError::Contact(error) => error.into(),
        }
    }
}

pub(crate) const MISSING: PlatformError = PlatformError::Missing("inquiry");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_on_the_web() {
        for right in
            ["https://example.com/contact?x=1#form", "http://127.0.0.1:3000", "https://example.com/%C3%A4"]
        {
            assert!(right.parse::<PageUrl>().is_ok(), "{right}");
        }
        for wrong in [
            "",
            "/contact",
            "example.com",
            "javascript:alert(1)",
            "https://",
            "https://u:p@example.com",
            "https://a b",
        ] {
            assert_eq!(wrong.parse::<PageUrl>(), Err(NotAPageUrl), "{wrong}");
        }
    }

    #[test]
    fn pages_of_one_site_are_recognised() {
        let page = |text: &str| text.parse::<PageUrl>().unwrap();
        let thanks = page("https://example.com/thanks");
        assert!(thanks.is_beside(&page("https://EXAMPLE.com/other?x#y")));
        for elsewhere in
            ["http://example.com/", "https://example.com:8443/", "https://example.com.evil.test/"]
        {
            assert!(!thanks.is_beside(&page(elsewhere)), "{elsewhere}");
        }
    }
}
