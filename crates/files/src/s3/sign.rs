//! AWS signature version 4.

use std::fmt::Write;

use frontdesk_kernel::mac::Mac;
use frontdesk_kernel::{Timestamp, hex};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use sha2::{Digest, Sha256};

use super::S3Config;

const ALGORITHM: &str = "AWS4-HMAC-SHA256";
const SIGNED: &str = "host;x-amz-content-sha256;x-amz-date";

/// The query of a request, encoded. The pairs are in the order of their names.
pub(super) fn query(pairs: &[(&str, String)]) -> String {
    let pairs: Vec<String> = pairs
        .iter()
        .map(|(name, value)| format!("{}={}", encoded(name, false), encoded(value, false)))
        .collect();
    pairs.join("&")
}

/// Everything but unreserved characters as `%XX`.
pub(super) fn encoded(text: &str, keeps_slash: bool) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || (keeps_slash && byte == b'/') {
            out.push(byte.into());
        } else {
            let _infallible = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// The headers of a signed request. The path and the query are encoded.
pub(super) fn headers(
    config: &S3Config,
    method: &Method,
    path: &str,
    query: &str,
    body: &[u8],
    now: Timestamp,
) -> Result<HeaderMap, String> {
    let content = hex(&Sha256::digest(body));
    let (day, moment) = moment(now);
    let canonical = format!(
        "{method}\n{path}\n{query}\nhost:{}\nx-amz-content-sha256:{content}\nx-amz-date:{moment}\n\n{SIGNED}\n{content}",
        config.host()
    );
    let scope = format!("{day}/{}/s3/aws4_request", config.region);
    let text = format!("{ALGORITHM}\n{moment}\n{scope}\n{}", hex(&Sha256::digest(&canonical)));
    let signature = hex(&keyed(&signing_key(config, &day), &text));
    let authorization = format!(
        "{ALGORITHM} Credential={}/{scope}, SignedHeaders={SIGNED}, Signature={signature}",
        config.key_id
    );
    let mut headers = HeaderMap::new();
    let pairs = [
        ("host", config.host()),
        ("x-amz-content-sha256", &content),
        ("x-amz-date", &moment),
        ("authorization", &authorization),
    ];
    for (name, value) in pairs {
        let mut value =
            HeaderValue::from_str(value).map_err(|_| format!("{name} has characters that no header has"))?;
        value.set_sensitive(name == "authorization");
        headers.insert(HeaderName::from_static(name), value);
    }
    Ok(headers)
}

fn signing_key(config: &S3Config, day: &str) -> [u8; 32] {
    let key = keyed(format!("AWS4{}", config.secret.reveal()).as_bytes(), day);
    let key = keyed(&key, &config.region);
    keyed(&keyed(&key, "s3"), "aws4_request")
}

fn keyed(key: &[u8], text: &str) -> [u8; 32] {
    Mac::new(key).chain(text.as_bytes()).tag()
}

/// A day, and a moment: `20130524` and `20130524T000000Z`.
fn moment(now: Timestamp) -> (String, String) {
    let digits: String = now.to_string().chars().filter(char::is_ascii_digit).take(14).collect();
    let (day, time) = digits.split_at(8);
    (day.to_owned(), format!("{day}T{time}Z"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::s3::config::example;

    /// The example of the vendor's documentation for listing a bucket, with the bucket in the host.
    #[test]
    fn a_list_is_signed_as_the_documentation_shows() {
        let config = S3Config { endpoint: "https://examplebucket.s3.amazonaws.com".to_owned(), ..example() };
        let query = query(&[("max-keys", "2".to_owned()), ("prefix", "J".to_owned())]);
        let now = Timestamp::from_millis(1_369_353_600_000);
        let headers = headers(&config, &Method::GET, "/", &query, b"", now).unwrap();
        let authorization = headers["authorization"].to_str().unwrap();
        assert!(
            authorization
                .ends_with("Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
            "{authorization}"
        );
        assert!(authorization.contains("Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request"));
        assert_eq!(headers["x-amz-date"], "20130524T000000Z");
        assert!(!format!("{headers:?}").contains("Signature"), "it would be logged");
    }

    #[test]
    fn names_are_encoded_as_the_signature_demands() {
        assert_eq!(encoded("a b/ü~", true), "a%20b/%C3%BC~");
        assert_eq!(encoded("a/b+c=", false), "a%2Fb%2Bc%3D");
    }
}
