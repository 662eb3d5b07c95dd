//! A webhook endpoint, and its inputs.

use std::str::FromStr;

use frontdesk_db as db;
use frontdesk_kernel::{Id, Patch, Text, Timestamp};
use frontdesk_web::{
    Components, Failure, FieldPath, Given, Input, InvalidBody, Items, Problems, input, resource,
};
use serde_json::Value;

use super::url::HookUrl;
use crate::error::Error;
use crate::events::{Catalogue, EVENT_PATTERN};

const PATTERNS_MAX: usize = 100;
/// The field that holds patterns.
const EVENT_TYPES: &str = "event_types";

pub type EndpointId = Id<WebhookEndpoint>;
pub type Patterns = Items<Pattern, PATTERNS_MAX>;

resource! {
    /// A webhook endpoint.
    pub struct WebhookEndpoint {
        pub id: EndpointId,
        pub url: String,
        pub description: Option<String>,
        /// Types, or groups such as `contact.*`; empty means all.
        pub event_types: Vec<String>,
        pub enabled: bool,
        /// Why the service disabled it, if it did.
        pub disabled_reason: Option<String>,
        /// The signing secret; only in the response that creates or rotates it.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub secret: Option<String>,
        pub created_at: Timestamp,
        pub updated_at: Timestamp,
    }
}

input! {
    /// A new endpoint.
    pub struct NewWebhook {
        /// Must be https, on the public internet.
        pub url: HookUrl,
        pub description: Option<Text<500>>,
        /// Types such as `contact.created`, or groups such as `contact.*`; defaults to all.
        pub event_types: Option<Patterns>,
        /// Defaults to true.
        pub enabled: Option<bool>,
    }
}

input! {
    /// Changes of an endpoint.
    pub struct WebhookPatch {
        pub url: Given<HookUrl>,
        pub description: Patch<Text<500>>,
        /// Replaces the list; null or an empty list means all.
        pub event_types: Patch<Patterns>,
        /// Enabling it again clears the reason and the failure count.
        pub enabled: Given<bool>,
    }
}

/// An event type, a group such as `contact.*`, or `*`. The [`Catalogue`] checks that it matches an event
/// type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern(String);

#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error(
    "must be an event type such as contact.created, or a group such as contact.*; GET /event-types lists them"
)]
pub struct NotAPattern;

impl Pattern {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Pattern {
    type Err = NotAPattern;

    fn from_str(text: &str) -> Result<Self, NotAPattern> {
        let text = text.trim();
        if text.is_empty() { Err(NotAPattern) } else { Ok(Self(text.to_owned())) }
    }
}

impl Input for Pattern {
    fn schema(_: &mut Components) -> Value {
        Components::reference(EVENT_PATTERN)
    }

