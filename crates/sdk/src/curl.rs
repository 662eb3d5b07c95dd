//! Calls by curl: for those who have no SDK, and the plainest form of every sample.

use std::path::PathBuf;

use serde_json::Value;

use crate::model::{Body, Model, Operation, Response, placeholder};
use crate::text::each;

const HEAD: &str = "# Written by `make sdk` from the routes of the API. Changes are lost.\n";

/// A body that is longer is broken into lines.
const WIDTH: usize = 90;

/// The samples as functions of a shell, to be run.
pub fn files(model: &Model) -> Vec<(PathBuf, String)> {
    let functions =
        each(model.operations(), |operation| format!("\n{}() {{\n{}\n}}\n", operation.id, sample(operation)));
    vec![("curl/test/generated/samples.sh".into(), format!("{HEAD}{functions}"))]
}

/// The call of an operation. Each placeholder is a variable.
pub fn sample(operation: &Operation) -> String {
    let mut lines = vec![format!("curl{} \"$FRONTDESK_BASE_URL{}\"", options(operation), path(operation))];
    lines.push("-H \"authorization: Bearer $FRONTDESK_API_KEY\"".to_owned());
    let sample = &operation.sample;
    match operation.response {
        Response::EventStream => {
            lines.extend(
                sample.query.iter().map(|(_, value)| format!("-H \"last-event-id: {}\"", shown(value))),
            );
        }
        _ => lines.extend(
            sample.query.iter().map(|(key, value)| format!("--data-urlencode \"{key}={}\"", shown(value))),
        ),
    }
    if matches!(operation.body, Some(Body::File)) {
        lines.push("-F \"file=@hello.txt\"".to_owned());
    }
    if let Some(body) = &sample.body {
        lines.push("-H \"content-type: application/json\"".to_owned());
        lines.push(format!("-d '{}'", json(body, &sample.placeholders())));
    }
    lines.join(" \\\n  ")
}

fn options(operation: &Operation) -> String {
    match (&operation.response, operation.method.as_str()) {
        (Response::EventStream, _) => " --no-buffer".to_owned(),
        (_, "GET") if operation.sample.query.is_empty() => String::new(),
        (_, "GET") => " --get".to_owned(),
        (_, method) => format!(" -X {method}"),
    }
}

/// The path, with a variable for each placeholder.
fn path(operation: &Operation) -> String {
    let mut path = operation.path.clone();
    for (param, value) in operation.path_params.iter().zip(&operation.sample.path) {
        path = path.replace(&format!("{{{}}}", param.placeholder), &shown(value));
    }
    path
}

/// A value inside double quotes.
fn shown(value: &Value) -> String {
    match (placeholder(value), value.as_str()) {
        (Some(name), _) => format!("${name}"),
        (None, Some(text)) => text.to_owned(),
        (None, None) => value.to_string(),
    }
}

/// JSON inside single quotes, which are left for each variable.
fn json(body: &Value, placeholders: &[&str]) -> String {
    let flat = body.to_string();
    let text = match flat.len() {
        0..=WIDTH => flat,
        _ => serde_json::to_string_pretty(body).unwrap_or(flat),
    };
    let quoted = text.replace('\'', r"'\''");
    placeholders
        .iter()
        .fold(quoted, |text, name| text.replace(&format!("\"${name}\""), &format!("\"'\"${name}\"'\"")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read;
    use serde_json::json;

    #[test]
    fn variables_stand_outside_of_the_quotes() {
        let body = json!({ "ids": ["$tag_id"], "text": "it's $5" });
        assert_eq!(json(&body, &["tag_id"]), r#"{"ids":["'"$tag_id"'"],"text":"it'\''s $5"}"#);
    }

    #[test]
    fn a_sample_names_the_server_the_key_and_what_is_sent() {
        let path = format!("{}/../../openapi.json", env!("CARGO_MANIFEST_DIR"));
        let document = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let model = read::model(&document);
        let sample_of = |id: &str| sample(model.operations().find(|each| each.id == id).unwrap());
        let expected = "curl -X POST \"$FRONTDESK_BASE_URL/api/v1/deals/$deal_id/move\" \\\n  \
                        -H \"authorization: Bearer $FRONTDESK_API_KEY\" \\\n  \
                        -H \"content-type: application/json\" \\\n  -d '{\"stage_id\":\"'\"$stage_id\"'\"}'";
        assert_eq!(sample_of("moveDeal"), expected);
        assert!(sample_of("listContacts").starts_with("curl --get \"$FRONTDESK_BASE_URL/api/v1/contacts\""));
        assert!(sample_of("listContacts").ends_with("--data-urlencode \"q=ann\""));
    }
}
