//! The hosted form: the page at the form's own address, also after an invalid submission.
//!
//! After an invalid submission the page shows the errors next to their fields and keeps everything that was
//! typed, including fields of the website's own form.

use std::collections::{HashMap, HashSet};

use frontdesk_web::{Failure, Reply, Result};
use http::{StatusCode, Uri};
use serde_json::Value;

use super::form::Form;
use super::page::{self, Policy, escaped};
use super::submission::form_values;

/// Longer texts and texts with a line break are shown in a text area.
const LINE_CHARS_MAX: usize = 80;
/// Marks a submission from the hosted page.
const HOSTED: &str = "_hosted";

/// The submitted fields, in order.
#[derive(Debug, Default)]
pub(super) struct FormValues(Vec<(String, String)>);

impl FormValues {
    /// Reads a form-encoded body, unless it has too many values to be shown again. `referrer` is the page of the form.
    pub(super) fn read(body: &[u8], referrer: Option<&str>) -> Result<Self> {
        let body = String::from_utf8_lossy(body);
        let pairs = form_values(&body)?;
        let typed: Vec<_> =
            pairs.iter().map(|(name, value)| (name.trim().to_owned(), value.to_owned())).collect();
        let mut typed = Self(typed);
        if typed.is_hosted() || typed.first("source_url").or_else(|| typed.first("_source")).is_some() {
            return Ok(typed);
        }
        // The next request comes from the hosted page, and must still name the first one.
        typed.0.extend(referrer.map(|page| ("_source".to_owned(), page.to_owned())));
        Ok(typed)
    }

    fn first(&self, wanted: &str) -> Option<&str> {
        self.0.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| value.as_str())
    }

    fn is_hosted(&self) -> bool {
        self.first(HOSTED).is_some()
    }
}

/// A field that every hosted form has.
struct Field {
    name: &'static str,
    label: &'static str,
    /// Further attributes; a field without a type is a text area.
    attributes: &'static str,
    is_required: bool,
    hint: &'static str,
}

const FIELDS: [Field; 4] = [
    Field {
        name: "name",
        label: "Name",
        attributes: "type=\"text\" autocomplete=\"name\" maxlength=\"200\"",
        is_required: false,
        hint: "",
    },
    Field {
        name: "email",
        label: "Email",
        attributes: "type=\"email\" autocomplete=\"email\"",
        is_required: true,
        hint: "",
    },
    Field {
        name: "phone",
        label: "Phone",
        attributes: "type=\"tel\" autocomplete=\"tel\"",
        is_required: false,
        hint: "A number of another country needs its country code, such as +1 415 555 0123.",
    },
    Field {
        name: "message",
        label: "Message",
        attributes: "rows=\"5\" maxlength=\"10000\"",
        is_required: true,
        hint: "",
    },
];

/// A field as it is shown.
struct Control {
    id: String,
    name: String,
    /// The path of its errors.
    path: String,
    label: String,
    value: String,
    attributes: String,
    is_optional: bool,
    hint: &'static str,
}

/// The empty form.
pub(super) fn show(form: &Form, business: &str) -> Reply {
    let typed = FormValues(vec![(HOSTED.to_owned(), "1".to_owned())]);
    page::page(StatusCode::OK, form.name.as_str(), &content(form, business, &typed, None), &policy(form))
}

/// The submitted form with its errors.
pub(super) fn show_again(form: &Form, business: &str, typed: &FormValues, failure: &Failure) -> Reply {
    let title = format!("Error: {}", form.name.as_str());
    let content = content(form, business, typed, Some(failure));
    page::with_headers_of(failure, page::page(failure.status(), &title, &content, &policy(form)))
}

fn policy(form: &Form) -> Policy {
    Policy { form_action: form_action(form), frame_ancestors: form.frame_ancestors() }
}

/// The allowed targets of the form: this page, and the page after it.
fn form_action(form: &Form) -> String {
    let uri = form.redirect_url.as_ref().and_then(|url| url.parse::<Uri>().ok());
    let origin = uri.and_then(|uri| Some(format!(" {}://{}", uri.scheme_str()?, uri.authority()?)));
    format!("'self'{}", origin.unwrap_or_default())
}

