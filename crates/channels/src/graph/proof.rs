//! Verifies Meta's webhooks: the challenge at setup, and the signature of each body.

use frontdesk_kernel::{Secret, mac};
use http::HeaderMap;
use percent_encoding::percent_decode_str;

const SIGNATURE: &str = "x-hub-signature-256";
const SCHEME: &str = "sha256=";

/// The challenge to return, if the query subscribes with the right verify token.
pub(super) fn challenge(query: &str, agreed: &Secret) -> Option<String> {
    let value = |wanted: &str| query.split('&').find_map(|pair| value_of(pair, wanted));
    let subscribes = value("hub.mode")? == "subscribe"
        && mac::is_agreed(agreed.reveal(), value("hub.verify_token")?.as_bytes());
    if subscribes { value("hub.challenge") } else { None }
}

/// Whether the app's secret signed these exact bytes.
pub(super) fn is_genuine(headers: &HeaderMap, body: &[u8], app_secret: &Secret) -> bool {
    headers
        .get(SIGNATURE)
        .and_then(|value| value.to_str().ok()?.strip_prefix(SCHEME))
        .is_some_and(|hex| mac::is_hex_sha256(app_secret.reveal(), body, hex))
}

fn value_of(pair: &str, wanted: &str) -> Option<String> {
    let (key, value) = pair.split_once('=')?;
    if decoded(key)? == wanted { decoded(value) } else { None }
}

/// A form's text: a plus sign is a space there.
fn decoded(text: &str) -> Option<String> {
    let spaced = text.replace('+', " ");
    percent_decode_str(&spaced).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &[u8] = br#"{"object":"whatsapp_business_account"}"#;
    const SIGNED: &str = "0bf7374433906636bed1653bc7c64affb42fa5da9a39e251ab95c2e3a9c06923";

    #[test]
    fn the_challenge_is_returned_for_the_right_token() {
        let agreed = Secret::new("a b+c&d");
        let query = "hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=a+b%2Bc%26d";
        assert_eq!(challenge(query, &agreed).as_deref(), Some("1158201444"));
    }

    #[test]
    fn no_challenge_is_given_back_to_anyone_else() {
        let agreed = Secret::new("token");
        for query in [
            "",
            "hub.mode=subscribe",
            "hub.mode=subscribe&hub.verify_token=token",
            "hub.mode=subscribe&hub.verify_token=Token&hub.challenge=1",
            "hub.mode=unsubscribe&hub.verify_token=token&hub.challenge=1",
            "hub.verify_token=token&hub.challenge=1",
            "hub.mode=subscribe&hub.verify_token=%ff&hub.challenge=1",
        ] {
            assert_eq!(challenge(query, &agreed), None, "{query}");
        }
        let none_agreed = "hub.mode=subscribe&hub.verify_token=&hub.challenge=1";
        assert_eq!(challenge(none_agreed, &Secret::new("")), None);
    }

    fn headers(value: &str) -> HeaderMap {
        HeaderMap::from_iter([(http::HeaderName::from_static(SIGNATURE), value.parse().unwrap())])
    }

    #[test]
    fn only_the_secret_s_own_signature_is_genuine() {
        let secret = Secret::new("app-secret");
        assert!(is_genuine(&headers(&format!("sha256={SIGNED}")), BODY, &secret));
        assert!(is_genuine(&headers(&format!("sha256={}", SIGNED.to_uppercase())), BODY, &secret));
        assert!(!is_genuine(&headers(&format!("sha256={SIGNED}")), b"{}", &secret));
        assert!(!is_genuine(&headers(&format!("sha256={SIGNED}")), BODY, &Secret::new("other")));
        assert!(!is_genuine(&headers(SIGNED), BODY, &secret), "without its scheme");
        assert!(!is_genuine(&headers(&format!("sha1={SIGNED}")), BODY, &secret));
        assert!(!is_genuine(&headers("sha256="), BODY, &secret));
        assert!(!is_genuine(&HeaderMap::new(), BODY, &secret), "without the header");
    }
}
