//! Codes that link a device, while they are shown.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use frontdesk_inbox::connections::ConnectionId;
use frontdesk_kernel::Timestamp;

/// How long a requested code is shown. The bridge does not return it again.
const CODE_TIME: Duration = Duration::from_mins(3);

/// The codes that this server has requested.
#[derive(Default)]
pub(crate) struct Codes(Mutex<HashMap<ConnectionId, (String, Timestamp)>>);

impl Codes {
    pub(crate) fn put(&self, id: ConnectionId, code: String, now: Timestamp) {
        let mut codes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        codes.retain(|_, (_, until)| *until > now);
        codes.insert(id, (code, now + CODE_TIME));
    }

    pub(crate) fn get(&self, id: ConnectionId, now: Timestamp) -> Option<(String, Timestamp)> {
        let codes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        codes.get(&id).filter(|(_, until)| *until > now).cloned()
    }
}
