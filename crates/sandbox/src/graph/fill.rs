//! Checks a message's parameters against its template, as Meta does.

use http::uri::Uri;
use serde_json::Value;

use super::error::GraphError;
use crate::template::{Template, TemplateStatus, placeholders};

/// The most consecutive spaces that Meta accepts in a parameter.
const SPACES_MAX: usize = 4;

/// Checks the template part of a message, and returns the body with its parameters filled in.
pub(super) fn check(part: &Value, templates: &[Template]) -> Result<String, GraphError> {
    let name = part["name"].as_str().ok_or_else(|| GraphError::required("template['name']"))?;
    let language = part["language"]["code"]
        .as_str()
        .ok_or_else(|| GraphError::required("template['language']['code']"))?;
    let template = templates.iter().find(|held| held.name == name && held.language == language);
    let template = match template {
        Some(template) => match template.status {
            TemplateStatus::Approved => template,
            TemplateStatus::Paused => {
                return Err(GraphError::detailed(132_015, format!("template ({name}) is paused")));
            }
            TemplateStatus::Disabled => {
                return Err(GraphError::detailed(132_016, format!("template ({name}) is disabled")));
            }
            // A template that is not approved cannot be sent, so to Meta it does not exist.
            TemplateStatus::Pending | TemplateStatus::Rejected => return Err(unknown(name, language)),
        },
        None => return Err(unknown(name, language)),
    };
    let given = part["components"].as_array().map_or(&[][..], Vec::as_slice);
    header(template, given)?;
    let text = template.component("BODY").and_then(|body| body["text"].as_str()).unwrap_or_default();
    let values = texts("body", text, parameters(given, "body"), is_named(template))?;
    buttons(template, given)?;
    Ok(values.iter().fold(text.to_owned(), |text, (name, value)| {
        text.replace(&format!("{{{{{name}}}}}"), value).replace(&format!("{{{{ {name} }}}}"), value)
    }))
}

fn unknown(name: &str, language: &str) -> GraphError {
    GraphError::detailed(132_001, format!("template name ({name}) does not exist in {language}"))
}

fn is_named(template: &Template) -> bool {
    template.parameter_format.eq_ignore_ascii_case("NAMED")
}

/// The parameters of a component, if there are any.
fn parameters<'a>(given: &'a [Value], kind: &str) -> &'a [Value] {
    let is_kind =
        |component: &&Value| component["type"].as_str().is_some_and(|given| given.eq_ignore_ascii_case(kind));
    let component = given.iter().find(is_kind);
    component.and_then(|component| component["parameters"].as_array()).map_or(&[][..], Vec::as_slice)
}

fn header(template: &Template, given: &[Value]) -> Result<(), GraphError> {
    let given = parameters(given, "header");
    let Some(header) = template.component("HEADER") else {
        return texts("header", "", given, false).map(drop);
    };
    let format = header["format"].as_str().unwrap_or("TEXT");
    if format == "TEXT" {
        return texts("header", header["text"].as_str().unwrap_or_default(), given, is_named(template))
            .map(drop);
    }
    let kind = format.to_lowercase();
    let received = given.first().and_then(|parameter| parameter["type"].as_str()).unwrap_or("unknown");
    if given.len() != 1 || received != kind {
        let details =
            format!("header: Format mismatch, expected {format}, received {}", received.to_uppercase());
        return Err(GraphError::detailed(132_012, details));
    }
    let media = &given[0][&kind];
    let is_link =
        media["link"].as_str().is_some_and(|link| link.parse::<Uri>().is_ok_and(|uri| uri.host().is_some()));
    if is_link || media["id"].is_string() {
        return Ok(());
    }
    Err(GraphError::detailed(131_008, format!("header: Parameter of type {kind} needs an id or a link")))
}

/// Checks text parameters against the placeholders of a text, and pairs them.
fn texts<'a>(
    place: &str,
    text: &'a str,
    given: &'a [Value],
    named: bool,
) -> Result<Vec<(&'a str, &'a str)>, GraphError> {
    let expected = placeholders(text);
    if expected.len() != given.len() {
        let details = format!(
            "{place}: number of localizable_params ({}) does not match the expected number of params ({})",
            given.len(),
            expected.len()
        );
        return Err(GraphError::detailed(132_000, details));
    }
    let mut pairs = Vec::new();
    for (index, name) in expected.into_iter().enumerate() {
        let parameter = if named {
            let found = given.iter().find(|parameter| parameter["parameter_name"] == name);
            found.ok_or_else(|| {
                GraphError::detailed(100, format!("{place}: no parameter has the name '{name}'"))
            })?
        } else {
            &given[index]
        };
        pairs.push((name, value(place, parameter)?));
    }
    Ok(pairs)
}

fn value<'a>(place: &str, parameter: &'a Value) -> Result<&'a str, GraphError> {
    if parameter["type"] != "text" {
        let received = parameter["type"].as_str().unwrap_or("unknown").to_uppercase();
        return Err(GraphError::detailed(
            132_012,
            format!("{place}: Format mismatch, expected TEXT, received {received}"),
        ));
    }
    let text = parameter["text"].as_str().unwrap_or_default();
    if text.trim().is_empty() {
        return Err(GraphError::detailed(
            131_008,
            format!("{place}: Parameter of type text is missing text value"),
        ));
    }
    if text.contains(['\n', '\r', '\t']) || text.contains(&" ".repeat(SPACES_MAX + 1)) {
        let details = "Param text cannot have new-line/tab characters or more than 4 consecutive spaces";
        return Err(GraphError::detailed(132_018, details));
    }
    Ok(text)
}

