//! A submission, parsed from a form or from JSON.

use std::collections::BTreeMap;

use frontdesk_kernel::Country;
use frontdesk_kernel::country::NotAPhoneHere;
use frontdesk_kernel::text::is_blank;
use frontdesk_web::{Failure, FieldPath, Input, Pairs, Problems, Result};
use serde_json::{Map, Value};

use super::fields::FormFields;
use crate::inquiries::{NewInquiry, PageUrl};

/// Maximum names and values of one submission, also of those that are ignored. A form with several choices may send a
/// name many times.
const VALUES_MAX: usize = 500;
/// The separator of several values of one field.
const SEVERAL: &str = ", ";

/// The accepted content types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Json,
    Form,
}

impl Encoding {
    /// By the request's `Content-Type`.
    pub(super) fn of(content_type: Option<&str>) -> Result<Self> {
        let kind = content_type.unwrap_or_default().split(';').next().unwrap_or_default().trim();
        match kind.to_ascii_lowercase().as_str() {
            "application/json" => Ok(Self::Json),
            "application/x-www-form-urlencoded" => Ok(Self::Form),
            "multipart/form-data" => Err(Failure::unsupported_body(
                "This form takes no files. Remove enctype=\"multipart/form-data\" from the form, or send JSON or \
                 application/x-www-form-urlencoded.",
            )),
            _ => Err(Failure::unsupported_body(
                "Send the form as application/x-www-form-urlencoded or as application/json.",
            )),
        }
    }
}

/// The names and values of a form-encoded body. A body with too many is refused before any is read.
pub(super) fn form_values(body: &str) -> Result<Pairs<'_>> {
    check_count(body.bytes().filter(|byte| *byte == b'&').count() + 1)?;
    Ok(Pairs::parse(body))
}

fn check_count(values: usize) -> Result<()> {
    if values <= VALUES_MAX {
        return Ok(());
    }
    let message = format!("must have at most {VALUES_MAX} values");
    Err(Failure::validation(Problems::one("", message)))
}

/// The content of a submission.
#[derive(Debug, Default)]
pub(super) struct Submission {
    known: Map<String, Value>,
    /// Further fields, each with its values.
    fields: BTreeMap<String, Vec<String>>,
    source: Option<PageUrl>,
    /// The country of the number, as the form says.
    country: Option<Country>,
    /// The page to redirect to, as the form requests it.
    pub(super) redirect: Option<PageUrl>,
    /// Whether the hidden field was filled in.
    pub(super) is_trapped: bool,
}

impl Submission {
    pub(super) fn read(encoding: Encoding, body: &[u8]) -> Result<Self> {
        let mut submission = Self::default();
        match encoding {
            Encoding::Form => {
                for (name, text) in form_values(&String::from_utf8_lossy(body))?.iter() {
                    submission.take(name, text);
                }
            }
            Encoding::Json => {
                let value: Value = serde_json::from_slice(body)
                    .map_err(|wrong| Failure::bad_request(format!("The body is not JSON: {wrong}.")))?;
                let Value::Object(object) = value else {
                    return Err(Failure::validation(Problems::one("", "must be a JSON object")));
                };
                let fields = object.get("fields").and_then(Value::as_object);
                check_count(object.len() + fields.map_or(0, Map::len))?;
                for (name, value) in &object {
                    match value {
                        Value::Object(fields) if name == "fields" => {
                            fields.iter().for_each(|(name, value)| submission.keep(name, &written(value)));
                        }
                        value => submission.take(name, &written(value)),
                    }
                }
            }
        }
        Ok(submission)
    }

    /// Adds a field. Names are compared without case.
    fn take(&mut self, name: &str, text: &str) {
        let text = text.trim();
        if is_blank(text) {
            return;
        }
        match name.trim().to_lowercase().as_str() {
            "_gotcha" => self.is_trapped = true,
            "_redirect" => self.redirect = text.parse().ok(),
            // An invalid page address is ignored, so that the inquiry is not lost.
            "source_url" | "_source" => self.source = text.parse().ok(),
            // It also stays a field of the form, where it may be a name such as Germany.
            "country" => {
                self.country = self.country.or_else(|| text.parse().ok());
                self.keep(name.trim(), text);
            }
            known @ ("name" | "email" | "phone" | "message") if !self.known.contains_key(known) => {
                self.known.insert(known.to_owned(), text.into());
            }
            hidden if hidden.starts_with('_') => {}
            _ => self.keep(name.trim(), text),
        }
    }

