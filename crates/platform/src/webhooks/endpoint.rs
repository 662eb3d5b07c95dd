//! A webhook endpoint, and what may be said about one.

use std::str::FromStr;

use frontdesk_db as db;
use frontdesk_kernel::{Id, Patch, Text, Timestamp};
use frontdesk_web::{At, Components, Failure, Given, Input, Items, Problems, input, resource};
use serde_json::{Value, json};

use super::url::HookUrl;
use crate::Error;
use crate::events::TYPES;

const PATTERNS_MAX: usize = 100;

pub type EndpointId = Id<WebhookEndpoint>;
pub type Patterns = Items<Pattern, PATTERNS_MAX>;

resource! {
    /// Where events are delivered.
    pub struct WebhookEndpoint {
        pub id: EndpointId,
        pub url: String,
        pub description: Option<String>,
        /// Types, or groups such as `contact.*`; empty means all.
        pub event_types: Vec<String>,
        pub enabled: bool,
        /// Why it is switched off, when the service did it.
        pub disabled_reason: Option<String>,
        /// The signing secret; only when it was just made.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub secret: Option<String>,
        pub created_at: Timestamp,
        pub updated_at: Timestamp,
    }
}

input! {
    /// An endpoint to be made.
    pub struct NewWebhook {
        /// Must be https, on the public internet.
        pub url: HookUrl,
        pub description: Option<Text<500>>,
        /// Types such as `contact.created`, or groups such as `contact.*`; all when left out.
        pub event_types: Option<Patterns>,
        /// True when left out.
        pub enabled: Option<bool>,
    }
}

input! {
    /// What to change of an endpoint.
    pub struct WebhookPatch {
        pub url: Given<HookUrl>,
        pub description: Patch<Text<500>>,
        /// Replaces the list; null or an empty list means all.
        pub event_types: Patch<Patterns>,
        /// Switching it on again clears the reason and its count of failures.
        pub enabled: Given<bool>,
    }
}

/// An event type, a group of them such as `contact.*`, or `*`.
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
        let known = match text.strip_suffix(".*") {
            Some(group) => {
                TYPES.iter().any(|event| event.name().split_once('.').is_some_and(|(noun, _)| noun == group))
            }
            None => text == "*" || TYPES.iter().any(|event| event.name() == text),
        };
        if known { Ok(Self(text.to_owned())) } else { Err(NotAPattern) }
    }
}

impl Input for Pattern {
    fn schema(_: &mut Components) -> Value {
        let mut known = vec!["*".to_owned()];
        for name in TYPES.iter().map(|event| event.name()) {
            let group = name.split_once('.').map(|(noun, _)| format!("{noun}.*"));
            known.extend(group.filter(|group| !known.contains(group)));
            known.push(name.to_owned());
        }
        json!({ "type": "string", "enum": known, "description": "An event type, a group such as `contact.*`, or `*`." })
    }

    fn read(value: Option<&Value>, at: &mut At, problems: &mut Problems) -> Option<Self> {
        input::parsed(value, at, problems)
    }
}

/// The patterns as text to look in; empty for all.
pub(super) fn filter_of(patterns: &[String]) -> String {
    if patterns.is_empty() || patterns.iter().any(|pattern| pattern == "*") {
        String::new()
    } else {
        format!(",{},", patterns.join(","))
    }
}

/// Whether a filter lets a type through.
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
            ),
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

    #[test]
    fn filters_let_types_and_groups_through() {
        let filter = filter_of(&["contact.created".to_owned(), "note.*".to_owned()]);
        assert!(lets_through(&filter, "contact.created") && lets_through(&filter, "note.created"));
        assert!(!lets_through(&filter, "contact.updated") && !lets_through(&filter, "contact.create"));
        assert!(lets_through(&filter_of(&[]), "anything.at_all"));
        assert!(lets_through(&filter_of(&["*".to_owned(), "note.*".to_owned()]), "contact.updated"));
    }

    #[test]
    fn patterns_name_what_exists() {
        for right in ["contact.created", "contact.*", "*", " note.created "] {
            assert!(right.parse::<Pattern>().is_ok(), "{right}");
        }
        for wrong in ["", "contact", "contact.", "contact.gone", "nobody.*", "**", ".*", "contact.*,x"] {
            assert!(wrong.parse::<Pattern>().is_err(), "{wrong}");
        }
    }
}
