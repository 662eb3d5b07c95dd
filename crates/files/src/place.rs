//! Where files can be: a directory or a bucket, as an address.

use std::path::{Component, Path, PathBuf};

use frontdesk_kernel::hex;
use sha2::{Digest, Sha256};

use crate::s3::S3Config;

/// Characters of the hash in a place's name.
const HASH_BYTES: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceKind {
    Directory,
    Bucket,
}

impl PlaceKind {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Directory => "directory",
            Self::Bucket => "bucket",
        }
    }
}

/// A place outside the database. Rows have its name, which follows from its address, and a setting has the address of every
/// name. So files in several places can be read at the same time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub kind: PlaceKind,
    /// The whole address, without credentials: `file:///PATH`, or `s3://BUCKET/PREFIX?endpoint=URL&region=NAME`.
    pub url: String,
    /// Such as `bucket-2f6c1d0a9b8e7f60`.
    pub name: String,
}

impl Place {
    /// Reads `database`, which is none, or a place. `variable` gives the defaults and the credentials of a bucket.
    pub fn read(text: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Option<Self>, String> {
        if text == "database" {
            return Ok(None);
        }
        if text.starts_with("s3:") {
            return Ok(Some(Self::new(PlaceKind::Bucket, S3Config::read(text, variable)?.url())));
        }
        let path = match text.strip_prefix("file://") {
            Some(path) => path,
            None if text.contains("://") => "",
            None => text,
        };
        let directory = clean(Path::new(path)).ok_or_else(|| {
            format!(
                "{text:?} is no place for files: use database, a directory such as /var/lib/frontdesk/media, or \
                 s3://BUCKET/PREFIX"
            )
        })?;
        Ok(Some(Self::new(PlaceKind::Directory, format!("file://{directory}"))))
    }

    fn new(kind: PlaceKind, url: String) -> Self {
        let hash = Sha256::digest(&url);
        Self { kind, name: format!("{}-{}", kind.name(), hex(&hash[..HASH_BYTES])), url }
    }

    /// The directory, if it is one.
    pub fn directory(&self) -> Option<PathBuf> {
        self.url.strip_prefix("file://").map(PathBuf::from)
    }
}

/// An absolute path without `.` and `..`, other than the root.
fn clean(path: &Path) -> Option<String> {
    let is_plain = path.is_absolute()
        && path.components().skip(1).count() > 0
        && path.components().skip(1).all(|part| matches!(part, Component::Normal(_)));
    let clean: PathBuf = path.components().collect();
    clean.to_str().filter(|_| is_plain).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Option<Place>, String> {
        Place::read(text, |name| name.contains("KEY").then(|| "x".to_owned()))
    }

    #[test]
    fn a_place_is_read_from_its_address() {
        assert_eq!(read("database"), Ok(None));
        let directory = read("/srv/media/").unwrap().unwrap();
        assert_eq!((directory.kind, directory.url.as_str()), (PlaceKind::Directory, "file:///srv/media"));
        assert_eq!(read("file:///srv//media").unwrap().unwrap(), directory);
        assert_eq!(read(&directory.url).unwrap().unwrap(), directory);
        assert!(directory.name.starts_with("directory-") && directory.name.len() == 26, "{directory:?}");
        let bucket = read("s3://shop/media?region=eu-central-1&endpoint=http://minio:9000").unwrap().unwrap();
        assert_eq!(bucket.url, "s3://shop/media?endpoint=http://minio:9000&region=eu-central-1");
        assert_eq!(read(&bucket.url).unwrap().unwrap(), bucket, "an address reads back");
        assert_ne!(read("s3://shop/media").unwrap().unwrap().name, bucket.name);
        for wrong in [
            "",
            "media",
            "./media",
            "/",
            "/srv/../etc",
            "file://media",
            "ftp://x/y",
            "s3://",
            "s3://shop/../x",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