    fn keep(&mut self, name: &str, text: &str) {
        match self.fields.get_mut(name) {
            Some(values) => values.push(text.to_owned()),
            None => {
                self.fields.insert(name.to_owned(), vec![text.to_owned()]);
            }
        }
    }

    /// The inquiry, or all its problems, also those of the form's own fields. Its page is the given one, or else the
    /// browser's referrer. A number without a country code is one of the form's country, or else of the account's.
    pub(super) fn inquiry(
        &self,
        form: Option<&FormFields>,
        referrer: Option<&str>,
        country: Option<Country>,
    ) -> Result<NewInquiry> {
        let mut body = self.known.clone();
        let fields = self.fields.iter().map(|(name, values)| (name.clone(), values.join(SEVERAL).into()));
        let mut fields: Map<String, Value> = fields.collect();
        let mut problems = Problems::new();
        if let Some(form) = form {
            form.check(&self.known, &mut fields, &mut problems);
        }
        let is_lacking = !problems.is_empty();
        let written = body.get("phone").and_then(Value::as_str).map(ToOwned::to_owned);
        if let Some(written) = written {
            let country = self.country.or(country);
            match Country::read_phone(country, &written) {
                Ok(phone) => drop(body.insert("phone".to_owned(), phone.as_str().into())),
                // Without a country it cannot be read here. A person can read it in the other fields.
                Err(NotAPhoneHere::NoCountryCode | NotAPhoneHere::Shape) if country.is_none() => {
                    body.remove("phone");
                    fields.entry("phone").or_insert(written.into());
                }
                Err(wrong) => {
                    body.remove("phone");
                    problems.add("phone", wrong.to_string());
                }
            }
        }
        body.insert("fields".to_owned(), fields.into());
        let read = NewInquiry::read(Some(&body.into()), &mut FieldPath::root(), &mut problems);
        if is_lacking {
            // That the whole says nothing is no news beside the fields that are required.
            problems = with_a_path(&problems);
        }
        let mut new = read.filter(|_| problems.is_empty()).ok_or_else(|| Failure::validation(problems))?;
        new.source_url = self.source.clone().or_else(|| referrer?.parse().ok());
        Ok(new)
    }
}

fn with_a_path(problems: &Problems) -> Problems {
    let mut placed = Problems::new();
    problems
        .iter()
        .filter(|(path, _)| !path.is_empty())
        .for_each(|(path, message)| placed.add(path, message));
    placed
}

