//! The fields of a form: what visitors are asked, and what a submission must say.
//!
//! The built-in fields become the inquiry's own: name, email, phone and message. Fields of the account's own are stored
//! among the inquiry's `fields`, under their keys.

use std::collections::HashSet;
use std::str::FromStr;

use frontdesk_kernel::text::is_blank;
use frontdesk_kernel::{Date, Text};
use frontdesk_web::{
    Components, Describe, FieldPath, Input, Items, Problems, choice, input, resource, text_input,
};
use serde_json::{Map, Value, json};

use super::words::Words;

/// Maximum fields of a form.
const FIELDS_MAX: usize = 20;
const LABEL_CHARS_MAX: usize = 100;
const OPTIONS_MAX: usize = 50;
const OPTION_CHARS_MAX: usize = 100;
const KEY_CHARS_MAX: usize = 50;

choice! {
    /// What is entered into a field of a form.
    pub enum FormFieldType {
        Text => "text",
        LongText => "long_text",
        Email => "email",
        Phone => "phone",
        Choice => "choice",
        Checkbox => "checkbox",
        Date => "date",
    }
}

/// The built-in fields, each with its type.
const BUILT_IN: [(&str, FormFieldType); 4] = [
    ("name", FormFieldType::Text),
    ("email", FormFieldType::Email),
    ("phone", FormFieldType::Phone),
    ("message", FormFieldType::LongText),
];
/// Names that mean something else in a submission.
const RESERVED: [&str; 2] = ["fields", "source_url"];

fn built_in(key: &str) -> Option<FormFieldType> {
    BUILT_IN.iter().find(|(known, _)| *known == key).map(|(_, kind)| *kind)
}

resource! {
    /// A field of a form.
    #[derive(PartialEq, Eq)]
    pub struct FormField {
        /// The name under which it is sent. `name`, `email`, `phone` and `message` are built in; any other is a field of
        /// your own, stored among the `fields` of the inquiry.
        pub key: String,
        pub r#type: FormFieldType,
        pub label: String,
        /// Whether a submission without it is refused. A checkbox that is required must be checked.
        pub required: bool,
        /// The options of a `choice`; empty for every other type.
        pub options: Vec<String>,
    }
}

input! {
    /// A field of a form.
    pub struct NewFormField {
        /// The name under which it is sent. `name`, `email`, `phone` and `message` are built in; any other is a field of
        /// your own. No two fields of a form have the same key, regardless of case.
        pub key: FieldKey,
        /// `text` unless given. A built-in field has its own type.
        pub r#type: Option<FormFieldType>,
        pub label: Text<LABEL_CHARS_MAX>,
        /// Defaults to false. A checkbox that is required must be checked.
        pub required: Option<bool>,
        /// The options of a `choice`; required for that type, and not allowed for others.
        pub options: Option<Items<Text<OPTION_CHARS_MAX>, OPTIONS_MAX>>,
    }
    check = type_fits;
}

/// The name of a field: a letter, and then letters, digits, `-` and `_`. A built-in field's is in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldKey(String);

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotAFieldKey {
    #[error(
        "must begin with a letter from a to z, and have at most {KEY_CHARS_MAX} letters, digits, hyphens and underscores"
    )]
    Shape,
    #[error("must not be one of {}: a submission uses these names for something else", RESERVED.join(", "))]
    Reserved,
}

impl FromStr for FieldKey {
    type Err = NotAFieldKey;

    fn from_str(text: &str) -> Result<Self, NotAFieldKey> {
        let text = text.trim();
        let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
        if !plain || !text.starts_with(|c: char| c.is_ascii_alphabetic()) || text.len() > KEY_CHARS_MAX {
            return Err(NotAFieldKey::Shape);
        }
        let lower = text.to_ascii_lowercase();
        if RESERVED.contains(&lower.as_str()) {
            return Err(NotAFieldKey::Reserved);
        }
        Ok(Self(if built_in(&lower).is_some() { lower } else { text.to_owned() }))
    }
}

text_input!(FieldKey, |_| json!({
    "type": "string", "pattern": "^[a-zA-Z][a-zA-Z0-9_-]{0,49}$", "examples": ["email", "order_number"],
}));

fn type_fits(field: &NewFormField, problems: &mut Problems) {
    let key = field.key.0.as_str();
    let options = field.options.as_ref().map_or(&[][..], |options| &options.0[..]);
    let kind = field.kind();
    match (built_in(key), field.r#type) {
        (Some(own), Some(given)) if own != given => {
            problems.add("type", format!("must be {own} for the built-in field {key}, or left out"));
        }
        (None, Some(given @ (FormFieldType::Email | FormFieldType::Phone))) => {
            problems.add("type", format!("must not be {given}: use the built-in field {given}"));
        }
        _ => {}
    }
    match (kind == FormFieldType::Choice, options.is_empty()) {
        (true, true) => problems.add("options", "must have at least one option for a choice"),
        (false, false) => problems.add("options", "are only for the type choice"),
        _ => {}
    }
    let mut seen = HashSet::new();
    if options.iter().any(|option| !seen.insert(option.as_str().trim())) {
        problems.add("options", "must differ from each other");
    }
}

