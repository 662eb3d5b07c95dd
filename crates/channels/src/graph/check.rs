//! Questions to the Graph API about values that a person enters, each answered by itself.

use std::fmt::Write;

use frontdesk_kernel::mac::Mac;
use serde_json::Value;

use super::{Fault, Graph, GraphCredentials};
use crate::call::{Call, VendorResponse};
use crate::reading;

/// Whoever a token belongs to.
const ME: &str = "me";
/// Numbers of a business account that are looked through: accounts have at most a few dozen.
const NUMBERS_MAX: &str = "100";
/// Errors of the token itself.
const TOKEN_CODES: [i64; 2] = [102, 190];
/// Errors of what was asked for: no such object, or none that the token may read.
const OBJECT_CODES: [i64; 4] = [10, 100, 803, 2500];
const PERMISSION_CODES: std::ops::RangeInclusive<i64> = 200..=299;

/// The Graph API as a token sees it.
#[derive(Clone, Debug)]
pub struct GraphCheck {
    graph: Graph,
}

/// What the Graph API says to a question.
#[derive(Clone, Debug, PartialEq)]
pub enum GraphAnswer {
    Found(Value),
    /// The token is not valid.
    BadToken,
    /// There is no such object, or the token may not read it.
    Refused,
    /// Nothing was learned: the API is overloaded, or says something else.
    Unclear,
}

impl GraphCheck {
    pub fn new(credentials: GraphCredentials) -> Self {
        Self { graph: Graph::new(credentials, |_| None) }
    }

    /// Whoever the token belongs to.
    pub fn holder(&self) -> Call {
        self.graph.get(&[ME], &[("fields", "id")])
    }

    /// The same, with a proof that we have the app's secret, which the API compares.
    pub fn holder_with_proof(&self) -> Call {
        let (secret, token) = (&self.graph.credentials.app_secret, &self.graph.credentials.access_token);
        let proof: [u8; 32] = Mac::new(secret.reveal().as_bytes()).chain(token.reveal().as_bytes()).tag();
        let hex = proof.iter().fold(String::new(), |mut hex, byte| {
            // Writing to a string cannot fail.
            let _ = write!(hex, "{byte:02x}");
            hex
        });
        self.graph.get(&[ME], &[("fields", "id"), ("appsecret_proof", &hex)])
    }

    /// What the token may do.
    pub fn permissions(&self) -> Call {
        self.graph.get(&[ME, "permissions"], &[])
    }

    /// A number of WhatsApp.
    pub fn number(&self, id: &str) -> Call {
        self.graph.get(&[id], &[("fields", "id,display_phone_number")])
    }

    /// The answer to that. Something else with this id, such as a business account, is not a number.
    pub fn read_number(response: &VendorResponse<'_>) -> GraphAnswer {
        match Self::read(response) {
            GraphAnswer::Found(found) if reading::text(&found, "display_phone_number").is_none() => {
                GraphAnswer::Refused
            }
            answer => answer,
        }
    }

    /// A page or an account.
    pub fn object(&self, id: &str) -> Call {
        self.graph.get(&[id], &[("fields", "id")])
    }

    /// The numbers of a business account.
    pub fn numbers(&self, waba_id: &str) -> Call {
        self.graph.get(&[waba_id, "phone_numbers"], &[("fields", "id"), ("limit", NUMBERS_MAX)])
    }

    /// Parses the response to any of the others.
    pub fn read(response: &VendorResponse<'_>) -> GraphAnswer {
        let body = reading::body_json(response.body);
        if response.is_success() && body.is_object() && body["error"].is_null() {
            return GraphAnswer::Found(body);
        }
        match Fault::read(&body["error"]).map(|fault| fault.code) {
            Some(code) if TOKEN_CODES.contains(&code) => GraphAnswer::BadToken,
            Some(code) if OBJECT_CODES.contains(&code) || PERMISSION_CODES.contains(&code) => {
                GraphAnswer::Refused
            }
            _ => GraphAnswer::Unclear,
        }
    }

