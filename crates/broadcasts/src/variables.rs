//! Variables: the values that differ from recipient to recipient, and how they are filled in.
//!
//! The values of a recipient are read when the recipient is created and do not change, so a resumed broadcast sends
//! what it would have sent at first.

use std::collections::BTreeMap;

use frontdesk_channels::{Composed, Layout, Mismatch, TemplateFill};
use frontdesk_crm::custom_fields::FieldId;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::audience::{Candidate, ChosenAudience};
use crate::input::{NewBroadcast, Variable, VariableField, VariableType};

/// The content of a broadcast, as it is stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Content {
    /// Free text; none for a template.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) variables: BTreeMap<String, Rule>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) header_media_url: Option<String>,
    /// What was chosen as the audience; none for a broadcast of an earlier version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) audience: Option<ChosenAudience>,
}

/// The value of a placeholder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Rule {
    #[serde(flatten)]
    source: Source,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fallback: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
enum Source {
    Static(String),
    Name,
    Phone,
    Email,
    Company,
    CustomField(Uuid),
}

impl Rule {
    fn read(variable: &Variable) -> Option<Self> {
        let value = variable.value.as_str();
        let source = match variable.r#type {
            VariableType::Static => Source::Static(value.to_owned()),
            VariableType::CustomField => Source::CustomField(Uuid::try_parse(value).ok()?),
            VariableType::Field => match value.parse().ok()? {
                VariableField::Name => Source::Name,
                VariableField::Phone => Source::Phone,
                VariableField::Email => Source::Email,
                VariableField::Company => Source::Company,
            },
        };
        Some(Self { source, fallback: variable.fallback.as_ref().map(ToString::to_string) })
    }

    /// The value for a recipient; none if the contact has no value and there is no fallback.
    fn value(&self, candidate: &Candidate) -> Option<String> {
        let own = match &self.source {
            Source::Static(text) => Some(text.as_str()),
            Source::Name => candidate.name.as_deref(),
            Source::Phone => Some(candidate.phone.as_str()),
            Source::Email => candidate.email.as_deref(),
            Source::Company => candidate.company.as_deref(),
            Source::CustomField(field) => {
                candidate.values.iter().find(|(known, _)| known == field).map(|(_, value)| value.as_str())
            }
        };
        let said = own.filter(|text| !text.trim().is_empty()).map(ToOwned::to_owned);
        said.or_else(|| self.fallback.clone())
    }

    /// The type and value that the API has for it, and the fallback.
    pub(crate) fn written(&self) -> (VariableType, String, Option<String>) {
        let field = |field: VariableField| (VariableType::Field, field.as_str().to_owned());
        let (kind, value) = match &self.source {
            Source::Static(text) => (VariableType::Static, text.clone()),
            Source::Name => field(VariableField::Name),
            Source::Phone => field(VariableField::Phone),
            Source::Email => field(VariableField::Email),
            Source::Company => field(VariableField::Company),
            Source::CustomField(id) => (VariableType::CustomField, id.to_string()),
        };
        (kind, value, self.fallback.clone())
    }

    fn is_fixed(&self) -> bool {
        matches!(self.source, Source::Static(_))
    }
}

/// Keys of variables that fill in something other than a placeholder of the body.
const HEADER_TEXT: &str = "header_text";
const BUTTON_PARAMS: &str = "button_params.";
/// The stand-in for a value that is not known yet.
const SAMPLE: &str = "x";

impl Content {
    pub(crate) fn of_template(new: &NewBroadcast) -> Self {
        let entries = new.variables.iter().flat_map(|variables| &variables.0);
        Self {
            text: None,
            variables: entries
                .filter_map(|(key, variable)| Some((key.clone(), Rule::read(variable)?)))
                .collect(),
            header_media_url: new.header_media_url.as_ref().map(|url| url.as_str().to_owned()),
            audience: None,
        }
    }

    pub(crate) fn of_text(text: String) -> Self {
        Self { text: Some(text), ..Self::default() }
    }

    /// The custom fields whose values are needed.
    pub(crate) fn custom_fields(&self) -> Vec<FieldId> {
        let field = |rule: &Rule| match rule.source {
            Source::CustomField(field) => Some(FieldId::from_uuid(field)),
            _ => None,
        };
        self.variables.values().filter_map(field).collect()
    }

    /// The values that differ from recipient to recipient, in the order of their keys. A missing value is blank.
    pub(crate) fn values(&self, candidate: &Candidate) -> Option<Vec<String>> {
        if self.variables.values().all(Rule::is_fixed) {
            return None;
        }
        let differing = self.variables.values().filter(|rule| !rule.is_fixed());
        Some(differing.map(|rule| rule.value(candidate).unwrap_or_default()).collect())
    }