fn content(form: &Form, business: &str, typed: &FormValues, failure: Option<&Failure>) -> String {
    let controls: Vec<Control> =
        FIELDS.iter().map(|field| known(field, typed)).chain(others(typed)).collect();
    let wrong = failure.map(problems).unwrap_or_default();
    let mut messages: HashMap<&str, &str> = HashMap::new();
    for FieldProblem { path, message } in &wrong {
        messages.entry(path).or_insert(message);
    }
    let fields: String = controls.iter().map(|control| control.html(&messages)).collect();
    let carried = ["_redirect", "_source", "source_url", HOSTED].into_iter();
    let carried = carried.filter_map(|name| Some((name, escaped(typed.first(name)?))));
    let carried: String = carried.map(|(name, value)| hidden(name, &value)).collect();
    format!(
        "<p class=\"business\">{}</p>\n<h1>{}</h1>\n{}<form method=\"post\">\n{fields}{carried}\
         <div class=\"trap\" aria-hidden=\"true\"><label>Leave this empty \
         <input name=\"_gotcha\" tabindex=\"-1\" autocomplete=\"off\"></label></div>\n<button>Send</button>\n</form>",
        escaped(business),
        escaped(form.name.as_str()),
        failure.map(|failure| summary(failure, &wrong, &controls)).unwrap_or_default(),
    )
}

/// A hidden field; its value is already escaped.
fn hidden(name: &str, value: &str) -> String {
    format!("<input type=\"hidden\" name=\"{name}\" value=\"{value}\">\n")
}

fn known(field: &Field, typed: &FormValues) -> Control {
    // A website's own form may require less, so nothing is required here.
    let is_required = field.is_required && typed.is_hosted();
    Control {
        id: field.name.to_owned(),
        name: field.name.to_owned(),
        path: field.name.to_owned(),
        label: field.label.to_owned(),
        value: typed.first(field.name).unwrap_or_default().to_owned(),
        attributes: format!("{}{}", field.attributes, if is_required { " required" } else { "" }),
        is_optional: !field.is_required && typed.is_hosted(),
        hint: field.hint,
    }
}

/// Fields that the hosted form does not have.
fn others(typed: &FormValues) -> impl Iterator<Item = Control> {
    let mut seen = HashSet::new();
    let others = typed.0.iter().enumerate().filter(move |(_, (name, _))| {
        let is_first = seen.insert(name.to_ascii_lowercase());
        let is_known = is_first && FIELDS.iter().any(|field| field.name.eq_ignore_ascii_case(name));
        let is_ours = name.is_empty() || name.starts_with('_') || name.eq_ignore_ascii_case("source_url");
        !is_known && !is_ours
    });
    others.map(|(at, (name, value))| {
        let is_long = value.contains('\n') || value.chars().count() > LINE_CHARS_MAX;
        Control {
            id: format!("other-{at}"),
            name: name.clone(),
            path: format!("fields.{name}"),
            label: name.clone(),
            value: value.clone(),
            attributes: if is_long { "rows=\"5\"" } else { "type=\"text\"" }.to_owned(),
            is_optional: false,
            hint: "",
        }
    })
}

impl Control {
    /// The field, with its problem if it has one. Messages are found by their paths.
    fn html(&self, messages: &HashMap<&str, &str>) -> String {
        let Self { id, attributes, hint, .. } = self;
        let [name, label, value] = [&self.name, &self.label, &self.value].map(|text| escaped(text));
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
        let optional = if self.is_optional { " <span class=\"optional\">(optional)</span>" } else { "" };
        let shared = format!("id=\"{id}\" name=\"{name}\" {attributes}{described}{invalid}");
        let field = if attributes.starts_with("type=") {
            format!("<input {shared} value=\"{value}\">")
        } else {
            // The line break after the tag is not part of the text.
            format!("<textarea {shared}>\n{value}</textarea>")
        };
        format!(
            "<div class=\"field\">\n<label for=\"{id}\">{label}{optional}</label>\n{field}\n{notes}</div>\n"
        )
    }
}

/// A problem of a field.
struct FieldProblem {
    path: String,
    message: String,
}

fn problems(failure: &Failure) -> Vec<FieldProblem> {
    let text = |detail: &Value, field: &str| detail[field].as_str().unwrap_or_default().to_owned();
    let details = failure.details().iter();
    details
        .map(|detail| FieldProblem { path: text(detail, "path"), message: text(detail, "message") })
        .collect()
}

