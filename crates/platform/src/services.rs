//! What operations and workers share.

use std::sync::Arc;

use frontdesk_files::FilePlaces;
use frontdesk_kernel::Timestamp;
use frontdesk_outbound::Client;

use crate::operations::OperationsSlot;
use crate::sealing::Keyring;

/// Reads the time. The sandbox can move it.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The services that operations and workers share.
pub struct Services {
    /// The keys that secrets are sealed under.
    pub secrets: Keyring,
    /// The client for addresses that users choose.
    pub outbound: Client,
    /// The client for addresses that the operator chose: vendors, bridges, the sandbox.
    pub vendors: Client,
    /// Where files are, and how they are reached.
    pub files: Arc<FilePlaces>,
    /// The URL at which this installation calls itself.
    pub local_url: String,
    /// The public URL of this installation, without a trailing slash.
    pub base_url: String,
    /// The operations of the API, for an operation that carries out another one.
    pub operations: OperationsSlot,
}
