//! Uploads that are sent with a message: through the channel's own upload, or within the message if the channel takes
//! files.

use std::sync::LazyLock;

use bytes::Bytes;
use frontdesk_channels::{Adapter, Class, File, Payload, Refusal, reasons};
use frontdesk_kernel::ids::AccountId;
use frontdesk_outbound::Error;
use frontdesk_platform::{FairSlot, FairSlots, ServerContext};

use super::file::{TURN_TIME_MAX, no_turn};
use super::outcome::{SendOutcome, broken};
use crate::calls;
use crate::media::{self, Loaded, MediaId};

/// The largest file that any channel takes.
const FILE_BYTES_MAX: usize = 100 << 20;
/// Maximum files in memory: of all accounts, and of one. The others wait, for at most [`TURN_TIME_MAX`].
const FILES_MAX: usize = 4;
const ACCOUNT_FILES_MAX: usize = 2;

static SLOTS: LazyLock<FairSlots<AccountId>> = LazyLock::new(|| FairSlots::new(FILES_MAX, ACCOUNT_FILES_MAX));

/// Prepares an upload to be sent with a message. The turn ends when the file is no longer in memory.
pub(super) async fn prepare(
    server: &ServerContext,
    adapter: &dyn Adapter,
    account: AccountId,
    id: MediaId,
    payload: &mut Payload,
) -> Result<Option<FairSlot<AccountId>>, SendOutcome> {
    let Payload::Media { kind, bytes, filename, content_type, uploaded, .. } = payload else {
        return Ok(None);
    };
    let turn = tokio::time::timeout(TURN_TIME_MAX, SLOTS.take(account)).await.map_err(|_| no_turn())?;
    let (found, content) = match media::load(server, account, id, FILE_BYTES_MAX).await {
        Ok(Loaded::Whole { content_type, bytes }) => (content_type, Bytes::from(bytes)),
        Ok(Loaded::Pending | Loaded::Gone) => {
            return Err(broken(reasons::MEDIA_UNAVAILABLE, "The uploaded file is gone. Upload it again."));
        }
        Ok(Loaded::Unavailable(why)) => return Err(SendOutcome::Unreached(why)),
        Err(error) => return Err(later(&error.to_string())),
    };
    if adapter.takes_files() {
        *content_type = Some(found);
        *bytes = Some(content);
        return Ok(turn);
    }
    let file = File { kind: *kind, bytes: &content, content_type: &found, filename: filename.as_deref() };
    let Some(call) = adapter.upload(&file) else { return Ok(None) };
    match calls::make(&server.services, call).await {
        Ok(response) => {
            *uploaded = Some(adapter.uploaded(&response.read()).map_err(SendOutcome::Refused)?);
            Ok(None)
        }
        // A failed upload has sent nothing to anybody, whatever became of it, so it is retried.
        Err(error @ (Error::Unreached(_) | Error::Refused(_) | Error::Timeout(_) | Error::Connection(_))) => {
            Err(SendOutcome::Unreached(error.to_string()))
        }
    }
}

fn later(why: &str) -> SendOutcome {
    SendOutcome::Refused(Refusal {
        class: Class::RetryOnce,
        code: reasons::MEDIA_UNAVAILABLE.to_owned(),
        reason: reasons::MEDIA_UNAVAILABLE,
        message: format!("The uploaded file could not be read: {why}."),
        retry_after: None,
    })
}
