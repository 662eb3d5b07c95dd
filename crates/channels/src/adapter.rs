//! What every channel does.

use http::HeaderMap;

use crate::{Accepted, Call, Incoming, MediaSource, Outgoing, Refusal, SessionState, VendorResponse};

/// Why a webhook's body was read as nothing at all.
#[derive(Debug, thiserror::Error)]
#[error("the body is not this channel's JSON: {0}")]
pub struct Unreadable(pub String);

/// What a vendor says about the number, page or session of a connection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// The number in E.164, where the channel has numbers and the vendor names it.
    pub address: Option<String>,
    /// How a bridge's session stands; none for channels without sessions, and when the bridge has no such session yet.
    pub session: Option<SessionState>,
}

/// A channel as one connection speaks it.
pub trait Adapter: Send + Sync {
    /// The call that asks the vendor about the connection's own number, page or session, which takes a good token.
    fn identify(&self) -> Call;

    /// What the answer to that call says.
    fn identified(&self, response: &VendorResponse<'_>) -> Result<Identity, Refusal>;

    /// The answer to the vendor's question whether this address is ours, from the query of its GET; none when the
    /// token is not the one that was agreed.
    fn challenge(&self, query: &str) -> Option<String>;

    /// Whether the vendor signed these very bytes.
    fn is_genuine(&self, headers: &HeaderMap, body: &[u8]) -> bool;

    /// All items of a webhook, in their order.
    fn receive(&self, body: &[u8]) -> Result<Vec<Incoming>, Unreadable>;

    /// Whether media is sent as a file instead of a link. Where a link would be fetched inside the operator's own network
    /// it is: the file is then fetched by us, through the checks that such a link must pass.
    fn takes_files(&self) -> bool {
        false
    }

    /// The call that sends a message.
    fn send(&self, message: &Outgoing) -> Call;

    /// What the response to that call means.
    fn sent(&self, response: &VendorResponse<'_>) -> Result<Accepted, Refusal>;

    /// The call that tells the person that their messages up to this one were read, where the channel has one.
    fn read_receipt(&self, person: &str, channel_message_id: &str) -> Option<Call>;

    /// The call that looks up where a media's bytes are; none when the source itself says it.
    fn locate_media(&self, source: &MediaSource) -> Option<Call>;

    /// The address in the answer to that call.
    fn media_located(&self, response: &VendorResponse<'_>) -> Result<MediaSource, Refusal>;

    /// The call that fetches the bytes from a source that has a `url`.
    fn download_media(&self, source: &MediaSource) -> Option<Call>;
}
