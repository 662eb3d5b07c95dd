//! What a server said, and what a test may demand of it.

use http::HeaderMap;
use serde_json::Value;

/// A response, read to its end.
#[derive(Clone, Debug)]
pub struct Response {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
    /// The body as text; empty when it is not.
    pub text: String,
    /// The body as JSON; null when it is not.
    pub json: Value,
    /// What was asked, for messages: `GET /me`.
    asked: String,
}

/// What the three rate-limit headers say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    pub limit: u64,
    pub remaining: u64,
    /// When the window ends, in Unix seconds.
    pub reset: u64,
}

impl Response {
    pub(crate) fn new(asked: String, status: u16, headers: HeaderMap, body: Vec<u8>) -> Self {
        let text = String::from_utf8(body.clone()).unwrap_or_default();
        let json = serde_json::from_slice(&body).unwrap_or_default();
        Self { status, headers, body, text, json, asked }
    }

    /// Demands this status.
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{} answered {}: {}", self.asked, self.status, self.text);
        self
    }

    /// The `data` of a success.
    #[track_caller]
    pub fn data(&self) -> &Value {
        assert!((200..300).contains(&self.status), "{} answered {}: {}", self.asked, self.status, self.text);
        self.json.get("data").unwrap_or_else(|| panic!("{} has no data: {}", self.asked, self.text))
    }

    /// The id of the resource in `data`.
    #[track_caller]
    pub fn id(&self) -> String {
        text_of(&self.data()["id"])
    }

    /// The `error` of a refusal, which must carry this code and the request's own id.
    #[track_caller]
    pub fn error(&self, code: &str) -> &Value {
        let error = &self.json["error"];
        assert_eq!(error["code"], code, "{} answered {}: {}", self.asked, self.status, self.text);
        assert!(error["message"].as_str().is_some_and(|text| text.len() > 10), "no message: {}", self.text);
        assert_eq!(error["request_id"], self.request_id(), "another request's id: {}", self.text);
        assert_eq!(self.header("content-type"), Some("application/json"), "{}", self.asked);
        error
    }

    /// Demands that a refusal names these paths in its `details`, in any order, and no others.
    #[track_caller]
    pub fn details_at(&self, paths: &[&str]) {
        let details = self.json["error"]["details"].as_array().cloned().unwrap_or_default();
        let mut found: Vec<String> = details.iter().map(|detail| text_of(&detail["path"])).collect();
        let mut wanted: Vec<String> = paths.iter().map(ToString::to_string).collect();
        found.sort();
        wanted.sort();
        assert_eq!(found, wanted, "{} answered {}: {}", self.asked, self.status, self.text);
        assert!(details.iter().all(|detail| detail["message"].is_string()), "no message: {}", self.text);
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// `X-Request-Id`, which every response carries.
    #[track_caller]
    pub fn request_id(&self) -> &str {
        let id = self.header("x-request-id").unwrap_or_else(|| panic!("{} has no request id", self.asked));
        assert!(id.len() > "req_".len() && id.starts_with("req_"), "{} has the request id {id}", self.asked);
        id
    }

    /// The rate-limit headers, which every response carries.
    #[track_caller]
    pub fn budget(&self) -> Budget {
        let [limit, remaining, reset] = ["limit", "remaining", "reset"].map(|part| {
            let name = format!("x-ratelimit-{part}");
            let value = self.header(&name).unwrap_or_else(|| panic!("{} has no {name}", self.asked));
            value.parse().unwrap_or_else(|_| panic!("{} has {name}: {value}", self.asked))
        });
        Budget { limit, remaining, reset }
    }
}

#[track_caller]
pub(crate) fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("text was expected, not {value}")).to_owned()
}
