//! Which bucket, and how it is reached.

use std::fmt;

use frontdesk_kernel::Secret;
use http::Uri;

/// The variables of all buckets. An address may name its own endpoint and region.
pub const VARIABLES: [&str; 5] = [ENDPOINT, REGION, KEY_ID, SECRET_KEY, PART_MIB];
const ENDPOINT: &str = "FRONTDESK_S3_ENDPOINT";
const REGION: &str = "FRONTDESK_S3_REGION";
const KEY_ID: &str = "FRONTDESK_S3_ACCESS_KEY_ID";
const SECRET_KEY: &str = "FRONTDESK_S3_SECRET_ACCESS_KEY";
const PART_MIB: &str = "FRONTDESK_S3_PART_MIB";
const REGION_DEFAULT: &str = "us-east-1";
/// The storage takes no smaller parts but the last.
const PART_MIB_MIN: u64 = 5;
const PART_MIB_MAX: u64 = 512;
const PART_MIB_DEFAULT: u64 = 16;

#[derive(Clone)]
pub struct S3Config {
    /// Such as `https://s3.eu-central-1.amazonaws.com`, without a last slash.
    pub(crate) endpoint: String,
    pub(super) region: String,
    pub(super) bucket: String,
    /// Empty, or with a last slash.
    pub(super) prefix: String,
    pub(super) key_id: String,
    pub(super) secret: Secret,
    pub(super) part_bytes: u64,
}

impl fmt::Debug for S3Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "s3://{}/{} at {}", self.bucket, self.prefix, self.endpoint)
    }
}

impl S3Config {
    /// Reads `s3://BUCKET/PREFIX?endpoint=URL&region=NAME` and the variables, which are the defaults of the query.
    pub fn read(text: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        let (place, query) = text.split_once('?').unwrap_or((text, ""));
        let place = place.strip_prefix("s3://").unwrap_or_default();
        let (bucket, prefix) = place.split_once('/').unwrap_or((place, ""));
        let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.';
        if bucket.is_empty() || !bucket.chars().all(is_name) {
            return Err(format!("{text:?} names no bucket: use s3://BUCKET/PREFIX"));
        }
        let prefix = prefix.trim_matches('/');
        if prefix.split('/').any(|part| matches!(part, "." | "..")) || prefix.chars().any(char::is_control) {
            return Err(format!("{text:?} has a prefix that no bucket should have: leave . and .. out"));
        }
        let prefix = if prefix.is_empty() { String::new() } else { format!("{prefix}/") };
        let (mut endpoint, mut region) = (variable(ENDPOINT), variable(REGION));
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            match &*name {
                "endpoint" => endpoint = Some(value.into_owned()),
                "region" => region = Some(value.into_owned()),
                other => {
                    return Err(format!(
                        "{text:?} has the unknown option {other}: there are endpoint and region"
                    ));
                }
            }
        }
        let needed = |name: &str| {
            variable(name).ok_or_else(|| format!("{name} is not set, and s3://{bucket} needs it"))
        };
        let region = region.unwrap_or_else(|| REGION_DEFAULT.to_owned());
        if !region.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_') {
            return Err(format!("{region:?} is no region"));
        }
        let endpoint = match endpoint {
            None => format!("https://s3.{region}.amazonaws.com"),
            Some(text) => read_endpoint(&text)?,
        };
        let part_mib = match variable(PART_MIB) {
            None => PART_MIB_DEFAULT,
            Some(text) => {
                let number =
                    text.parse().ok().filter(|number| (PART_MIB_MIN..=PART_MIB_MAX).contains(number));
                number.ok_or_else(|| {
                    format!("{PART_MIB} is a number from {PART_MIB_MIN} to {PART_MIB_MAX}, not {text:?}")
                })?
            }
        };
        Ok(Self {
            endpoint,
            region,
            bucket: bucket.to_owned(),
            prefix,
            key_id: needed(KEY_ID)?,
            secret: Secret::new(needed(SECRET_KEY)?),
            part_bytes: part_mib << 20,
        })
    }

    /// The whole address, without credentials. It reads back as the same place.
    pub fn url(&self) -> String {
        let prefix = self.prefix.trim_end_matches('/');
        let slash = if prefix.is_empty() { "" } else { "/" };
        format!("s3://{}{slash}{prefix}?endpoint={}&region={}", self.bucket, self.endpoint, self.region)
    }

    /// The path of an object, encoded. The bucket is part of the path, which every storage understands.
    pub(super) fn path(&self, key: &str) -> String {
        format!("/{}/{}", self.bucket, super::sign::encoded(key, true))
    }

    /// The host and the port of the endpoint, as they stand in the request.
    pub(super) fn host(&self) -> &str {
        self.endpoint.split_once("://").map_or("", |(_, host)| host)
    }
}

fn read_endpoint(text: &str) -> Result<String, String> {
    let bare = text.trim().trim_end_matches('/');
    let uri: Option<Uri> = bare.parse().ok();
    let is_usable = uri.is_some_and(|uri| {
        matches!(uri.scheme_str(), Some("http" | "https"))
            && matches!(uri.path(), "" | "/")
            && uri.authority().is_some_and(|authority| {
                authority.as_str().chars().all(|c| c.is_ascii_alphanumeric() || ".-_:[]".contains(c))
            })
    });
    if is_usable {
        Ok(bare.to_owned())
    } else {
        Err(format!("{ENDPOINT} is an address such as https://HOST:PORT, not {text:?}"))
    }
}

#[cfg(test)]
pub(super) fn example() -> S3Config {
    S3Config::read("s3://backups/shop", |name| match name {
        "FRONTDESK_S3_ACCESS_KEY_ID" => Some("AKIAIOSFODNN7EXAMPLE".to_owned()),
        "FRONTDESK_S3_SECRET_ACCESS_KEY" => Some("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".to_owned()),
        _ => None,
    })
    .expect("it is complete")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_read_with_its_variables() {
        let config = example();
        assert_eq!(config.endpoint, "https://s3.us-east-1.amazonaws.com");
        assert_eq!(config.path("shop/a b.backup"), "/backups/shop/a%20b.backup");
        assert_eq!(format!("{config:?}"), "s3://backups/shop/ at https://s3.us-east-1.amazonaws.com");
        for wrong in
            ["s3://", "s3:///x", "s3:bucket", "s3://Bucket", "s3://b/../x", "s3://b?x=1", "s3://b?region=a/b"]
        {
            assert!(S3Config::read(wrong, |_| Some("x".to_owned())).is_err(), "{wrong}");
        }
        assert!(S3Config::read("s3://backups", |_| None).unwrap_err().contains("ACCESS_KEY_ID"));
        for wrong in ["minio:9000", "ftp://minio", "http://a:b@minio", "http://minio/path"] {
            assert!(read_endpoint(wrong).is_err(), "{wrong}");
        }
        assert_eq!(read_endpoint("http://minio:9000/").unwrap(), "http://minio:9000");
    }
}
