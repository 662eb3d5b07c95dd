//! Connections whose credentials are open.
//!
//! Every new message brings its connection as it was just read, with the credentials sealed. Opening them takes as long as
//! writing the call, so the sender keeps the connection of the last call for as long as nothing about it changes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::connections::{ConnectionId, StoredConnection};

/// Connections that are kept. When there are more, all are let go.
const OPENED_MAX: usize = 1_000;

#[derive(Default)]
pub(super) struct OpenedConnections(Mutex<HashMap<ConnectionId, Arc<StoredConnection>>>);

impl OpenedConnections {
    /// The kept connection if it reaches the channel in the same way as this one; otherwise this one, which is now kept.
    pub(super) fn get(&self, connection: &Arc<StoredConnection>) -> Arc<StoredConnection> {
        let mut opened = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = opened.get(&connection.id()).filter(|kept| kept.has_same_credentials(connection))
        {
            return kept.clone();
        }
        if opened.len() >= OPENED_MAX {
            opened.clear();
        }
        opened.insert(connection.id(), connection.clone());
        connection.clone()
    }
}
