//! The URL of Redis, with or without TLS: `rediss://…` or `redis://…`.
//!
//! The server's certificate is always checked, against the public authorities or those in a file:
//! `?sslrootcert=PATH`, PostgreSQL's name for it.

use ::redis::{Client, ErrorKind, RedisError, TlsCertificates};
use percent_encoding::percent_decode_str;

const ENCRYPTED: &str = "rediss://";
const ROOT: &str = "sslrootcert=";

pub(super) fn client(url: &str) -> Result<Client, RedisError> {
    let (url, root) = split(url);
    if !url.starts_with(ENCRYPTED) {
        if root.is_some() {
            return Err(invalid("sslrootcert goes with rediss://", "this is redis://"));
        }
        return Client::open(url);
    }
    let read = |path: String| {
        std::fs::read(&path)
            .map_err(|error| invalid("sslrootcert cannot be read", format!("{path}: {error}")))
    };
    let root_cert = root.map(read).transpose()?;
    Client::build_with_tls(url, TlsCertificates { client_tls: None, root_cert })
}

/// The URL without `sslrootcert`, and its value.
fn split(url: &str) -> (String, Option<String>) {
    let Some((address, query)) = url.split_once('?') else { return (url.to_owned(), None) };
    let (roots, others): (Vec<&str>, Vec<&str>) = query.split('&').partition(|pair| pair.starts_with(ROOT));
    let root = roots.last().and_then(|pair| pair.strip_prefix(ROOT));
    let root = root.map(|path| percent_decode_str(path).decode_utf8_lossy().into_owned());
    let url = if others.is_empty() { address.to_owned() } else { format!("{address}?{}", others.join("&")) };
    (url, root)
}

/// The detail is shown to the operator, so it never contains a URL, which may contain a password.
fn invalid(why: &'static str, detail: impl Into<String>) -> RedisError {
    (ErrorKind::InvalidClientConfig, why, detail.into()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_authorities_is_taken_out_of_the_url() {
        let own = |url: &str, root: Option<&str>| (url.to_owned(), root.map(ToOwned::to_owned));
        assert_eq!(split("redis://h/1"), own("redis://h/1", None));
        assert_eq!(split("rediss://h/1?sslrootcert=/a%20b.pem"), own("rediss://h/1", Some("/a b.pem")));
        assert_eq!(
            split("rediss://h?protocol=resp3&sslrootcert=/ca"),
            own("rediss://h?protocol=resp3", Some("/ca"))
        );
    }

    #[test]
    fn a_file_that_would_not_be_used_or_cannot_be_read_is_an_error() {
        let refused = |url: &str| client(url).map(|_| ()).expect_err("an error").to_string();
        assert!(refused("redis://u:secret@h?sslrootcert=/ca").contains("goes with rediss://"));
        assert!(!refused("redis://u:secret@h?sslrootcert=/ca").contains("secret"));
        assert!(refused("rediss://u:secret@h?sslrootcert=/nowhere/ca").contains("/nowhere/ca"));
        assert!(client("rediss://h").is_ok() && client("redis://h").is_ok());
    }
}
