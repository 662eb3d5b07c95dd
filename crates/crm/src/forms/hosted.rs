//! The hosted form: the page at the form's own address, also after an invalid submission.
//!
//! After an invalid submission the page shows the errors next to their fields and keeps everything that was
//! typed, including fields of the website's own form.

use std::collections::HashMap;

use frontdesk_web::{Failure, Reply};
use http::{StatusCode, Uri};
use serde_json::Value;

use super::control::{Control, controls};
use super::form::Form;
use super::look::Look;
use super::page::{self, Policy, escaped};
use super::typed::{FormValues, HOSTED};
use super::words::FormLanguage;

/// The empty form.
pub(super) fn show(form: &Form, look: &Look) -> Reply {
    let content = content(form, look, &FormValues::hosted(), None);
    page::page(StatusCode::OK, form.name.as_str(), &content, &policy(form), look)
}

/// The submitted form with its errors.
pub(super) fn show_again(form: &Form, look: &Look, typed: &FormValues, failure: &Failure) -> Reply {
    let title = format!("{}: {}", look.language.words().error, form.name.as_str());
    let content = content(form, look, typed, Some(failure));
    page::with_headers_of(failure, page::page(failure.status(), &title, &content, &policy(form), look))
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

fn content(form: &Form, look: &Look, typed: &FormValues, failure: Option<&Failure>) -> String {
    let (language, words) = (look.language, look.language.words());
    let controls = controls(form.fields.as_ref(), typed, words);
    let wrong = failure.map(|failure| problems(failure, language)).unwrap_or_default();
    let mut messages: HashMap<&str, &str> = HashMap::new();
    for FieldProblem { path, message } in &wrong {
        messages.entry(path).or_insert(message);
    }
    let fields: String = controls.iter().map(|control| control.html(&messages, words)).collect();
    let carried = ["_redirect", "_source", "source_url", HOSTED].into_iter();
    let carried = carried.filter_map(|name| Some((name, escaped(typed.first(name)?))));
    let carried: String = carried.map(|(name, value)| hidden(name, &value)).collect();
    format!(
        "<h1>{}</h1>\n{}<form method=\"post\">\n{fields}{carried}\
         <div class=\"trap\" aria-hidden=\"true\"><label>{} \
         <input name=\"_gotcha\" tabindex=\"-1\" autocomplete=\"off\"></label></div>\n<button>{}</button>\n</form>",
        escaped(form.name.as_str()),
        failure.map(|failure| summary(failure, language, &wrong, &controls)).unwrap_or_default(),
        words.leave_empty,
        escaped(form.button_text.as_deref().unwrap_or(words.button)),
    )
}

/// A hidden field; its value is already escaped.
fn hidden(name: &str, value: &str) -> String {
    format!("<input type=\"hidden\" name=\"{name}\" value=\"{value}\">\n")
}

/// A problem of a field.
struct FieldProblem {
    path: String,
    message: String,
}

fn problems(failure: &Failure, language: FormLanguage) -> Vec<FieldProblem> {
    let text = |detail: &Value, field: &str| detail[field].as_str().unwrap_or_default().to_owned();
    let details = failure.details().iter();
    details
        .map(|detail| FieldProblem {
            path: text(detail, "path"),
            message: language.problem(&text(detail, "message")),
        })
        .collect()
}

/// The errors at the top of the page, with links to the fields.
fn summary(
    failure: &Failure,
    language: FormLanguage,
    wrong: &[FieldProblem],
    controls: &[Control],
) -> String {
    if wrong.is_empty() {
        let message = language.failure(failure);
        return format!("<div class=\"errors\" role=\"alert\"><p>{}</p></div>\n", escaped(&message));
    }
    let words = language.words();
    let mut by_path: HashMap<&str, &Control> = HashMap::new();
    for control in controls {
        by_path.entry(&control.path).or_insert(control);
    }
    let mut wrong: Vec<&FieldProblem> = wrong.iter().collect();
    // In the order of the page; what belongs to no field comes last.
    wrong.sort_by_key(|wrong| {
        controls.iter().position(|control| control.path == wrong.path).unwrap_or(controls.len())
    });
    let items: String = wrong
        .iter()
        .map(|wrong| {
            let message = escaped(&wrong.message);
            match by_path.get(wrong.path.as_str()) {
                Some(control) => {
                    let label = escaped(&control.label);
                    format!("<li><a href=\"#{}\">{label} {message}</a></li>\n", control.id)
                }
                None => format!("<li>{} {message}</li>\n", words.the_form),
            }
        })
        .collect();
    format!("<div class=\"errors\" role=\"alert\"><p>{}</p>\n<ul>\n{items}</ul></div>\n", words.correct)
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
            created_at: at,
            ..Form::example()
        }
    }

    fn look(business: &str) -> Look {
        Look { business: business.to_owned(), ..Look::default() }
    }

    fn html(reply: &Reply) -> String {
        String::from_utf8(reply.body.to_vec()).unwrap()
    }

    #[test]
    fn the_empty_form_has_a_label_for_every_field() {
        let html = html(&show(&form(None), &look("Acme & Co")));
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
        let html = html(&show_again(&form(None), &look("Acme"), &typed, &Failure::validation(problems)));
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
