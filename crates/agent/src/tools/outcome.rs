//! Turns a response into the text that the model reads.

use http::StatusCode;
use serde_json::{Value, json};

/// Maximum characters of one result. The rest is cut off, and the model is told so.
const RESULT_CHARS_MAX: usize = 16_000;

/// A tool result for the model: the data of a successful response, or the error of a refused one. The flag is true
/// for an error.
pub(crate) fn content(status: StatusCode, body: &[u8]) -> (String, bool) {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    if status.is_success() {
        let shown = match (&body["data"], &body["meta"]["has_more"]) {
            (rows @ Value::Array(_), Value::Bool(has_more)) => json!({ "rows": rows, "has_more": has_more }),
            (data, _) => data.clone(),
        };
        return (shortened(shown.to_string()), false);
    }
    let error = &body["error"];
    let shown = json!({ "error": {
        "code": error["code"], "message": error["message"], "reason": error["reason"], "details": error["details"],
    } });
    (shortened(shown.to_string()), true)
}

fn shortened(text: String) -> String {
    match text.char_indices().nth(RESULT_CHARS_MAX) {
        Some((end, _)) => format!("{}… (cut off: ask for less)", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_success_is_its_data_and_a_refusal_its_error() {
        let read = |status, body: &str| content(status, body.as_bytes());
        assert_eq!(read(StatusCode::CREATED, r#"{"data":{"id":"7"}}"#), (r#"{"id":"7"}"#.to_owned(), false));
        let list =
            read(StatusCode::OK, r#"{"data":[1],"meta":{"has_more":true,"next_cursor":"x","limit":1}}"#);
        assert_eq!(serde_json::from_str::<Value>(&list.0).unwrap(), json!({ "rows": [1], "has_more": true }));
        let refused = read(
            StatusCode::NOT_FOUND,
            r#"{"error":{"code":"not_found","message":"No.","request_id":"req_1"}}"#,
        );
        assert!(refused.1 && refused.0.contains("not_found") && !refused.0.contains("req_1"), "{refused:?}");
    }

    #[test]
    fn a_long_result_is_cut() {
        let body = json!({ "data": "é".repeat(20_000) }).to_string();
        let (text, _) = content(StatusCode::OK, body.as_bytes());
        assert!(text.chars().count() < RESULT_CHARS_MAX + 40 && text.contains("cut off"));
    }
}