impl NewFormField {
    fn kind(&self) -> FormFieldType {
        self.r#type.or_else(|| built_in(&self.key.0)).unwrap_or(FormFieldType::Text)
    }
}

impl From<NewFormField> for FormField {
    fn from(new: NewFormField) -> Self {
        Self {
            r#type: new.kind(),
            key: new.key.0,
            label: new.label.as_str().trim().to_owned(),
            required: new.required.unwrap_or(false),
            options: new
                .options
                .into_iter()
                .flat_map(|options| options.0)
                .map(|one| one.as_str().trim().to_owned())
                .collect(),
        }
    }
}

/// The fields of a form, in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormFields(Vec<FormField>);

impl Input for FormFields {
    fn schema(components: &mut Components) -> Value {
        Items::<NewFormField, FIELDS_MAX>::schema(components)
    }

    fn read(value: Option<&Value>, at: &mut FieldPath, problems: &mut Problems) -> Option<Self> {
        let new = Items::<NewFormField, FIELDS_MAX>::read(value, at, problems)?;
        let fields = Self(new.0.into_iter().map(FormField::from).collect());
        input::check(&fields, Self::keys_fit, at, problems)?;
        Some(fields)
    }
}

impl Describe for FormFields {
    fn schema(components: &mut Components) -> Value {
        json!({ "type": "array", "items": <FormField as Describe>::schema(components), "maxItems": FIELDS_MAX })
    }
}

impl serde::Serialize for FormFields {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl FormFields {
    /// Reads what is stored by the rules of a request, so there is one rule for both.
    pub(super) fn stored(text: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(text).ok()?;
        Self::read(Some(&value), &mut FieldPath::root(), &mut Problems::new())
    }

    /// The fields of a hosted form without fields of its own.
    pub(super) fn usual(words: &Words) -> Self {
        let field = |key: &str, label: &str, required| FormField {
            key: key.to_owned(),
            r#type: built_in(key).unwrap_or(FormFieldType::Text),
            label: label.to_owned(),
            required,
            options: Vec::new(),
        };
        Self(vec![
            field("name", words.name, false),
            field("email", words.email, true),
            field("phone", words.phone, false),
            field("message", words.message, true),
        ])
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &FormField> {
        self.0.iter()
    }

    fn keys_fit(&self, problems: &mut Problems) {
        let mut seen = HashSet::new();
        for (at, field) in self.0.iter().enumerate() {
            if !seen.insert(field.key.to_ascii_lowercase()) {
                problems.add(format!("{at}.key"), "must differ from the keys of the other fields");
            }
        }
        if !self.0.iter().any(FormField::is_built_in) {
            let names = BUILT_IN.map(|(key, _)| key).join(", ");
            problems.add("", format!("must have at least one of the built-in fields {names}"));
        }
    }

    /// Checks a submission: `known` are its values of built-in fields, `others` those of all others. Values are stored
    /// under the keys and in the form that the fields give them.
    pub(super) fn check(
        &self,
        known: &Map<String, Value>,
        others: &mut Map<String, Value>,
        problems: &mut Problems,
    ) {
        for field in &self.0 {
            let checked = if field.is_built_in() {
                field.is_given(known.contains_key(&field.key)).map(|()| None)
            } else {
                let sent = others.keys().find(|name| name.eq_ignore_ascii_case(&field.key)).cloned();
                let sent = sent.and_then(|name| others.remove(&name));
                field.read(sent.as_ref().and_then(Value::as_str))
            };
            match checked {
                Ok(Some(value)) => drop(others.insert(field.key.clone(), value.into())),
                Ok(None) => {}
                Err(message) => problems.add(field.path(), message),
            }
        }
    }
}

impl FormField {
    pub(super) fn is_built_in(&self) -> bool {
        built_in(&self.key).is_some()
    }

    /// The path of its problems.
    pub(super) fn path(&self) -> String {
        if self.is_built_in() { self.key.clone() } else { format!("fields.{}", self.key) }
    }

    fn is_given(&self, given: bool) -> Result<(), String> {
        if given || !self.required { Ok(()) } else { Err("is required".to_owned()) }
    }