    fn read(value: Option<&Value>, at: &mut FieldPath, problems: &mut Problems) -> Option<Self> {
        input::parsed(value, at, problems)
    }
}

/// The body, unless it is invalid or has patterns that match no event type. All problems are reported at
/// once.
pub(super) fn with_known_patterns<T>(
    catalogue: &Catalogue,
    body: Result<T, InvalidBody>,
    patterns: impl Fn(&T) -> &[Pattern],
) -> Result<T, Failure> {
    let (mut problems, named) = match &body {
        Ok(body) => (Problems::new(), patterns(body).iter().cloned().enumerate().collect()),
        Err(rough) => (rough.problems.clone(), rough.items::<Pattern>(EVENT_TYPES)),
    };
    for (at, _) in named.iter().filter(|(_, pattern)| !catalogue.has_pattern(pattern.as_str())) {
        problems.add(format!("{EVENT_TYPES}.{at}"), NotAPattern.to_string());
    }
    match body {
        Ok(body) if problems.is_empty() => Ok(body),
        _ => Err(Failure::validation(problems.in_order_of(&["url", "description", EVENT_TYPES, "enabled"]))),
    }
}

/// The patterns as one searchable text; empty for all.
pub(super) fn filter_of(patterns: &[String]) -> String {
    if patterns.is_empty() || patterns.iter().any(|pattern| pattern == "*") {
        String::new()
    } else {
        format!(",{},", patterns.join(","))
    }
}

/// Whether a filter accepts an event type.
pub(super) fn lets_through(filter: &str, event_type: &str) -> bool {
    let group = event_type.split_once('.').map_or(event_type, |(noun, _)| noun);
    filter.is_empty()
        || filter.contains(&format!(",{event_type},"))
        || filter.contains(&format!(",{group}.*,"))
}

#[derive(Debug, thiserror::Error)]
pub enum WebhookError {
    #[error(transparent)]
    Platform(#[from] Error),
    #[error("an account may have at most {max} webhook endpoints")]
    TooMany { max: i64 },
    #[error("the endpoint is switched off")]
    Disabled,
    #[error("the delivery is being sent")]
    UnderWay,
}

impl From<db::Error> for WebhookError {
    fn from(error: db::Error) -> Self {
        Self::Platform(error.into())
    }
}

impl From<WebhookError> for Failure {
    fn from(error: WebhookError) -> Self {
        match error {
            WebhookError::Platform(error) => error.into(),
            WebhookError::TooMany { max } => Self::unprocessable(
                "limit_reached",
                format!(
                    "An account may have at most {max} webhook endpoints. Delete one that is not needed."
                ),
            )
            .of_limit("resources"),
            WebhookError::Disabled => Self::conflict(
                "This endpoint is switched off. Switch it on with PATCH { \"enabled\": true } first.",
            ),
            WebhookError::UnderWay => {
                Self::conflict("This delivery is being sent right now. Wait for its outcome, then retry it.")
            }
        }
    }
}

pub(super) const MISSING: Error = Error::Missing("webhook endpoint");
pub(super) const NO_DELIVERY: Error = Error::Missing("delivery");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::EventDeclaration;
    use serde_json::json;

    #[test]
    fn filters_let_types_and_groups_through() {
        let filter = filter_of(&["contact.created".to_owned(), "note.*".to_owned()]);
        assert!(lets_through(&filter, "contact.created") && lets_through(&filter, "note.created"));
        assert!(!lets_through(&filter, "contact.updated") && !lets_through(&filter, "contact.create"));
        assert!(lets_through(&filter_of(&[]), "anything.at_all"));
        assert!(lets_through(&filter_of(&["*".to_owned(), "note.*".to_owned()]), "contact.updated"));
    }

    const fn declared(name: &'static str) -> EventDeclaration {
        EventDeclaration { name, description: "", schema: |_| Value::Null, example: || Value::Null }
    }

    /// The paths of all problems of a body; empty if it is accepted.
    fn wrong_with(body: Value) -> Vec<String> {
        let catalogue = Catalogue::new(["contact.created", "note.created"].map(declared).to_vec());
        let mut problems = Problems::new();
        let read = NewWebhook::read(Some(&body), &mut FieldPath::root(), &mut problems);
        let read = read.ok_or(InvalidBody { problems, value: body });
        let checked = with_known_patterns(&catalogue, read, |new| {
            new.event_types.as_ref().map_or(&[], |patterns| patterns.0.as_slice())
        });
        let Err(failure) = checked else { return Vec::new() };
        let reply = failure.render(&frontdesk_web::RequestId::from_uuid(uuid::Uuid::nil()));
        let body: Value = serde_json::from_slice(&reply.body).unwrap();
        let details = body["error"]["details"].as_array().unwrap();
        details.iter().map(|detail| detail["path"].as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn patterns_name_what_exists() {
        for right in ["contact.created", "contact.*", "*", " note.created "] {
            let body = json!({ "url": "https://example.com", "event_types": [right] });
            assert_eq!(wrong_with(body), [""; 0], "{right}");
        }
        for wrong in ["", "contact", "contact.", "contact.gone", "nobody.*", "**", ".*", "contact.*,x"] {
            let body = json!({ "url": "https://example.com", "event_types": ["*", wrong] });
            assert_eq!(wrong_with(body), ["event_types.1"], "{wrong}");
        }
    }

    #[test]
    fn patterns_that_match_nothing_are_reported_with_the_other_problems() {
        let body = json!({ "url": "hook", "event_types": ["x", 7, "note.*", "y"], "enabled": 3 });
        assert_eq!(wrong_with(body), ["url", "event_types.0", "event_types.1", "event_types.3", "enabled"]);
    }
}
