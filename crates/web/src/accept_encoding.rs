//! Whether a client accepts gzip.

use http::HeaderMap;
use http::header::ACCEPT_ENCODING;

/// Whether the client accepts gzip: it is listed, and not with a weight of zero.
pub fn takes_gzip(headers: &HeaderMap) -> bool {
    headers
        .get_all(ACCEPT_ENCODING)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|item| {
            let mut parts = item.split(';').map(str::trim);
            let is_gzip = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
            is_gzip
                && parts.filter_map(|part| part.split_once('=')).all(|(name, weight)| {
                    !name.trim().eq_ignore_ascii_case("q")
                        || weight.trim().parse::<f32>().is_ok_and(|q| q > 0.0)
                })
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn accepting(value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static(value))])
    }

    #[test]
    fn gzip_needs_accept_encoding() {
        for yes in ["gzip", "deflate, gzip, br", "GZIP;q=0.5", "br;q=1.0, gzip; q=0.001"] {
            assert!(takes_gzip(&accepting(yes)), "{yes}");
        }
        for no in ["", "identity", "gzip;q=0", "gzip; q=0.000", "x-gzip", "gzip;q=banana", "br"] {
            assert!(!takes_gzip(&accepting(no)), "{no}");
        }
        assert!(!takes_gzip(&HeaderMap::new()));
    }
}
