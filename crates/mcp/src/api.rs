//! Calls of the API's operations as the principal of a request.

use std::sync::Arc;

use frontdesk_kernel::{Scope, Timestamp};
use frontdesk_platform::operations::Invocation;
use frontdesk_platform::{Dispatcher, Principal};
use http::StatusCode;
use serde_json::Value;

/// The operations, as somebody.
#[derive(Clone)]
pub(crate) struct Api {
    pub(crate) dispatcher: Arc<Dispatcher>,
    pub(crate) principal: Principal,
    /// The public URL of this installation.
    pub(crate) base_url: Arc<str>,
}

/// Why a tool did nothing, for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused(pub(crate) String);

impl Refused {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl Api {
    pub(crate) fn now(&self) -> Timestamp {
        (self.dispatcher.clock)()
    }

    pub(crate) fn can(&self, scope: Scope) -> bool {
        self.principal.scopes.contains(scope)
    }

    /// Calls an operation. Returns the body of its response.
    pub(crate) async fn call(&self, operation: &str, invocation: Invocation) -> Result<Value, Refused> {
        let reply = self.dispatcher.invoke(&self.principal, operation, invocation, self.now()).await;
        read(reply.status, &reply.body)
    }

    /// Reads something that exists by its id.
    pub(crate) async fn get(&self, operation: &str, id: &str) -> Result<Value, Refused> {
        let invocation = Invocation { params: vec![id.to_owned()], ..Invocation::default() };
        self.call(operation, invocation).await.map(|mut body| body["data"].take())
    }
}

/// The body of a response, or why there is none.
pub(crate) fn read(status: StatusCode, body: &[u8]) -> Result<Value, Refused> {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    if status.is_success() {
        return Ok(body);
    }
    let error = &body["error"];
    let mut message = error["message"].as_str().unwrap_or("The server failed. Try again later.").to_owned();
    for detail in error["details"].as_array().into_iter().flatten() {
        if let (Some(path), Some(problem)) = (detail["path"].as_str(), detail["message"].as_str()) {
            message.extend([" ", path, ": ", problem, "."]);
        }
    }
    if let Some(reason) = error["reason"].as_str() {
        message.extend([" (", reason, ")"]);
    }
    Err(Refused(message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_what_to_do_and_where() {
        let body = br#"{"error":{"code":"validation_error","message":"Correct it.","details":[{"path":"text","message":"is required"}]}}"#;
        assert_eq!(read(StatusCode::BAD_REQUEST, body), Err(Refused::new("Correct it. text: is required.")));
        assert!(read(StatusCode::BAD_GATEWAY, b"").is_err());
    }
}