/// Each button with a placeholder takes one parameter; every parameter belongs to such a button.
fn buttons(template: &Template, given: &[Value]) -> Result<(), GraphError> {
    let buttons = template.component("BUTTONS").and_then(|part| part["buttons"].as_array());
    let buttons = buttons.map_or(&[][..], Vec::as_slice);
    let given: Vec<_> = given
        .iter()
        .filter(|part| part["type"].as_str().is_some_and(|kind| kind.eq_ignore_ascii_case("button")))
        .collect();
    // Meta's examples have the index as a string; a number is accepted too.
    let index = |part: &Value| part["index"].as_u64().or_else(|| part["index"].as_str()?.parse().ok());
    for part in &given {
        let button = index(part).and_then(|index| buttons.get(index as usize));
        let sub_type = part["sub_type"].as_str().unwrap_or_default();
        if !button.is_some_and(|button| {
            button["type"].as_str().is_some_and(|kind| kind.eq_ignore_ascii_case(sub_type))
        }) {
            let details =
                format!("buttons: the template has no {sub_type} button at index {}", part["index"]);
            return Err(GraphError::detailed(132_012, details));
        }
    }
    for (position, button) in buttons.iter().enumerate() {
        let parameter = given.iter().find(|part| index(part) == Some(position as u64));
        let parameter = parameter.map(|part| &part["parameters"][0]);
        let (key, needed) = match button["type"].as_str().unwrap_or_default() {
            "URL" => ("text", button["url"].as_str().is_some_and(|url| !placeholders(url).is_empty())),
            "COPY_CODE" => ("coupon_code", true),
            _ => continue,
        };
        let is_there = parameter.is_some_and(|given| {
            given["type"] == key && given[key].as_str().is_some_and(|text| !text.trim().is_empty())
        });
        if needed && !is_there {
            let kind = if key == "text" { "Url" } else { "Copy Code" };
            let details = format!("buttons: Button at index {position} of type {kind} requires a parameter");
            return Err(GraphError::detailed(131_008, details));
        }
        if !needed && parameter.is_some() {
            let details =
                format!("buttons: Button at index {position} of type Url does not require parameters");
            return Err(GraphError::detailed(132_018, details));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::Catalogue;
    use serde_json::json;

    fn fill(name: &str, components: Value) -> Result<String, i64> {
        let part = json!({ "name": name, "language": { "code": "en_US" }, "components": components });
        check(&part, Catalogue::default().of("w")).map_err(|error| error.code)
    }

    fn text(text: &str) -> Value {
        json!({ "type": "text", "text": text })
    }

    #[test]
    fn a_template_that_fits_reads_as_the_customer_reads_it() {
        let body = json!([{ "type": "body", "parameters": [text("Ann"), text("Monday")] }]);
        assert_eq!(
            fill("appointment_reminder", body),
            Ok("Hi Ann, this is a reminder of your appointment on Monday.".into())
        );
        assert!(fill("hello_world", Value::Null).is_ok());
        let named = json!([{ "type": "body", "parameters": [
            { "type": "text", "parameter_name": "manager", "text": "Bo" },
            { "type": "text", "parameter_name": "customer_name", "text": "Ann" } ] }]);
        assert_eq!(fill("welcome_named", named), Ok("Welcome Ann! Your account manager is Bo.".into()));
    }

    #[test]
    fn headers_and_buttons_take_what_they_need() {
        let header = json!({ "type": "header", "parameters": [text("77")] });
        let button = json!({ "type": "button", "sub_type": "url", "index": "0", "parameters": [text("77")] });
        assert!(fill("order_update", json!([header, button])).is_ok());
        assert_eq!(fill("order_update", json!([button])), Err(132_000));
        assert_eq!(fill("order_update", json!([header])), Err(131_008));
        let document = json!({ "type": "header", "parameters": [
            { "type": "document", "document": { "link": "https://a.test/b.pdf" } }] });
        let ann = json!({ "type": "body", "parameters": [text("Ann")] });
        assert!(fill("invoice_ready", json!([document, ann])).is_ok());
        assert_eq!(fill("invoice_ready", json!([ann])), Err(132_012));
        let code = json!({ "type": "button", "sub_type": "copy_code", "index": 0,
            "parameters": [{ "type": "coupon_code", "coupon_code": "X25" }] });
        assert!(fill("promo_code", json!([ann, code])).is_ok());
        assert_eq!(fill("promo_code", json!([ann])), Err(131_008));
        assert_eq!(fill("hello_world", json!([code])), Err(132_012));
    }

    #[test]
    fn parameters_that_do_not_fit_are_refused_with_metas_code() {
        let body = |list: Value| json!([{ "type": "body", "parameters": list }]);
        assert_eq!(fill("nothing_like_it", Value::Null), Err(132_001));
        assert_eq!(fill("pending_review", body(json!([text("a")]))), Err(132_001));
        assert_eq!(fill("appointment_reminder", body(json!([text("a")]))), Err(132_000));
        assert_eq!(fill("appointment_reminder", body(json!([text("a"), text(" ")]))), Err(131_008));
        assert_eq!(fill("appointment_reminder", body(json!([text("a"), text("b\nc")]))), Err(132_018));
        assert_eq!(fill("appointment_reminder", body(json!([text("a"), { "type": "image" }]))), Err(132_012));
        assert_eq!(fill("welcome_named", body(json!([text("a"), text("b")]))), Err(100));
    }
}
