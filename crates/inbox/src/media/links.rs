//! Links to media, signed: those that are shown with a message are valid for about a day, and an upload's own link until
//! its file is deleted.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::mac::Mac;
use frontdesk_platform::Services;
use uuid::Uuid;

use super::MediaId;

const HOUR_SECONDS: i64 = 60 * 60;
/// A link is valid for a day and the rest of the hour, so that it stays the same for a while and can be
/// cached.
const GOOD_HOURS: i64 = 25;
/// The expiry of a link that is valid for as long as its file exists, in seconds since 1970.
const NEVER: i64 = i64::MAX;
const SIGNATURE_BYTES: usize = 16;
const TOKEN_BYTES: usize = 16 + 8 + SIGNATURE_BYTES;

/// Creates and verifies links.
#[derive(Clone)]
pub struct Links {
    key: [u8; 32],
    base_url: String,
}

/// A file of ours, and a link that is valid for as long as the file exists.
pub(crate) struct OwnFile {
    pub(crate) id: MediaId,
    pub(crate) url: String,
}

impl Links {
    pub fn of(services: &Services) -> Self {
        Self { key: services.secrets.derive("media links"), base_url: services.base_url.clone() }
    }

    /// The signed address of a file, valid for a limited time.
    pub fn to(&self, media: MediaId, now: Timestamp) -> String {
        let until = (now.seconds() / HOUR_SECONDS + GOOD_HOURS) * HOUR_SECONDS;
        format!("{}/media/{}", self.base_url, self.token(media, until))
    }

    /// The signed address of a file, valid until the file is deleted.
    pub fn lasting(&self, media: MediaId) -> String {
        format!("{}/media/{}", self.base_url, self.token(media, NEVER))
    }

    fn token(&self, media: MediaId, until: i64) -> String {
        let mut bytes = Vec::with_capacity(TOKEN_BYTES);
        bytes.extend_from_slice(media.uuid().as_bytes());
        bytes.extend_from_slice(&until.to_be_bytes());
        let signature = self.mac(&bytes).tag::<SIGNATURE_BYTES>();
        bytes.extend_from_slice(&signature);
        URL_SAFE_NO_PAD.encode(bytes)
    }

    #[cfg(test)]
    pub(super) fn for_tests(key: [u8; 32], base_url: &str) -> Self {
        Self { key, base_url: base_url.into() }
    }

    fn mac(&self, bytes: &[u8]) -> Mac {
        Mac::new(&self.key).chain(bytes)
    }

    /// The file that one of our own links names, even if the link has expired.
    pub fn named(&self, url: &str) -> Option<MediaId> {
        let token = url.strip_prefix(&self.base_url)?.strip_prefix("/media/")?;
        self.read(token).map(|(media, _)| media)
    }

    /// The file that one of our own links names, with a link that lasts.
    pub(crate) fn own_file(&self, url: &str) -> Option<OwnFile> {
        self.named(url).map(|id| OwnFile { id, url: self.lasting(id) })
    }

    /// The file that a token opens, if the token was signed here and has not expired.
    pub(super) fn open(&self, token: &str, now: Timestamp) -> Option<MediaId> {
        let (media, until) = self.read(token)?;
        (until > now.seconds()).then_some(media)
    }

    /// The file and the expiry of a token that was signed here.
    fn read(&self, token: &str) -> Option<(MediaId, i64)> {
        let bytes = URL_SAFE_NO_PAD.decode(token).ok().filter(|bytes| bytes.len() == TOKEN_BYTES)?;
        let (said, signature) = bytes.split_at(TOKEN_BYTES - SIGNATURE_BYTES);
        if !self.mac(said).is_tag::<SIGNATURE_BYTES>(signature) {
            return None;
        }
        let (id, until) = said.split_at(16);
        let until = i64::from_be_bytes(until.try_into().ok()?);
        Some((MediaId::from_uuid(Uuid::from_slice(id).ok()?), until))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_opens_what_it_was_made_for_until_it_expires() {
        let links = Links { key: [7; 32], base_url: "https://x.example".into() };
        let now = Timestamp::from_millis(1_800_000_000_000);
        let media = MediaId::from_uuid(Uuid::from_u128(42));
        let link = links.to(media, now);
        let token = link.strip_prefix("https://x.example/media/").unwrap();
        assert_eq!(links.open(token, now), Some(media));
        assert_eq!(links.open(token, now.plus_days(1)), Some(media));
        assert_eq!(links.open(token, now.plus_days(2)), None);
        assert_eq!(links.named(&link), Some(media));
        let lasting = links.lasting(media);
        let lasting = lasting.strip_prefix("https://x.example/media/").unwrap();
        assert_eq!(links.open(lasting, now.plus_days(10_000)), Some(media));
        assert_eq!(links.named("https://y.example/media/x"), None);
        let other = Links { key: [8; 32], ..links.clone() };
        assert_eq!(other.open(token, now), None);
        for at in 0..token.len() {
            let mut altered = token.to_owned().into_bytes();
            altered[at] = if altered[at] == b'A' { b'B' } else { b'A' };
            assert_eq!(links.open(std::str::from_utf8(&altered).unwrap(), now), None, "{at}");
        }
    }
}
