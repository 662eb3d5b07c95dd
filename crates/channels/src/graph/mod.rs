//! The base of Meta's channels: the Graph API's calls and errors, and the signatures of its webhooks.

mod check;
mod fault;
mod form;
mod proof;

use bytes::Bytes;
use frontdesk_kernel::Secret;
use http::{HeaderMap, Method};
use serde::Serialize;
use serde_json::Value;

pub use check::{GraphAnswer, GraphCheck};
use fault::Classify;
pub(crate) use fault::{Fault, unexpected};

use crate::call::{Call, Refusal, VendorResponse, escaped};
use crate::outgoing::File;

/// Where Meta's Graph API is.
pub const DEFAULT_GRAPH_URL: &str = "https://graph.facebook.com";
/// The version of it that these adapters were written against.
pub const DEFAULT_VERSION: &str = "v23.0";

const JSON: &str = "application/json";

/// How a connection reaches the Graph API, and the secrets that authenticate the two sides.
#[derive(Clone, Debug)]
pub struct GraphCredentials {
    /// [`DEFAULT_GRAPH_URL`] unless it is simulated.
    pub graph_url: String,
    /// [`DEFAULT_VERSION`] unless another is wanted.
    pub version: String,
    pub access_token: Secret,
    pub app_secret: Secret,
    pub verify_token: Secret,
}

/// The Graph API of one connection.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    base: String,
    credentials: GraphCredentials,
    classify: Classify,
}

impl Graph {
    pub(crate) fn new(credentials: GraphCredentials, classify: Classify) -> Self {
        let (url, version) =
            (credentials.graph_url.trim_end_matches('/'), credentials.version.trim_matches('/'));
        Self { base: format!("{url}/{version}"), credentials, classify }
    }

    /// The JSON of a successful response. Null is a success without valid JSON.
    pub(crate) fn read(&self, response: &VendorResponse<'_>) -> Result<Value, Refusal> {
        fault::read(response, self.classify)
    }

    /// The challenge to return, if the query subscribes with the right verify token.
    pub(crate) fn challenge(&self, query: &str) -> Option<String> {
        proof::challenge(query, &self.credentials.verify_token)
    }

    /// Whether the app's secret signed these exact bytes.
    pub(crate) fn is_genuine(&self, headers: &HeaderMap, body: &[u8]) -> bool {
        proof::is_genuine(headers, body, &self.credentials.app_secret)
    }

    pub(crate) fn get(&self, path: &[&str], query: &[(&str, &str)]) -> Call {
        let mut url = self.address(path);
        for (index, (key, value)) in query.iter().enumerate() {
            url.push(if index == 0 { '?' } else { '&' });
            url.push_str(key);
            url.push('=');
            url.push_str(&escaped(value));
        }
        self.fetch(url)
    }

    pub(crate) fn post(&self, path: &[&str], body: &impl Serialize) -> Call {
        Call {
            method: Method::POST,
            url: self.address(path),
            content_type: Some(JSON.into()),
            authorization: Some(self.bearer()),
            body: serde_json::to_vec(body).expect("a body can be written as JSON").into(),
        }
    }

    /// Uploads a file, with some fields before it.
    pub(crate) fn upload(&self, path: &[&str], fields: &[(&str, &str)], name: &str, file: &File<'_>) -> Call {
        let form = form::write(fields, name, file);
        Call {
            method: Method::POST,
            url: self.address(path),
            content_type: Some(form.content_type.into()),
            authorization: Some(self.bearer()),
            body: form.body,
        }
    }

    /// Fetches an address that the Graph API gave us, which asks for the same token.
    pub(crate) fn fetch(&self, url: String) -> Call {
        Call {
            method: Method::GET,
            url,
            content_type: None,
            authorization: Some(self.bearer()),
            body: Bytes::new(),
        }
    }

    fn address(&self, path: &[&str]) -> String {
        let path: Vec<String> = path.iter().map(|part| escaped(part)).collect();
        format!("{}/{}", self.base, path.join("/"))
    }

    fn bearer(&self) -> (&'static str, Secret) {
        ("authorization", Secret::new(format!("Bearer {}", self.credentials.access_token.reveal())))
    }
}
