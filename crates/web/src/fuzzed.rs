//! Queries and headers that nobody wrote.

use std::str::from_utf8;

use frontdesk_fuzz::Target;
use http::header::ACCEPT_ENCODING;
use http::{HeaderMap, HeaderValue};

use crate::accept_encoding::takes_gzip;
use crate::query::Pairs;

#[test]
fn fuzzed_queries_are_read() {
    let words = ["%", "%00", "%zz", "+", "&", "=", "%ff", "q=", "cursor="];
    Target::new("query").examples(["q=ann%20lee&limit=20&cursor=abc", "a=1&&a=2&b"]).words(words).run(
        |bytes| {
            let Ok(text) = from_utf8(bytes) else { return 0 };
            let pairs = Pairs::parse(text);
            let read: usize = pairs.iter().map(|(name, value)| name.len() + value.len()).sum();
            // A byte that is no UTF-8 is replaced by three.
            assert!(read <= 3 * text.len());
            pairs.iter().count().min(9)
        },
    );
}

#[test]
fn fuzzed_encodings_are_accepted_only_if_gzip_is_named() {
    let words = ["gzip", "GZIP", ";q=", "0", "0.001", "nan", "inf", "-1", ",", "*", "identity", "1e-9"];
    Target::new("accept-encoding").examples(["gzip;q=0.5, br", "deflate, *;q=0"]).words(words).run(|bytes| {
        let Ok(value) = HeaderValue::from_bytes(bytes) else { return None };
        let is_taken = takes_gzip(&HeaderMap::from_iter([(ACCEPT_ENCODING, value)]));
        assert!(!is_taken || from_utf8(bytes).is_ok_and(|text| text.to_ascii_lowercase().contains("gzip")));
        Some(is_taken)
    });
}