    /// The value as it is stored, or what is wrong with it.
    fn read(&self, sent: Option<&str>) -> Result<Option<String>, String> {
        let Some(sent) = sent.map(str::trim).filter(|sent| !is_blank(sent)) else {
            return self.is_given(false).map(|()| None);
        };
        match self.r#type {
            FormFieldType::Choice if !self.options.iter().any(|option| option == sent) => {
                Err(format!("must be one of {}", self.options.join(", ")))
            }
            FormFieldType::Checkbox => {
                let checked = is_checked(sent).ok_or_else(|| "must be true or false".to_owned())?;
                if self.required && !checked {
                    return Err("is required".to_owned());
                }
                Ok(Some(checked.to_string()))
            }
            FormFieldType::Date => match sent.parse::<Date>() {
                Ok(date) => Ok(Some(date.to_string())),
                Err(wrong) => Err(wrong.to_string()),
            },
            _ => Ok(Some(sent.to_owned())),
        }
    }
}

/// What browsers and scripts send for a checkbox.
pub(super) fn is_checked(sent: &str) -> Option<bool> {
    match sent.trim().to_ascii_lowercase().as_str() {
        "true" | "on" | "yes" | "1" => Some(true),
        "" | "false" | "off" | "no" | "0" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    fn read(value: &Value) -> Result<FormFields, Vec<(String, String)>> {
        let mut problems = Problems::new();
        let read = FormFields::read(Some(value), &mut FieldPath::root(), &mut problems);
        read.ok_or_else(|| problems.iter().map(|(path, why)| (path.to_owned(), why.to_owned())).collect())
    }

    /// One field of each type.
    pub(in crate::forms) fn every_type() -> FormFields {
        read(&json!([
            { "key": "email", "label": "Your email", "required": true },
            { "key": "size", "type": "choice", "label": "Size", "options": ["S", "M"], "required": true },
            { "key": "day", "type": "date", "label": "Day" },
            { "key": "terms", "type": "checkbox", "label": "I agree", "required": true },
            { "key": "company", "label": "Company" },
            { "key": "story", "type": "long_text", "label": "Your story" },
            { "key": "phone", "label": "Mobile" },
        ]))
        .unwrap()
    }

    #[test]
    fn fields_are_read_back_as_they_were_stored() {
        let fields = every_type();
        assert_eq!(FormFields::stored(&serde_json::to_string(&fields).unwrap()), Some(fields.clone()));
        let types: Vec<&str> = fields.iter().map(|field| field.r#type.as_str()).collect();
        assert_eq!(types, ["email", "choice", "date", "checkbox", "text", "long_text", "phone"]);
        assert_eq!(read(&json!([{ "key": "EMAIL", "label": "E" }])).unwrap().0[0].key, "email");
    }

    #[test]
    fn everything_wrong_with_fields_is_told_at_its_path() {
        let paths =
            |value: Value| read(&value).unwrap_err().into_iter().map(|(path, _)| path).collect::<Vec<_>>();
        let wrong = json!([
            { "key": "_hidden", "label": "x" },
            { "key": "name" },
            { "key": "email", "label": "x", "type": "text" },
            { "key": "second", "label": "x", "type": "email" },
            { "key": "size", "label": "x", "type": "choice" },
            { "key": "size2", "label": "x", "options": ["a"] },
            { "key": "size3", "label": "x", "type": "choice", "options": ["a", "a "] },
            { "key": "source_url", "label": "x" },
            { "key": "a b", "label": "x".repeat(LABEL_CHARS_MAX + 1), "type": "radio" },
        ]);
        assert_eq!(
            paths(wrong),
            [
                "0.key",
                "1.label",
                "2.type",
                "3.type",
                "4.options",
                "5.options",
                "6.options",
                "7.key",
                "8.key",
                "8.type",
                "8.label"
            ]
        );
        assert_eq!(paths(json!([{ "key": "company", "label": "x" }])), [""]);
        assert_eq!(
            paths(
                json!([{ "key": "name", "label": "x" }, { "key": "A", "label": "x" }, { "key": "a", "label": "x" }])
            ),
            ["2.key"]
        );
        let many: Vec<Value> =
            (0..=FIELDS_MAX).map(|n| json!({ "key": format!("k{n}"), "label": "x" })).collect();
        assert_eq!(paths(json!(many)), [""]);
    }

    fn checked(sent: Value) -> Result<Value, Vec<String>> {
        let (mut known, mut others) = (Map::new(), Map::new());
        for (name, value) in sent.as_object().unwrap() {
            if built_in(name).is_some() { &mut known } else { &mut others }
                .insert(name.clone(), value.clone());
        }
        let mut problems = Problems::new();
        every_type().check(&known, &mut others, &mut problems);
        let paths: Vec<String> = problems.iter().map(|(path, why)| format!("{path} {why}")).collect();
        if paths.is_empty() { Ok(Value::Object(others)) } else { Err(paths) }
    }

    #[test]
    fn values_are_stored_as_their_fields_say() {
        let sent = json!({ "email": "a@example.com", "SIZE": "M", "Terms": "on", "day": "2026-01-31", "other": "x" });
        let stored = json!({ "size": "M", "terms": "true", "day": "2026-01-31", "other": "x" });
        assert_eq!(checked(sent), Ok(stored));
    }

    #[test]
    fn a_submission_says_what_is_required_in_the_form_that_is_required() {
        assert_eq!(
            checked(json!({})).unwrap_err(),
            ["email is required", "fields.size is required", "fields.terms is required"]
        );
        let wrong = json!({ "email": "a@example.com", "size": "XL", "terms": "off", "day": "31.1.2026" });
        assert_eq!(
            checked(wrong).unwrap_err(),
            [
                "fields.size must be one of S, M",
                "fields.day must be a date such as 2026-01-31",
                "fields.terms is required"
            ]
        );
        let odd = json!({ "email": "a@example.com", "size": "S", "terms": "perhaps" });
        assert_eq!(checked(odd).unwrap_err(), ["fields.terms must be true or false"]);
    }
}
