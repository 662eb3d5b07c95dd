//! Spans in the JSON encoding of OTLP: ids in hexadecimal, integers of 64 bits as strings.

use frontdesk_trace::{FinishedSpan, Value as SpanValue};
use serde_json::{Value, json};

/// The name of the instrumentation.
const SCOPE: &str = "frontdesk";
/// OTLP's code of a failed span.
const STATUS_ERROR: u8 = 2;

/// The attributes of this process.
pub(super) fn resource(service_name: &str) -> Value {
    let instance = format!("{:016x}", rand::random::<u64>());
    json!({ "attributes": [
        text("service.name", service_name),
        text("service.version", env!("CARGO_PKG_VERSION")),
        text("service.instance.id", &instance),
    ] })
}

/// The body of a request with these spans.
pub(super) fn request(resource: &Value, spans: &[FinishedSpan]) -> Vec<u8> {
    let spans: Vec<Value> = spans.iter().map(span).collect();
    let scope = json!({ "name": SCOPE, "version": env!("CARGO_PKG_VERSION") });
    let body = json!({ "resourceSpans": [{
        "resource": resource,
        "scopeSpans": [{ "scope": scope, "spans": spans }],
    }] });
    serde_json::to_vec(&body).expect("it is plain data")
}

fn span(span: &FinishedSpan) -> Value {
    let attributes: Vec<Value> = span.attributes.iter().map(|(key, value)| attribute(key, value)).collect();
    let mut encoded = json!({
        "traceId": format!("{:032x}", span.context.trace),
        "spanId": format!("{:016x}", span.context.span),
        "name": span.name,
        "kind": span.kind as u8,
        "startTimeUnixNano": span.begun.to_string(),
        "endTimeUnixNano": span.ended.to_string(),
        "attributes": attributes,
    });
    if let Some(parent) = span.parent {
        encoded["parentSpanId"] = format!("{parent:016x}").into();
    }
    if let Some(message) = span.error {
        encoded["status"] = json!({ "code": STATUS_ERROR, "message": message });
    }
    encoded
}

fn attribute(key: &str, value: &SpanValue) -> Value {
    match value {
        SpanValue::Text(value) => text(key, value),
        SpanValue::Int(number) => json!({ "key": key, "value": { "intValue": number.to_string() } }),
        SpanValue::Bool(is_so) => json!({ "key": key, "value": { "boolValue": is_so } }),
    }
}

fn text(key: &str, value: &str) -> Value {
    json!({ "key": key, "value": { "stringValue": value } })
}

#[cfg(test)]
mod tests {
    use super::*;
    use frontdesk_trace::{Context, SpanKind};

    #[test]
    fn a_span_is_encoded_as_collectors_read_it() {
        let finished = FinishedSpan {
            context: Context { trace: 0xabc, span: 0xdef, is_sampled: true },
            parent: Some(1),
            name: "GET /contacts".into(),
            kind: SpanKind::Server,
            begun: 1_800_000_000_000_000_001,
            ended: 1_800_000_000_000_000_002,
            attributes: vec![
                ("http.response.status_code", 200_i64.into()),
                ("a", true.into()),
                ("b", "c".into()),
            ],
            error: Some("timeout"),
        };
        let body: Value = serde_json::from_slice(&request(&resource("desk"), &[finished])).unwrap();
        let resource = &body["resourceSpans"][0];
        assert_eq!(resource["resource"]["attributes"][0], text("service.name", "desk"));
        assert_eq!(
            resource["scopeSpans"][0]["spans"][0],
            json!({
                "traceId": "00000000000000000000000000000abc",
                "spanId": "0000000000000def",
                "parentSpanId": "0000000000000001",
                "name": "GET /contacts",
                "kind": 2,
                "startTimeUnixNano": "1800000000000000001",
                "endTimeUnixNano": "1800000000000000002",
                "attributes": [
                    { "key": "http.response.status_code", "value": { "intValue": "200" } },
                    { "key": "a", "value": { "boolValue": true } },
                    { "key": "b", "value": { "stringValue": "c" } },
                ],
                "status": { "code": 2, "message": "timeout" },
            })
        );
    }
}
