//! A field of a form as the hosted page shows it: a label, what is filled in, and its problem.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::fields::{FormField, FormFieldType, FormFields, is_checked};
use super::page::escaped;
use super::typed::FormValues;
use super::words::Words;

/// Longer texts and texts with a line break are shown in a text area.
const LINE_CHARS_MAX: usize = 80;

/// What a value is entered with.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Entry {
    /// An `<input>` with these attributes.
    Input(&'static str),
    TextArea(&'static str),
    Choice(Vec<String>),
    Checkbox,
}

impl Entry {
    /// The attributes tell browsers what to fill in by themselves.
    fn of(field: &FormField) -> Self {
        match (field.key.as_str(), field.r#type) {
            ("name", _) => Self::Input("type=\"text\" autocomplete=\"name\" maxlength=\"200\""),
            ("message", _) => Self::TextArea("rows=\"5\" maxlength=\"10000\""),
            (_, FormFieldType::Email) => Self::Input("type=\"email\" autocomplete=\"email\""),
            (_, FormFieldType::Phone) => Self::Input("type=\"tel\" autocomplete=\"tel\""),
            (_, FormFieldType::Text) => Self::Input("type=\"text\" maxlength=\"2000\""),
            (_, FormFieldType::Date) => Self::Input("type=\"date\""),
            (_, FormFieldType::LongText) => Self::TextArea("rows=\"5\" maxlength=\"2000\""),
            (_, FormFieldType::Choice) => Self::Choice(field.options.clone()),
            (_, FormFieldType::Checkbox) => Self::Checkbox,
        }
    }
}

/// A field as it is shown.
pub(super) struct Control {
    pub(super) id: String,
    name: String,
    /// The path of its problems.
    pub(super) path: String,
    pub(super) label: String,
    value: String,
    entry: Entry,
    is_required: bool,
    is_optional: bool,
    hint: &'static str,
}

/// The fields of a form, and those that were typed elsewhere.
pub(super) fn controls(own: Option<&FormFields>, typed: &FormValues, words: &Words) -> Vec<Control> {
    let fields = own.map_or_else(|| Cow::Owned(FormFields::usual(words)), Cow::Borrowed);
    // The usual fields are those of the hosted page. A website's own form may require less.
    let requires = own.is_some() || typed.is_hosted();
    let shown = fields.iter().map(|field| control(field, requires, typed, words));
    shown.chain(others(&fields, typed)).collect()
}

fn control(field: &FormField, requires: bool, typed: &FormValues, words: &Words) -> Control {
    Control {
        id: if field.is_built_in() { field.key.clone() } else { format!("field-{}", field.key) },
        name: field.key.clone(),
        path: field.path(),
        label: field.label.clone(),
        value: typed.first(&field.key).unwrap_or_default().to_owned(),
        entry: Entry::of(field),
        is_required: field.required && requires,
        is_optional: !field.required && requires,
        hint: if field.key == "phone" { words.phone_hint } else { "" },
    }
}

/// Values that the form has no fields for.
fn others(fields: &FormFields, typed: &FormValues) -> Vec<Control> {
    let mut seen = HashSet::new();
    let others = typed.iter().enumerate().filter(|(_, (name, _))| {
        let is_first = seen.insert(name.to_ascii_lowercase());
        let is_known = is_first && fields.iter().any(|field| field.key.eq_ignore_ascii_case(name));
        let is_ours = name.is_empty() || name.starts_with('_') || name.eq_ignore_ascii_case("source_url");
        !is_known && !is_ours
    });
    let shown = others.map(|(at, (name, value))| {
        let is_long = value.contains('\n') || value.chars().count() > LINE_CHARS_MAX;
        Control {
            id: format!("other-{at}"),
            name: name.to_owned(),
            path: format!("fields.{name}"),
            label: name.to_owned(),
            value: value.to_owned(),
            entry: if is_long { Entry::TextArea("rows=\"5\"") } else { Entry::Input("type=\"text\"") },
            is_required: false,
            is_optional: false,
            hint: "",
        }
    });
    shown.collect()
}

impl Control {
    /// The field, with its problem if it has one. Messages are found by their paths.
    pub(super) fn html(&self, messages: &HashMap<&str, &str>, words: &Words) -> String {
        let Self { id, hint, .. } = self;
        let label = escaped(&self.label);
        let error = messages.get(self.path.as_str()).map(|message| escaped(message));
        let hint_note = format!("<p class=\"hint\" id=\"{id}-hint\">{hint}</p>\n");
        let error_note =
            |error: &String| format!("<p class=\"error\" id=\"{id}-error\">{label} {error}.</p>\n");
        let notes = [
            (!hint.is_empty()).then_some((format!("{id}-hint"), hint_note)),
            error.as_ref().map(|error| (format!("{id}-error"), error_note(error))),
        ];
        let (described, notes): (Vec<String>, Vec<String>) = notes.into_iter().flatten().unzip();
        let notes = notes.concat();
        let described = match &described[..] {
            [] => String::new(),
            ids => format!(" aria-describedby=\"{}\"", ids.join(" ")),
        };
        let invalid = if error.is_some() { " aria-invalid=\"true\"" } else { "" };
        let optional = format!(" <span class=\"optional\">({})</span>", words.optional);
        let optional = if self.is_optional { optional.as_str() } else { "" };
        let field = self.entry_html(&format!("{described}{invalid}"));
        if self.entry == Entry::Checkbox {
            let label =
                format!("<label for=\"{id}\" class=\"check\">{field} <span>{label}{optional}</span></label>");
            return format!("<div class=\"field\">\n{label}\n{notes}</div>\n");
        }
        format!(
            "<div class=\"field\">\n<label for=\"{id}\">{label}{optional}</label>\n{field}\n{notes}</div>\n"
        )
    }

    fn entry_html(&self, notes: &str) -> String {
        let required = if self.is_required { " required" } else { "" };
        let [name, value] = [&self.name, &self.value].map(|text| escaped(text));
        let named = format!("id=\"{}\" name=\"{name}\"", self.id);
        match &self.entry {
            Entry::Input(kind) => format!("<input {named} {kind}{required}{notes} value=\"{value}\">"),
            // The line break after the tag is not part of the text.
            Entry::TextArea(size) => {
                format!("<textarea {named} {size}{required}{notes}>\n{value}</textarea>")
            }
            Entry::Choice(options) => {
                let option = |option: &String| {
                    let selected = if *option == self.value { " selected" } else { "" };
                    format!("<option{selected}>{}</option>\n", escaped(option))
                };
                let options: String = options.iter().map(option).collect();
                format!("<select {named}{required}{notes}>\n<option value=\"\"></option>\n{options}</select>")
            }
            Entry::Checkbox => {
                let checked = if is_checked(&self.value) == Some(true) { " checked" } else { "" };
                format!("<input {named} type=\"checkbox\" value=\"true\"{required}{checked}{notes}>")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fields::tests::every_type;
    use super::super::words::FormLanguage;
    use super::*;

    fn html(typed: &str, messages: &[(&str, &str)]) -> String {
        let typed = FormValues::read(typed.as_bytes(), None).unwrap();
        let messages = messages.iter().copied().collect();
        let words = FormLanguage::En.words();
        controls(Some(&every_type()), &typed, words)
            .iter()
            .map(|control| control.html(&messages, words))
            .collect()
    }

    #[test]
    fn every_type_has_a_label_and_its_own_control() {
        let html = html("", &[]);
        for part in [
            "<label for=\"email\">Your email</label>",
            "<input id=\"email\" name=\"email\" type=\"email\" autocomplete=\"email\" required value=\"\">",
            "<select id=\"field-size\" name=\"size\" required>\n<option value=\"\"></option>\n<option>S</option>",
            "<label for=\"field-day\">Day <span class=\"optional\">(optional)</span></label>",
            "name=\"day\" type=\"date\"",
            "<label for=\"field-terms\" class=\"check\"><input id=\"field-terms\" name=\"terms\" type=\"checkbox\"",
            "<textarea id=\"field-story\" name=\"story\" rows=\"5\" maxlength=\"2000\">",
            "<label for=\"phone\">Mobile <span",
        ] {
            assert!(html.contains(part), "{part} is missing: {html}");
        }
    }

    #[test]
    fn what_was_typed_is_there_again() {
        let html = html(
            "SIZE=M&terms=true&company=%22A%22&day=nonsense&extra=1",
            &[("fields.day", "must be a date")],
        );
        for part in [
            "<option selected>M</option>",
            "value=\"true\" required checked>",
            "value=\"&quot;A&quot;\"",
            "aria-describedby=\"field-day-error\" aria-invalid=\"true\" value=\"nonsense\"",
            "<p class=\"error\" id=\"field-day-error\">Day must be a date.</p>",
            "name=\"extra\" type=\"text\"",
        ] {
            assert!(html.contains(part), "{part} is missing: {html}");
        }
        assert_eq!(html.matches("name=\"size\"").count(), 1, "{html}");
    }
}