    /// Reports everything about the variables that cannot fit the template, whoever the recipients are.
    pub(crate) fn check(&self, layout: &Layout) -> Result<(), Vec<Mismatch>> {
        let count = self.variables.values().filter(|rule| !rule.is_fixed()).count();
        let composed = self.compose(layout, &vec![SAMPLE.to_owned(); count]);
        let keys = layout.placeholders();
        let mut wrong = composed.err().unwrap_or_default();
        for key in self.variables.keys() {
            let is_known = keys.contains(key)
                || key == HEADER_TEXT
                || key.starts_with(BUTTON_PARAMS) && button(key).is_some();
            if !is_known {
                let message = format!("this template has no placeholder {{{{{key}}}}}");
                wrong.push(Mismatch { path: format!("variables.{key}"), message });
            }
        }
        if wrong.is_empty() { Ok(()) } else { Err(wrong) }
    }

    /// The filled-in template for one recipient, or every mismatch. Paths are those of the broadcast's request body.
    pub(crate) fn compose(&self, layout: &Layout, values: &[String]) -> Result<Composed, Vec<Mismatch>> {
        let keys = layout.placeholders();
        let mut differing = values.iter();
        let mut filled: BTreeMap<&str, String> = BTreeMap::new();
        for (key, rule) in &self.variables {
            let value = match &rule.source {
                Source::Static(text) => Some(text.clone()),
                _ => differing.next().cloned(),
            };
            filled.insert(key, value.unwrap_or_default());
        }
        // A placeholder without a variable is blank, and is reported as a mismatch.
        let fill = TemplateFill {
            body_params: keys
                .iter()
                .map(|key| filled.get(key.as_str()).cloned().unwrap_or_default())
                .collect(),
            header_text: filled.get(HEADER_TEXT).cloned(),
            header_media_url: self.header_media_url.clone(),
            button_params: filled
                .iter()
                .filter_map(|(key, value)| Some((button(key)?, value.clone())))
                .collect(),
        };
        layout.compose(&fill).map_err(|wrong| {
            let place = |mismatch: Mismatch| Mismatch { path: place(&mismatch.path, &keys), ..mismatch };
            wrong.into_iter().map(place).collect()
        })
    }
}

/// The index of the button that a variable fills in.
fn button(key: &str) -> Option<u32> {
    key.strip_prefix(BUTTON_PARAMS)?.parse().ok()
}

/// Converts a path in the request body of a message to the path in that of a broadcast.
fn place(path: &str, keys: &[String]) -> String {
    let key = path.strip_prefix("body_params.").and_then(|index| keys.get(index.parse::<usize>().ok()?));
    match (key, path) {
        (Some(key), _) => format!("variables.{key}"),
        (None, "header_media_url") => path.to_owned(),
        (None, "name") => "template.name".to_owned(),
        (None, other) => format!("variables.{other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use frontdesk_kernel::Ids;
    use frontdesk_kernel::Timestamp;
    use serde_json::json;

    fn rule(source: Source, fallback: Option<&str>) -> Rule {
        Rule { source, fallback: fallback.map(ToOwned::to_owned) }
    }

    fn content(rules: Vec<(&str, Rule)>) -> Content {
        Content {
            variables: rules.into_iter().map(|(key, rule)| (key.to_owned(), rule)).collect(),
            ..Content::default()
        }
    }

    fn layout() -> Layout {
        Layout::read(&json!([{ "type": "BODY", "text": "Hello {{1}}, about {{2}}" }]), false)
    }

    fn candidate(name: Option<&str>) -> Candidate {
        Candidate {
            contact: Ids::new().next(Timestamp::from_millis(0)),
            phone: "+14155550123".parse().unwrap(),
            name: name.map(ToOwned::to_owned),
            email: None,
            company: None,
            values: Vec::new(),
        }
    }

    #[test]
    fn a_value_is_the_contacts_own_else_the_fallback_else_missing() {
        let said =
            |fallback: Option<&str>, name: Option<&str>| rule(Source::Name, fallback).value(&candidate(name));
        assert_eq!(said(Some("you"), Some("Ann")).as_deref(), Some("Ann"));
        assert_eq!(said(Some("you"), Some("  ")).as_deref(), Some("you"));
        assert_eq!(said(None, None), None);
    }

    #[test]
    fn a_message_uses_the_variables_that_were_read_with_its_recipient() {
        let content = content(vec![
            ("1", rule(Source::Name, None)),
            ("2", rule(Source::Static("shoes".to_owned()), None)),
        ]);
        let stored: Content = serde_json::from_str(&serde_json::to_string(&content).unwrap()).unwrap();
        assert_eq!(stored, content);
        let values = stored.values(&candidate(Some("Ann"))).unwrap();
        assert_eq!(values, ["Ann"]);
        assert_eq!(stored.compose(&layout(), &values).unwrap().text, "Hello Ann, about shoes");
        let missing = stored.values(&candidate(None)).unwrap();
        let wrong = stored.compose(&layout(), &missing).unwrap_err();
        assert_eq!(wrong[0].path, "variables.1");
    }

    #[test]
    fn variables_that_fit_no_recipient_are_told_by_their_keys() {
        let content = content(vec![
            ("1", rule(Source::Static("a\nb".to_owned()), None)),
            ("9", rule(Source::Name, None)),
        ]);
        let wrong = content.check(&layout()).unwrap_err();
        let paths: Vec<&str> = wrong.iter().map(|mismatch| mismatch.path.as_str()).collect();
        assert_eq!(paths, ["variables.1", "variables.2", "variables.9"]);
    }
}
