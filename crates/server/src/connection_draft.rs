//! How commands reach channels, and connections with everything made up.

use std::sync::Arc;

use frontdesk_files::FilePlaces;
use frontdesk_inbox::connections::{self, Channel};
use frontdesk_outbound::{Client, Reach};
use frontdesk_platform::Services;
use frontdesk_platform::operations::OperationsSlot;
use frontdesk_platform::sealing::Keyring;

pub(crate) use frontdesk_inbox::connections::ConnectionDraft;

use crate::installation::ServerUrls;

/// The services of a command for calling channels.
pub(crate) fn services(secrets: Keyring, urls: ServerUrls) -> Services {
    Services {
        operations: OperationsSlot::default(),
        secrets,
        outbound: Client::new(Reach::Public),
        vendors: Client::new(Reach::Anywhere),
        // A command that calls channels reads no files.
        files: Arc::new(FilePlaces::database()),
        base_url: urls.base_url,
        local_url: urls.local_url,
    }
}

/// A random secret.
pub(crate) fn secret() -> String {
    connections::secret(rand::random)
}

/// A connection to the sandbox with generated credentials.
pub(crate) fn sandbox(channel: Channel) -> ConnectionDraft {
    connections::sandbox(channel, rand::random)
}
