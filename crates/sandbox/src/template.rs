//! The templates of each WhatsApp business account.

mod defaults;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::mark;
use crate::response::ControlError;

/// Templates of one account.
const TEMPLATES_MAX: usize = 1000;

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Template {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) language: String,
    pub(crate) category: String,
    pub(crate) status: TemplateStatus,
    /// `POSITIONAL` or `NAMED`.
    pub(crate) parameter_format: String,
    /// An array in Meta's format.
    pub(crate) components: Value,
}

/// Meta's decision on a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum TemplateStatus {
    Approved,
    Pending,
    Rejected,
    Paused,
    Disabled,
}

impl TemplateStatus {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Approved => "APPROVED",
            Self::Pending => "PENDING",
            Self::Rejected => "REJECTED",
            Self::Paused => "PAUSED",
            Self::Disabled => "DISABLED",
        }
    }
}

impl Template {
    /// One of its components, by its type.
    pub(crate) fn component(&self, kind: &str) -> Option<&Value> {
        self.components.as_array()?.iter().find(|component| component["type"] == kind)
    }

    /// The template as Meta lists it: the files of its examples have whole addresses.
    pub(crate) fn listed(&self, origin: &str) -> Self {
        let mut listed = self.clone();
        for component in listed.components.as_array_mut().into_iter().flatten() {
            let handles = component.pointer_mut("/example/header_handle").and_then(Value::as_array_mut);
            for handle in handles.into_iter().flatten() {
                if let Some(path) = handle.as_str().filter(|handle| handle.starts_with("/sandbox/")) {
                    *handle = json!(format!("{origin}{path}"));
                }
            }
        }
        listed
    }

    /// The webhook of its status.
    pub(crate) fn update(&self) -> Value {
        json!({
            "event": self.status.as_str(),
            "message_template_id": self.id.parse::<u64>().ok(),
            "message_template_name": self.name,
            "message_template_language": self.language,
            "message_template_category": self.category,
            "reason": if self.status == TemplateStatus::Rejected { "INVALID_FORMAT" } else { "NONE" },
        })
    }
}

/// A template to add, or changes of an existing one.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Change {
    name: String,
    #[serde(default = "english")]
    language: String,
    category: Option<String>,
    status: Option<TemplateStatus>,
    parameter_format: Option<String>,
    components: Option<Value>,
}

fn english() -> String {
    "en_US".into()
}

impl Change {
    fn check(&self) -> Result<(), ControlError> {
        let is_name = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '_';
        if self.name.is_empty() || !self.name.chars().all(is_name) {
            let message =
                format!("\"{}\" is no template's name: use lower case letters, digits and _.", self.name);
            return Err(ControlError::request(message));
        }
        let is_component = |component: &Value| component["type"].is_string();
        let is_list = |value: &Value| value.as_array().is_some_and(|list| list.iter().all(is_component));
        if self.components.as_ref().is_some_and(|components| !is_list(components)) {
            return Err(ControlError::request(format!(
                "The components of {} are a list, each with a type.",
                self.name
            )));
        }
        Ok(())
    }
}

/// The templates of every account. A new account has the default ones.
#[derive(Debug, Default)]
pub(crate) struct Catalogue {
    accounts: BTreeMap<String, Vec<Template>>,
}

impl Catalogue {
    pub(crate) fn of(&mut self, waba: &str) -> &mut Vec<Template> {
        self.accounts.entry(waba.to_owned()).or_insert_with(defaults::templates)
    }

    /// Adds and changes templates, and returns those whose status has changed.
    pub(crate) fn change(
        &mut self,
        waba: &str,
        changes: &[Change],
        replace: bool,
    ) -> Result<Vec<Template>, ControlError> {
        changes.iter().try_for_each(Change::check)?;
        let held = self.of(waba);
        if replace {
            held.clear();
        }
        if held.len() + changes.len() > TEMPLATES_MAX {
            return Err(ControlError::request(format!(
                "An account holds at most {TEMPLATES_MAX} templates."
            )));
        }
        let mut news = Vec::new();
        for change in changes {
            let is_same = |held: &&mut Template| held.name == change.name && held.language == change.language;
            if let Some(template) = held.iter_mut().find(is_same) {
                let before = template.status;
                amend(template, change);
                if template.status != before {
                    news.push(template.clone());
                }
                continue;
            }
            let mut template = Template {
                id: mark::object(),
                name: change.name.clone(),
                language: change.language.clone(),
                category: "UTILITY".into(),
                status: TemplateStatus::Approved,
                parameter_format: "POSITIONAL".into(),
                components: json!([{ "type": "BODY", "text": "Hello from the sandbox." }]),
            };
            amend(&mut template, change);
            // A new template is pending, which is not reported.
            if template.status != TemplateStatus::Pending {
                news.push(template.clone());
            }
            held.push(template);
        }
        Ok(news)
    }
}

fn amend(template: &mut Template, change: &Change) {
    template.status = change.status.unwrap_or(template.status);
    if let Some(category) = &change.category {
        template.category.clone_from(category);
    }
    if let Some(format) = &change.parameter_format {
        template.parameter_format.clone_from(format);
    }
    if let Some(components) = &change.components {
        template.components.clone_from(components);
    }
}

/// The placeholders of a text, in order, each once.
pub(crate) fn placeholders(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("{{") {
        let Some((name, tail)) = after.split_once("}}") else { break };
        if !found.contains(&name.trim()) {
            found.push(name.trim());
        }
        rest = tail;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(value: Value) -> Change {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn placeholders_are_found_once_each() {
        assert_eq!(placeholders("Hi {{1}}, {{ 2 }} and {{1}} {{"), ["1", "2"]);
        assert_eq!(placeholders("no {one}"), Vec::<&str>::new());
    }

    #[test]
    fn only_a_standing_that_changes_is_news() {
        let mut catalogue = Catalogue::default();
        let pause = [change(json!({ "name": "hello_world", "status": "PAUSED" }))];
        assert_eq!(catalogue.change("w", &pause, false).unwrap().len(), 1);
        assert!(catalogue.change("w", &pause, false).unwrap().is_empty());
        let add = [change(json!({ "name": "brand_new", "status": "PENDING" }))];
        assert!(catalogue.change("w", &add, false).unwrap().is_empty());
        assert!(catalogue.of("w").iter().any(|template| template.name == "brand_new"));
    }

    #[test]
    fn replacing_leaves_nothing_of_before() {
        let mut catalogue = Catalogue::default();
        catalogue.change("w", &[change(json!({ "name": "only" }))], true).unwrap();
        assert_eq!(catalogue.of("w").len(), 1);
        assert!(catalogue.of("v").len() > 1);
    }

    #[test]
    fn a_name_that_meta_would_not_take_is_refused() {
        assert!(Catalogue::default().change("w", &[change(json!({ "name": "Not This" }))], false).is_err());
    }
}
