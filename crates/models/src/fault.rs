//! Parses and classifies the errors of providers.
//!
//! OpenAI, Anthropic and the many servers that imitate them agree on little more than an `error` with a `message`, so
//! one parser accepts all shapes.

use std::time::Duration;

use http::HeaderMap;
use http::header::RETRY_AFTER;
use serde_json::Value;

use crate::endpoint::Endpoint;
use crate::error::{ModelError, ProviderFault};
use crate::response::Response;

/// The longest wait that a provider can ask for.
const RETRY_AFTER_SECONDS_MAX: f64 = 24.0 * 60.0 * 60.0;

/// Codes that mean that the account has no money left. Waiting does not help.
const OUT_OF_CREDIT: &[&str] = &["insufficient_quota", "billing_error", "billing_hard_limit_reached"];
/// Phrases with which providers say that the context window is too small.
const TOO_LONG: &[&str] =
    &["context length", "context window", "context size", "prompt is too long", "exceed context limit"];

/// Classifies an unsuccessful response.
pub(crate) fn classify(endpoint: &Endpoint, response: &Response) -> ModelError {
    let body: Value = serde_json::from_slice(&response.body).unwrap_or_default();
    let mut fault = read(response.status, &body);
    if fault.message.is_empty() && body.is_null() {
        String::from_utf8_lossy(&response.body).trim().clone_into(&mut fault.message);
    }
    fault.request_id = request_id(&response.headers).or(fault.request_id);
    decide(endpoint, fault, retry_after(&response.headers))
}

/// The error inside a response that claims success. Some gateways report failures of the model behind them this way.
pub(crate) fn inside(endpoint: &Endpoint, headers: &HeaderMap, body: &Value) -> Option<ModelError> {
    let error = body.get("error").filter(|error| !error.is_null())?;
    let told = error["code"].as_u64().and_then(|code| u16::try_from(code).ok());
    let status = told.filter(|status| (400..600).contains(status)).unwrap_or(502);
    let mut fault = read(status, body);
    fault.request_id = request_id(headers).or(fault.request_id);
    Some(decide(endpoint, fault, None))
}

/// The provider's id of a request.
pub(crate) fn request_id(headers: &HeaderMap) -> Option<String> {
    let id = headers.get("x-request-id").or_else(|| headers.get("request-id"))?;
    id.to_str().ok().map(ToOwned::to_owned)
}

fn read(status: u16, body: &Value) -> ProviderFault {
    let error = &body["error"];
    let text = |value: &Value| value.as_str().map(ToOwned::to_owned).filter(|text| !text.is_empty());
    let message = text(&error["message"])
        .or_else(|| text(error))
        .or_else(|| text(&body["message"]))
        .or_else(|| text(&body["detail"]));
    let code = text(&error["code"]).or_else(|| text(&error["type"]));
    let request_id = text(&body["request_id"]);
    ProviderFault { status, code, message: message.unwrap_or_default(), request_id }
}

fn decide(endpoint: &Endpoint, fault: ProviderFault, retry_after: Option<Duration>) -> ModelError {
    let provider = endpoint.provider();
    let fault = fault.cleaned(endpoint.key());
    let code = fault.code.as_deref().unwrap_or_default();
    let is_out_of_credit =
        fault.status == 402 || OUT_OF_CREDIT.contains(&code) || fault.mentions("credit balance is too low");
    let is_too_long = fault.status == 413
        || code == "context_length_exceeded"
        || (matches!(fault.status, 400 | 422) && TOO_LONG.iter().any(|words| fault.mentions(words)));
    match fault.status {
        401 | 403 => ModelError::Authentication { provider, fault },
        _ if is_out_of_credit => ModelError::OutOfCredit { provider, fault },
        _ if is_too_long => ModelError::ContextTooLong { fault },
        404 => ModelError::UnknownModel { provider, fault },
        429 => ModelError::RateLimited { provider, fault, retry_after },
        408 | 500.. => ModelError::Unavailable { provider, fault, retry_after },
        _ => ModelError::Rejected { provider, fault },
    }
}

/// How long the provider asks to wait. The header's other form, a date, would need a clock and is ignored.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let number = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<f64>().ok();
    let seconds = number("retry-after-ms").map(|millis| millis / 1000.0);
    let seconds = seconds.or_else(|| number(RETRY_AFTER.as_str()))?;
    (seconds >= 0.0).then(|| Duration::from_secs_f64(seconds.min(RETRY_AFTER_SECONDS_MAX)))
}

