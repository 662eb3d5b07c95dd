//! The interface of every channel.

use http::HeaderMap;

use crate::call::{Accepted, Call, Refusal, VendorResponse};
use crate::incoming::{Incoming, MediaSource, SessionState};
use crate::outgoing::{File, Outgoing};
use crate::reading::Unreadable;
use crate::verdict::BAD_REQUEST;

/// The vendor's data about the number, page or session of a connection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// The number in E.164, if the channel has numbers and the vendor reports it.
    pub address: Option<String>,
    /// The state of a bridge's session; none for channels without sessions, and if the bridge has no such
    /// session yet.
    pub session: Option<SessionState>,
}

/// The channel of one connection.
pub trait Adapter: Send + Sync {
    /// The call for the vendor's data about the connection's own number, page or session. It needs a valid
    /// token.
    fn identify(&self) -> Call;

    /// Parses the response to that call.
    fn identified(&self, response: &VendorResponse<'_>) -> Result<Identity, Refusal>;

    /// The response to the vendor's check of our webhook's address, from the query of its GET; none if the
    /// verify token is wrong.
    fn challenge(&self, query: &str) -> Option<String>;

    /// Whether the vendor signed these exact bytes.
    fn is_genuine(&self, headers: &HeaderMap, body: &[u8]) -> bool;

    /// All items of a webhook, in order.
    fn receive(&self, body: &[u8]) -> Result<Vec<Incoming>, Unreadable>;

    /// Whether media is sent as a file instead of a link. This is the case if the channel would fetch a link
    /// inside the operator's own network: we then fetch the file ourselves, with the checks for such links.
    fn takes_files(&self) -> bool {
        false
    }

    /// The call that uploads a file, which a message then names by the id that the channel gives it. None for a channel that
    /// takes files within messages, or links alone.
    fn upload(&self, _file: &File<'_>) -> Option<Call> {
        None
    }

    /// The channel's id of the file, from the answer to that call.
    fn uploaded(&self, response: &VendorResponse<'_>) -> Result<String, Refusal> {
        let message = "The channel takes no uploads.".to_owned();
        Err(BAD_REQUEST.refusal(response.status.to_string(), message, None))
    }

    /// The call that sends a message.
    fn send(&self, message: &Outgoing) -> Call;

    /// Parses the response to that call.
    fn sent(&self, response: &VendorResponse<'_>) -> Result<Accepted, Refusal>;

    /// The call that marks the person's messages up to this one as read, if the channel has one.
    fn read_receipt(&self, person: &str, channel_message_id: &str) -> Option<Call>;

    /// The call that looks up the address of a media file; none if the source contains it.
    fn locate_media(&self, source: &MediaSource) -> Option<Call>;

    /// The address in the response to that call.
    fn media_located(&self, response: &VendorResponse<'_>) -> Result<MediaSource, Refusal>;

    /// The call that fetches the bytes from a source that has a `url`.
    fn download_media(&self, source: &MediaSource) -> Option<Call>;
}