/// The errors at the top of the page, with links to the fields.
fn summary(failure: &Failure, wrong: &[FieldProblem], controls: &[Control]) -> String {
    if wrong.is_empty() {
        return format!("<div class=\"errors\" role=\"alert\"><p>{}</p></div>\n", escaped(failure.message()));
    }
    let mut by_path: HashMap<&str, &Control> = HashMap::new();
    for control in controls {
        by_path.entry(&control.path).or_insert(control);
    }
    let items: String = wrong
        .iter()
        .map(|wrong| {
            let message = escaped(&wrong.message);
            match by_path.get(wrong.path.as_str()) {
                Some(control) => {
                    let label = escaped(&control.label);
                    format!("<li><a href=\"#{}\">{label} {message}</a></li>\n", control.id)
                }
                None => format!("<li>The form {message}</li>\n"),
            }
        })
        .collect();
    format!(
        "<div class=\"errors\" role=\"alert\"><p>Your message was not sent yet. Please correct this:</p>\n<ul>\n{items}</ul></div>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use frontdesk_kernel::Timestamp;
    use frontdesk_kernel::ids::AccountId;
    use frontdesk_web::Problems;

    fn form(redirect_url: Option<&str>) -> Form {
        let at = Timestamp::from_millis(1_800_000_000_000);
        Form {
            account_id: AccountId::first_at(at),
            id: super::super::FormId::first_at(at),
            name: "Ask <us>".parse().unwrap(),
            token: "t".to_owned(),
            redirect_url: redirect_url.map(ToOwned::to_owned),
            origins: Vec::new(),
            created_at: at,
        }
    }

    fn html(reply: &Reply) -> String {
        String::from_utf8(reply.body.to_vec()).unwrap()
    }

    #[test]
    fn the_empty_form_has_a_label_for_every_field() {
        let html = html(&show(&form(None), "Acme & Co"));
        for part in [
            "<p class=\"business\">Acme &amp; Co</p>",
            "<h1>Ask &lt;us&gt;</h1>",
            "<label for=\"email\">Email</label>",
            "name=\"email\" type=\"email\" autocomplete=\"email\" required",
            "<label for=\"phone\">Phone <span",
            "aria-describedby=\"phone-hint\"",
            "<textarea id=\"message\"",
        ] {
            assert!(html.contains(part), "{part} is missing: {html}");
        }
        assert!(!html.contains("role=\"alert\""), "{html}");
    }

    #[test]
    fn typed_values_are_shown_again_with_their_problems() {
        let body = "Email=nowhere&message=%0AHi+%3Cb%3E&size=%22M%22&_redirect=https://a.test/&_gotcha=";
        let typed = FormValues::read(body.as_bytes(), Some("https://shop.example/contact")).unwrap();
        let mut problems = Problems::one("email", "must be an email address");
        problems.add("fields.size", "must be shorter");
        problems.add("", "must have something");
        let html = html(&show_again(&form(None), "Acme", &typed, &Failure::validation(problems)));
        for part in [
            "<title>Error: Ask &lt;us&gt;</title>",
            "<li><a href=\"#email\">Email must be an email address</a></li>",
            "<li>The form must have something</li>",
            "aria-describedby=\"email-error\" aria-invalid=\"true\" value=\"nowhere\">",
            "<p class=\"error\" id=\"email-error\">Email must be an email address.</p>",
            ">\n\nHi &lt;b&gt;</textarea>",
            "name=\"size\" type=\"text\" aria-describedby=\"other-2-error\" aria-invalid=\"true\" value=\"&quot;M&quot;\">",
            "name=\"_redirect\" value=\"https://a.test/\"",
            "name=\"_source\" value=\"https://shop.example/contact\"",
        ] {
            assert!(html.contains(part), "{part} is missing: {html}");
        }
        // The website's own form required less.
        assert!(!html.contains("required") && !html.contains("_hosted"), "{html}");
    }

    #[test]
    fn a_form_may_be_sent_here_and_on_to_the_page_that_follows() {
        assert_eq!(form_action(&form(None)), "'self'");
        assert_eq!(form_action(&form(Some("https://a.test:8443/thanks?x=1"))), "'self' https://a.test:8443");
    }
}
