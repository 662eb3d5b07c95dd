//! The file of a message, for a channel that takes files instead of links.
//!
//! An integrator gave the link, so the outbound client fetches it, with its address checks. The channel never
//! sees the link.

use std::sync::LazyLock;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use frontdesk_channels::{Class, MediaKind, Payload, Refusal, reasons};
use frontdesk_kernel::ids::AccountId;
use frontdesk_outbound::{Client, Error};
use frontdesk_platform::{FairSlot, FairSlots, Services};
use http::header::{CONTENT_TYPE, USER_AGENT};
use http::{HeaderMap, HeaderValue, Method, Uri};

use super::outcome::{SendOutcome, broken};

/// The deadline for the whole file.
pub(super) const FILE_TIME_MAX: Duration = Duration::from_secs(10);
/// The largest file, which is in memory while it is sent.
const FILE_BYTES_MAX: usize = 16 << 20;
/// Maximum files in memory: of all accounts, and of one. The others wait, for at most `TURN_TIME_MAX`.
const FILES_MAX: usize = 8;
const ACCOUNT_FILES_MAX: usize = 2;
pub(super) const TURN_TIME_MAX: Duration = Duration::from_secs(20);

static SLOTS: LazyLock<FairSlots<AccountId>> = LazyLock::new(|| FairSlots::new(FILES_MAX, ACCOUNT_FILES_MAX));

/// A file as it was fetched.
struct File {
    bytes: Bytes,
    content_type: Option<String>,
}

/// Why there is no file.
#[derive(Debug, PartialEq, Eq)]
enum Missing {
    /// A retry may help.
    ForNow(String),
    ForGood(String),
    TooLarge,
}

/// Fetches the file of a media message. Other messages are unchanged. The turn ends when the file is no longer in memory.
pub(super) async fn fill_in(
    services: &Services,
    account: AccountId,
    payload: &mut Payload,
) -> Result<Option<FairSlot<AccountId>>, SendOutcome> {
    let Payload::Media { kind, url, bytes, filename, content_type, .. } = payload else { return Ok(None) };
    let turn = tokio::time::timeout(TURN_TIME_MAX, SLOTS.take(account)).await.map_err(|_| no_turn())?;
    let fetched = tokio::time::timeout(FILE_TIME_MAX, fetch(&services.outbound, url)).await;
    let late = || Missing::ForNow(format!("it did not come within {} seconds", FILE_TIME_MAX.as_secs()));
    let file = fetched.unwrap_or_else(|_| Err(late())).map_err(outcome)?;
    if filename.is_none() && *kind == MediaKind::Document {
        *filename = last_part(url);
    }
    *content_type = file.content_type;
    *bytes = Some(file.bytes);
    Ok(turn)
}

/// The account sends more files than it may at a time. Nothing was sent, so the message is tried again.
pub(super) fn no_turn() -> SendOutcome {
    SendOutcome::Unreached(format!(
        "other files of the account took longer than {} seconds",
        TURN_TIME_MAX.as_secs()
    ))
}

async fn fetch(client: &Client, url: &str) -> Result<File, Missing> {
    let uri: Uri = url.parse().map_err(|_| Missing::ForGood("it is no address".to_owned()))?;
    let mut headers = HeaderMap::with_capacity(1);
    headers.insert(USER_AGENT, HeaderValue::from_static(concat!("Frontdesk/", env!("CARGO_PKG_VERSION"))));
    let mut opened = client.open(Method::GET, uri, headers, FILE_TIME_MAX).await.map_err(unreached)?;
    let status = opened.status;
    if !status.is_success() {
        let why = format!("its server answered {}", status.as_u16());
        let is_for_now = status.is_server_error() || matches!(status.as_u16(), 408 | 429);
        return Err(if is_for_now { Missing::ForNow(why) } else { Missing::ForGood(why) });
    }
    let content_type = opened.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let content_type = content_type.map(ToOwned::to_owned);
    let mut bytes = BytesMut::new();
    while let Some(piece) = opened.next().await.map_err(unreached)? {
        if bytes.len() + piece.len() > FILE_BYTES_MAX {
            return Err(Missing::TooLarge);
        }
        bytes.extend_from_slice(&piece);
    }
    Ok(File { bytes: bytes.freeze(), content_type })
}

fn unreached(error: Error) -> Missing {
    match error {
        Error::Refused(refusal) => Missing::ForGood(refusal.to_string()),
        other => Missing::ForNow(other.to_string()),
    }
}

fn outcome(missing: Missing) -> SendOutcome {
    match missing {
        Missing::TooLarge => broken(
            "media_too_large",
            &format!("The file at media.url is larger than {} MB. Send a smaller one.", FILE_BYTES_MAX >> 20),
        ),
        Missing::ForGood(why) => broken(reasons::MEDIA_UNAVAILABLE, &message(&why)),
        Missing::ForNow(why) => SendOutcome::Refused(Refusal {
            class: Class::RetryOnce,
            code: reasons::MEDIA_UNAVAILABLE.to_owned(),
            reason: reasons::MEDIA_UNAVAILABLE,
            message: message(&why),
            retry_after: None,
        }),
    }
}

fn message(why: &str) -> String {
    format!(
        "The file at media.url could not be fetched: {why}. Give an address that anyone can download it from."
    )
}

/// The last part of a URL's path, which is often a file name.
fn last_part(url: &str) -> Option<String> {
    let path = url.parse::<Uri>().ok()?.path().to_owned();
    path.rsplit('/').next().filter(|name| !name.is_empty()).map(ToOwned::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_by_its_address() {
        for (url, name) in [
            ("https://a.example/b/c.pdf?x=1", Some("c.pdf")),
            ("https://a.example/", None),
            ("https://a.example", None),
            ("no address", None),
        ] {
            assert_eq!(last_part(url).as_deref(), name, "{url}");
        }
    }
}