/// Parses the JSON of a successful response. Fails when the body is not JSON, or is an error despite the status.
pub(crate) fn read_json(endpoint: &Endpoint, response: &Response) -> Result<Value, ModelError> {
    let provider = endpoint.provider();
    let body: Value = serde_json::from_slice(&response.body).map_err(|error| {
        let reason = format!("it is not JSON: {error}");
        // A body without a `Content-Length` that ends too early was cut off in transit.
        if error.is_eof() {
            ModelError::Interrupted { provider, reason }
        } else {
            ModelError::Unreadable { provider, reason }
        }
    })?;
    match inside(endpoint, &response.headers, &body) {
        Some(error) => Err(error),
        None => Ok(body),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;
    use frontdesk_kernel::Secret;

    fn classified(status: u16, body: &str) -> ModelError {
        let endpoint = Endpoint::openai(None, Some(Secret::new("sk-1"))).unwrap();
        let response =
            Response { status, headers: HeaderMap::new(), body: Bytes::copy_from_slice(body.as_bytes()) };
        classify(&endpoint, &response)
    }

    fn kind(error: &ModelError) -> &'static str {
        match error {
            ModelError::Authentication { .. } => "authentication",
            ModelError::OutOfCredit { .. } => "credit",
            ModelError::UnknownModel { .. } => "model",
            ModelError::ContextTooLong { .. } => "long",
            ModelError::Rejected { .. } => "rejected",
            ModelError::RateLimited { .. } => "rate",
            ModelError::Unavailable { .. } => "unavailable",
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_provider_is_understood() {
        for (status, body, expected) in [
            (401, r#"{"error":{"message":"Incorrect API key","code":"invalid_api_key"}}"#, "authentication"),
            (403, r#"{"type":"error","error":{"type":"permission_error","message":"no"}}"#, "authentication"),
            (429, r#"{"error":{"message":"quota","code":"insufficient_quota"}}"#, "credit"),
            (402, "", "credit"),
            (
                400,
                r#"{"error":{"type":"invalid_request_error","message":"Your credit balance is too low"}}"#,
                "credit",
            ),
            (429, r#"{"error":{"message":"slow down","code":"rate_limit_exceeded"}}"#, "rate"),
            (404, r#"{"error":{"message":"no","code":"model_not_found"}}"#, "model"),
            (400, r#"{"error":{"message":"x","code":"context_length_exceeded"}}"#, "long"),
            (400, r#"{"error":{"message":"This model's maximum context length is 8 tokens"}}"#, "long"),
            (400, r#"{"error":{"message":"prompt is too long: 9 tokens > 8 maximum"}}"#, "long"),
            (413, r#"{"error":{"type":"request_too_large","message":"x"}}"#, "long"),
            (400, r#"{"error":{"message":"bad schema"}}"#, "rejected"),
            (422, r#"{"detail":"bad"}"#, "rejected"),
            (302, "", "rejected"),
            (408, "", "unavailable"),
            (500, r#"{"error":"model crashed"}"#, "unavailable"),
            (529, r#"{"error":{"type":"overloaded_error","message":"Overloaded"}}"#, "unavailable"),
            (502, "<html>Bad Gateway</html>", "unavailable"),
        ] {
            assert_eq!(kind(&classified(status, body)), expected, "{status} {body}");
        }
    }

    #[test]
    fn the_providers_words_are_kept() {
        let shown = |status, body| classified(status, body).to_string();
        assert!(shown(500, r#"{"error":"model crashed"}"#).contains("500: model crashed"));
        assert!(shown(422, r#"{"detail":"bad"}"#).contains("422: bad"));
        assert!(shown(502, "<html>Bad</html>").contains("<html>Bad</html>"));
        let refused = shown(401, r#"{"error":{"message":"key sk-1 is wrong","code":"invalid_api_key"}}"#);
        assert!(refused.contains("401 invalid_api_key: key [key] is wrong"), "{refused}");
        assert!(refused.contains("FRONTDESK_OPENAI_API_KEY"));
    }

    #[test]
    fn a_wait_is_read_in_both_units() {
        let asked = |name: &'static str, value: &'static str| {
            retry_after(&HeaderMap::from_iter([(name.parse().unwrap(), value.parse().unwrap())]))
        };
        assert_eq!(asked("retry-after", "2"), Some(Duration::from_secs(2)));
        assert_eq!(asked("retry-after-ms", "1500"), Some(Duration::from_millis(1500)));
        assert_eq!(asked("retry-after", "1e300"), Some(Duration::from_hours(24)));
        for odd in ["-1", "NaN", "Fri, 31 Dec 1999 23:59:59 GMT", ""] {
            assert_eq!(asked("retry-after", odd), None, "{odd}");
        }
    }
}
