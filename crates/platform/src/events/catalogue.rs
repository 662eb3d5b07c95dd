//! The catalogue: the event types of every crate.

use std::sync::Arc;

use frontdesk_web::{Components, Describe, Failure, Param, query};
use serde_json::Value;

use super::EventDeclaration;

const NOT_AN_EVENT_TYPE: &str = "must be an event type such as contact.created; GET /event-types lists them";

/// Every event type of this server, built from the crates' declarations.
#[derive(Clone, Debug)]
pub struct Catalogue(Arc<[EventDeclaration]>);

impl Catalogue {
    /// Panics when two event types share a name, which a test of the server's catalogue finds.
    pub fn new(types: Vec<EventDeclaration>) -> Self {
        for (at, declared) in types.iter().enumerate() {
            let name = declared.name;
            let known = types[..at].iter().any(|other| other.name == name);
            assert!(!known, "two event types are called {name}; rename one of them");
        }
        Self(types.into())
    }

    pub fn iter(&self) -> impl Iterator<Item = &EventDeclaration> {
        self.0.iter()
    }

    pub fn find(&self, name: &str) -> Option<&EventDeclaration> {
        self.iter().find(|declared| declared.name == name)
    }

    /// Whether a pattern such as `contact.created`, `contact.*` or `*` can match an event.
    pub fn has_pattern(&self, pattern: &str) -> bool {
        match pattern.strip_suffix(".*") {
            Some(noun) => self.iter().any(|declared| declared.noun() == noun),
            None => pattern == "*" || self.find(pattern).is_some(),
        }
    }

    /// Every pattern that matches an event: `*`, and each noun's pattern before its types.
    pub fn patterns(&self) -> Vec<String> {
        let mut patterns = vec!["*".to_owned()];
        for declared in self.iter() {
            let group = format!("{}.*", declared.noun());
            if !patterns.contains(&group) {
                patterns.push(group);
            }
            patterns.push(declared.name.to_owned());
        }
        patterns
    }

    /// Rejects the query parameter `event_type` if it names no event type.
    pub fn check_filter(&self, event_type: Option<&EventTypeName>) -> Result<(), Failure> {
        match event_type {
            Some(EventTypeName(name)) if self.find(name).is_none() => {
                Err(query::wrong_shape("event_type", NOT_AN_EVENT_TYPE))
            }
            _ => Ok(()),
        }
    }
}

/// An event type in a query. The [`Catalogue`] checks that it exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventTypeName(String);

impl EventTypeName {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Describe for EventTypeName {
    fn schema(_: &mut Components) -> Value {
        Components::reference(super::openapi::EVENT_TYPE)
    }
}

impl Param for EventTypeName {
    fn parse(text: &str) -> Result<Self, String> {
        Ok(Self(text.to_owned()))
    }

    fn schema(components: &mut Components) -> Value {
        <Self as Describe>::schema(components)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const fn declared(name: &'static str) -> EventDeclaration {
        EventDeclaration { name, description: "It happened.", schema: |_| json!({}), example: || json!({}) }
    }

    fn catalogue() -> Catalogue {
        Catalogue::new(["contact.created", "contact.deleted", "note.created"].map(declared).to_vec())
    }

    #[test]
    fn patterns_are_types_and_groups_of_types() {
        let expected = ["*", "contact.*", "contact.created", "contact.deleted", "note.*", "note.created"];
        assert_eq!(catalogue().patterns(), expected);
        assert!(expected.iter().all(|pattern| catalogue().has_pattern(pattern)));
        for unknown in
            ["", "contact", "contact.", "contact.exploded", "deal.*", ".*", "contact.created.*", "**"]
        {
            assert!(!catalogue().has_pattern(unknown), "{unknown}");
        }
    }

    #[test]
    fn a_filter_by_an_unknown_type_is_refused() {
        let check = |name: &str| catalogue().check_filter(Some(&EventTypeName(name.to_owned())));
        assert!(check("note.created").is_ok() && catalogue().check_filter(None).is_ok());
        let refused = check("note.*").unwrap_err().to_string();
        assert!(refused.starts_with("400 bad_request: The query parameter event_type must be"), "{refused}");
    }

    #[test]
    #[should_panic(expected = "two event types are called note.created")]
    fn one_name_for_two_types_is_refused() {
        Catalogue::new(["note.created", "note.created"].map(declared).to_vec());
    }
}