/// A JSON value as text.
fn written(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(written).collect::<Vec<_>>().join(SEVERAL),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn inquiry(encoding: Encoding, body: &str) -> NewInquiry {
        Submission::read(encoding, body.as_bytes())
            .unwrap()
            .inquiry(None, Some("https://example.com/page"), None)
            .unwrap()
    }

    fn fields(new: &NewInquiry) -> Vec<(String, String)> {
        let fields = new.fields.iter().flat_map(|fields| &fields.0);
        fields.map(|(name, text)| (name.clone(), text.as_ref().unwrap().to_string())).collect()
    }

    #[test]
    fn both_ways_of_sending_say_the_same() {
        let form = "Name=Ann+Lee&email=ann%40example.com&phone=%2B1+415+555+0123&message=Hi%0Athere&size=M&size=L&_x=1&empty=";
        let json = r#"{ "name": "Ann Lee", "email": "ann@example.com", "phone": "+1 415 555 0123", "message": "Hi\nthere",
            "size": ["M", "L"], "_x": 1, "empty": null }"#;
        for new in [inquiry(Encoding::Form, form), inquiry(Encoding::Json, json)] {
            assert_eq!(new.name.as_ref().unwrap().as_str(), "Ann Lee");
            assert_eq!(new.email.as_ref().unwrap().as_str(), "ann@example.com");
            assert_eq!(new.phone.as_ref().unwrap().as_str(), "+14155550123");
            assert_eq!(new.message.as_ref().unwrap().as_str(), "Hi\nthere");
            assert_eq!(fields(&new), [("size".to_owned(), "M, L".to_owned())]);
            assert_eq!(new.source_url.unwrap().as_str(), "https://example.com/page");
        }
    }

    #[test]
    fn a_number_of_an_unknown_country_goes_into_the_fields() {
        let new = inquiry(Encoding::Form, "name=Ann&phone=0151+0000482&source_url=javascript:x");
        assert_eq!(
            (new.phone.is_none(), fields(&new)),
            (true, vec![("phone".to_owned(), "0151 0000482".to_owned())])
        );
        assert_eq!(new.source_url.unwrap().as_str(), "https://example.com/page");
        let nested = inquiry(
            Encoding::Json,
            r#"{ "name": "Ann", "fields": { "age": 7, "_odd": true }, "_source": "https://a.test/" }"#,
        );
        let kept = [("_odd", "true"), ("age", "7")].map(|(name, text)| (name.to_owned(), text.to_owned()));
        assert_eq!(
            (fields(&nested), nested.source_url.unwrap().as_str()),
            (kept.to_vec(), "https://a.test/")
        );
    }

    #[test]
    fn a_number_is_read_with_the_country_of_the_form_or_of_the_account() {
        let read = |body: &str, country: &str| {
            let sent = Submission::read(Encoding::Form, body.as_bytes()).unwrap();
            sent.inquiry(None, None, country.parse().ok()).map(|new| new.phone.unwrap().to_string())
        };
        assert_eq!(read("phone=0151+0000482", "DE").unwrap(), "+491510000482");
        assert_eq!(read("phone='0151+0000482", "DE").unwrap(), "+491510000482");
        assert_eq!(read("phone=(415)+555-0123&country=us", "DE").unwrap(), "+14155550123");
        assert_eq!(read("phone=%2B49+(0)151+0000489", "").unwrap(), "+491510000489");
        for (body, country) in [("name=Ann&phone=12", "DE"), ("phone=%2B49+12", ""), ("phone=call+me", "DE")]
        {
            let refused = read(body, country).unwrap_err();
            assert_eq!(refused.details()[0]["path"], "phone", "{body}");
        }
    }

    #[test]
    fn fields_of_the_form_are_checked_with_everything_else() {
        let form = super::super::fields::tests::every_type();
        let read = |body: &str| {
            let sent = Submission::read(Encoding::Form, body.as_bytes()).unwrap();
            sent.inquiry(Some(&form), None, None)
        };
        let whole = "email=ann%40example.com&size=M&terms=on&phone=0151+0000482&extra=1";
        let kept = [("extra", "1"), ("phone", "0151 0000482"), ("size", "M"), ("terms", "true")];
        assert_eq!(
            fields(&read(whole).unwrap()),
            kept.map(|(name, text)| (name.to_owned(), text.to_owned()))
        );
        let paths = |body: &str| {
            let details = read(body).unwrap_err().details().to_vec();
            details.iter().map(|detail| detail["path"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(paths("size=XL&terms=on"), ["email", "fields.size"]);
        assert_eq!(paths("email=nowhere&size=M"), ["fields.terms", "email"]);
    }

    #[test]
    fn a_body_with_too_many_values_is_refused() {
        let form = |values: usize| vec!["a=1"; values].join("&");
        let new = Submission::read(Encoding::Form, form(VALUES_MAX).as_bytes()).unwrap();
        assert_eq!(new.fields["a"].len(), VALUES_MAX);
        assert!(Submission::read(Encoding::Form, form(VALUES_MAX + 1).as_bytes()).is_err());
        let fields: Map<String, Value> = (0..VALUES_MAX).map(|n| (n.to_string(), n.into())).collect();
        for body in [json!({ "name": "Ann", "fields": fields }), json!({ "a": 1, "fields": fields })] {
            assert!(Submission::read(Encoding::Json, body.to_string().as_bytes()).is_err());
        }
    }

    #[test]
    fn the_trap_and_the_way_on_are_no_fields() {
        let sent =
            Submission::read(Encoding::Form, b"_gotcha=x&_redirect=https://a.test/thanks&name=Ann").unwrap();
        assert!(sent.is_trapped && sent.fields.is_empty());
        assert_eq!(sent.redirect.unwrap().as_str(), "https://a.test/thanks");
        assert!(!Submission::read(Encoding::Form, b"_gotcha=+&name=Ann").unwrap().is_trapped);
    }

    #[test]
    fn an_unreadable_body_is_refused_with_the_formats_that_are_accepted() {
        let refused = |kind| Encoding::of(kind).unwrap_err().status().as_u16();
        assert_eq!(Encoding::of(Some("Application/JSON; charset=utf-8")).unwrap(), Encoding::Json);
        assert_eq!(
            [refused(None), refused(Some("text/plain")), refused(Some("multipart/form-data; boundary=x"))],
            [415; 3]
        );
        assert!(
            Submission::read(Encoding::Json, b"[]").is_err()
                && Submission::read(Encoding::Json, b"{").is_err()
        );
        assert!(Submission::read(Encoding::Form, b"size=M").unwrap().inquiry(None, None, None).is_err());
    }
}
