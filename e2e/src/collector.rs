//! A collector of traces for tests: a [`Sink`] that reads OTLP in JSON.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::sink::{Reply, Sink};
use crate::until::came_true;

const PATH: &str = "/v1/traces";

/// A collector, gone when dropped.
#[derive(Debug)]
pub struct Collector {
    sink: Sink,
}

/// A span as it was exported.
#[derive(Clone, Debug)]
pub struct ExportedSpan {
    pub trace: String,
    pub id: String,
    pub parent: Option<String>,
    pub name: String,
    pub kind: u64,
    pub attributes: BTreeMap<String, Value>,
    pub error: Option<String>,
    pub nanoseconds: u64,
}

impl ExportedSpan {
    /// The text or the number of an attribute, as text; empty if there is none.
    pub fn attribute(&self, key: &str) -> String {
        self.attributes
            .get(key)
            .map(|value| value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned))
            .unwrap_or_default()
    }
}

impl Collector {
    #[expect(clippy::new_without_default, reason = "it starts a server")]
    pub fn new() -> Self {
        Self { sink: Sink::start() }
    }

    /// What to configure as the endpoint.
    pub fn endpoint(&self) -> String {
        self.sink.url("")
    }

    /// Says what the next requests are answered, one after the other, and then always.
    pub fn respond(&self, turns: impl IntoIterator<Item = Reply>, then: Reply) {
        self.sink.answer_in_turn(PATH, turns, then);
    }

    /// The server behind it.
    pub fn sink(&self) -> &Sink {
        &self.sink
    }

    /// Every byte that came, headers and bodies.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for received in self.sink.received() {
            bytes.extend(received.path.as_bytes());
            for (name, value) in &received.headers {
                bytes.extend(name.as_str().as_bytes());
                bytes.extend(value.as_bytes());
            }
            bytes.extend(received.body);
        }
        bytes
    }

    /// The spans that came, in order. Those of a request that was sent again come again.
    pub fn spans(&self) -> Vec<ExportedSpan> {
        self.sink.at(PATH).iter().flat_map(|received| read(&received.json())).collect()
    }

    /// Waits for spans, and returns what was found in them.
    #[track_caller]
    pub fn wait<T>(&self, what: &str, find: impl Fn(&[ExportedSpan]) -> Option<T>) -> T {
        let mut found = None;
        let came = came_true(|| {
            found = find(&self.spans());
            found.is_some()
        });
        assert!(came, "{what} was never exported: {:#?}", self.spans());
        found.expect("it was found")
    }
}

fn read(body: &Value) -> Vec<ExportedSpan> {
    let list = |value: &Value| value.as_array().cloned().expect("a list");
    let mut spans = Vec::new();
    for resource in list(&body["resourceSpans"]) {
        for scope in list(&resource["scopeSpans"]) {
            spans.extend(list(&scope["spans"]).iter().map(read_span));
        }
    }
    spans
}

fn read_span(span: &Value) -> ExportedSpan {
    let text = |key: &str| span[key].as_str().map(ToOwned::to_owned);
    let time = |key: &str| text(key).and_then(|text| text.parse::<u64>().ok()).expect("a time as text");
    let attributes = span["attributes"].as_array().cloned().unwrap_or_default();
    let attributes = attributes.iter().map(|attribute| {
        let (key, value) = (&attribute["key"], attribute["value"].as_object().expect("a value"));
        (key.as_str().expect("a key").to_owned(), value.values().next().cloned().expect("a value"))
    });
    ExportedSpan {
        trace: text("traceId").expect("a trace"),
        id: text("spanId").expect("an id"),
        parent: text("parentSpanId"),
        name: text("name").expect("a name"),
        kind: span["kind"].as_u64().expect("a kind"),
        attributes: attributes.collect(),
        error: span["status"]["message"].as_str().map(ToOwned::to_owned),
        nanoseconds: time("endTimeUnixNano") - time("startTimeUnixNano"),
    }
}