    /// Those of the needed permissions that a token was not granted. None if the response lists no permissions, as for a
    /// page's token.
    pub fn lacking<'n>(permissions: &Value, needed: &[&'n str]) -> Option<Vec<&'n str>> {
        let listed = permissions["data"].as_array().filter(|listed| !listed.is_empty())?;
        let is_granted = |name: &&&str| {
            listed.iter().any(|each| {
                each["permission"].as_str() == Some(**name) && each["status"].as_str() == Some("granted")
            })
        };
        Some(needed.iter().filter(|name| !is_granted(name)).copied().collect())
    }

    /// Whether a number is among those of a business account. None if the response does not list them all.
    pub fn has_number(numbers: &Value, phone_number_id: &str) -> Option<bool> {
        let is_listed = numbers["data"]
            .as_array()?
            .iter()
            .any(|number| reading::text(number, "id").as_deref() == Some(phone_number_id));
        if is_listed || numbers["paging"]["next"].is_null() { Some(is_listed) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use frontdesk_kernel::Secret;
    use http::HeaderMap;
    use serde_json::json;

    use super::*;

    fn answer(status: u16, body: &Value) -> GraphAnswer {
        let body = body.to_string();
        GraphCheck::read(&VendorResponse { status, headers: &HeaderMap::new(), body: body.as_bytes() })
    }

    #[test]
    fn a_wrong_token_a_wrong_id_and_an_overloaded_vendor_are_three_things() {
        let error = |code: i64| json!({ "error": { "code": code, "message": "no" } });
        assert_eq!(answer(200, &json!({ "id": "1" })), GraphAnswer::Found(json!({ "id": "1" })));
        assert_eq!(answer(401, &error(190)), GraphAnswer::BadToken);
        for code in [10, 100, 200, 803] {
            assert_eq!(answer(400, &error(code)), GraphAnswer::Refused, "{code}");
        }
        for (status, body) in [
            (429, error(4)),
            (500, error(1)),
            (502, json!("<html>")),
            (200, json!("<html>")),
            (200, json!([])),
        ] {
            assert_eq!(answer(status, &body), GraphAnswer::Unclear, "{status} {body}");
        }
    }

    #[test]
    fn a_business_account_is_no_number() {
        let read = |body: &Value| {
            let body = body.to_string();
            let response = VendorResponse { status: 200, headers: &HeaderMap::new(), body: body.as_bytes() };
            GraphCheck::read_number(&response)
        };
        assert_eq!(read(&json!({ "id": "1", "name": "Shop" })), GraphAnswer::Refused);
        let number = json!({ "id": "1", "display_phone_number": "+1 631-555-1111" });
        assert_eq!(read(&number), GraphAnswer::Found(number));
    }

    #[test]
    fn a_permission_must_be_granted() {
        let listed = json!({ "data": [
            { "permission": "a", "status": "granted" }, { "permission": "b", "status": "declined" },
        ] });
        assert_eq!(GraphCheck::lacking(&listed, &["a", "b", "c"]), Some(vec!["b", "c"]));
        assert_eq!(GraphCheck::lacking(&listed, &["a"]), Some(vec![]));
        assert_eq!(GraphCheck::lacking(&json!({ "data": [] }), &["a"]), None);
    }

    #[test]
    fn a_number_is_in_an_account_if_it_is_listed() {
        let one = json!({ "data": [{ "id": "7" }] });
        assert_eq!(GraphCheck::has_number(&one, "7"), Some(true));
        assert_eq!(GraphCheck::has_number(&one, "8"), Some(false));
        let more = json!({ "data": [{ "id": "7" }], "paging": { "next": "https://…" } });
        assert_eq!(GraphCheck::has_number(&more, "8"), None, "it may be on the next page");
        assert_eq!(GraphCheck::has_number(&json!({}), "8"), None);
    }

    #[test]
    fn the_proof_is_the_token_under_the_secret_and_shows_neither() {
        let check = GraphCheck::new(GraphCredentials {
            graph_url: "https://graph.test".to_owned(),
            version: "v23.0".to_owned(),
            access_token: Secret::new("The quick brown fox jumps over the lazy dog"),
            app_secret: Secret::new("key"),
            verify_token: Secret::new(""),
        });
        let proof = "f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8";
        let url = check.holder_with_proof().url;
        assert_eq!(url, format!("https://graph.test/v23.0/me?fields=id&appsecret_proof={proof}"));
        assert_eq!(check.object("a/1?x").url, "https://graph.test/v23.0/a%2F1%3Fx?fields=id");
    }
}
