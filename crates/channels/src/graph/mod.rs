//! What Meta's channels share: the Graph API's calls, its errors, and its webhooks' proofs.

mod fault;
mod form;
mod proof;

use bytes::Bytes;
use frontdesk_kernel::Secret;
use http::Method;
use serde::Serialize;

pub(crate) use fault::{Fault, read, unexpected};
pub(crate) use proof::{challenge, is_genuine};

use crate::call::escaped;
use crate::{Call, File};

/// Where Meta's Graph API is.
pub const DEFAULT_GRAPH_URL: &str = "https://graph.facebook.com";
/// The version of it that these adapters were written against.
pub const DEFAULT_VERSION: &str = "v23.0";

const JSON: &str = "application/json";

/// The Graph API as one connection calls it.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    base: String,
    token: Secret,
}

impl Graph {
    pub(crate) fn new(url: &str, version: &str, token: Secret) -> Self {
        Self { base: format!("{}/{}", url.trim_end_matches('/'), version.trim_matches('/')), token }
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
        ("authorization", Secret::new(format!("Bearer {}", self.token.reveal())))
    }
}
