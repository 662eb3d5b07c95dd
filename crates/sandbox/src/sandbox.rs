//! The state that the simulators share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::chat::Chats;
use crate::connection::{Connection, Directory};
use crate::fault::{Called, Fault, Faults, Kind, On};
use crate::home::Home;
use crate::media::MediaStore;
use crate::model_state::ModelState;
use crate::request::Request;
use crate::response::ControlError;
use crate::sent::Outbox;
use crate::sessions::Sessions;
use crate::settings::Settings;
use crate::template::Catalogue;
use crate::webhook::{Courier, Hook};

/// Reads the time, in milliseconds since 1970.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// The sandbox. Clones share everything.
#[derive(Clone)]
pub struct Sandbox {
    inner: Arc<Inner>,
}

/// Maximum messages with pending reports. Further messages are accepted but not reported automatically.
const REPORTED_AT_ONCE_MAX: usize = 20_000;

struct Inner {
    directory: Arc<dyn Directory>,
    clock: Clock,
    home: Option<Home>,
    courier: Courier,
    reports: Arc<Semaphore>,
    state: Mutex<State>,
}

/// The state in memory.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) settings: Settings,
    pub(crate) faults: Faults,
    pub(crate) outbox: Outbox,
    pub(crate) chats: Chats,
    pub(crate) media: MediaStore,
    pub(crate) catalogue: Catalogue,
    pub(crate) sessions: Sessions,
    pub(crate) model: ModelState,
}

impl Sandbox {
    /// A standalone sandbox, as in tests.
    pub fn new(directory: Arc<dyn Directory>, clock: Clock) -> Self {
        Self::build(directory, clock, None)
    }

    /// A sandbox inside a server.
    pub fn inside(directory: Arc<dyn Directory>, clock: Clock, home: Home) -> Self {
        Self::build(directory, clock, Some(home))
    }

    fn build(directory: Arc<dyn Directory>, clock: Clock, home: Option<Home>) -> Self {
        let reports = Arc::new(Semaphore::new(REPORTED_AT_ONCE_MAX));
        let courier = Courier::default();
        let inner = Inner { directory, clock, home, courier, reports, state: Mutex::default() };
        Self { inner: Arc::new(inner) }
    }

    pub(crate) fn now(&self) -> i64 {
        (self.inner.clock)()
    }

    pub(crate) fn home(&self) -> Option<&Home> {
        self.inner.home.as_ref()
    }

    /// The base of links back to the sandbox.
    pub(crate) fn origin(&self, request: &Request) -> String {
        self.home().map_or_else(|| request.origin(), |home| home.url.clone())
    }

    /// The state. Its lock is never held across an await.
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics in the middle of a change, so the state is valid after a panic.
        self.inner.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) async fn connections(&self) -> Vec<Connection> {
        self.inner.directory.connections().await
    }

    /// The connection that a control call names, or the only one if it names none.
    pub(crate) async fn connection(&self, id: Option<&str>) -> Result<Connection, ControlError> {
        let mut connections = self.connections().await.into_iter();
        match id {
            Some(id) => connections.find(|connection| connection.id == id).ok_or_else(|| {
                ControlError::missing(format!(
                    "No connection that uses the sandbox has the id {id}. GET /sandbox/connections lists those there are."
                ))
            }),
            None => connections.find(Connection::is_whatsapp).ok_or_else(|| {
                ControlError::missing(
                    "No WhatsApp connection uses the sandbox. Name another in connection_id, or connect one: frontdesk \
                     channel connect --account ID --channel whatsapp --sandbox.",
                )
            }),
        }
    }

    /// The fault for a call, if any.
    pub(crate) fn fault(&self, on: &[On], connection: Option<&str>, to: Option<&str>) -> Option<Fault> {
        self.state().faults.take(&Called { on, connection, to }, |_| true)
    }

    /// A permit for pending reports, if one is free.
    pub(crate) fn room_for_reports(&self) -> Option<OwnedSemaphorePermit> {
        self.inner.reports.clone().try_acquire_owned().ok()
    }

    /// Sends a webhook once, subject to webhook faults.
    pub(crate) async fn deliver(
        &self,
        connection: &Connection,
        to: Option<&str>,
        hook: &Hook,
    ) -> Result<u16, String> {
        self.carry(connection, to, hook, false).await
    }

    /// Sends a webhook until it is accepted, subject to the same faults.
    pub(crate) async fn deliver_surely(&self, connection: &Connection, to: Option<&str>, hook: &Hook) {
        // A failure is logged there; nothing here needs the outcome.
        let _ = self.carry(connection, to, hook, true).await;
    }

    async fn carry(
        &self,
        connection: &Connection,
        to: Option<&str>,
        hook: &Hook,
        surely: bool,
    ) -> Result<u16, String> {
        let met = |kind| {
            let call = Called { on: &[On::Webhook], connection: Some(&connection.id), to };
            self.state().faults.take(&call, |candidate| candidate == kind)
        };
        if met(Kind::Cut).is_some() {
            return Err("a fault of the kind cut on webhook lost it".into());
        }
        if let Some(late) = met(Kind::Delay) {
            tokio::time::sleep(late.pause()).await;
        }
        let twice = met(Kind::DuplicateWebhook).is_some();
        let send = || async {
            if surely {
                self.inner.courier.send_surely(hook).await
            } else {
                self.inner.courier.send(hook).await
            }
        };
        if twice {
            // Both at the same time, the hardest case of a duplicate.
            let (first, _) = tokio::join!(send(), send());
            return first;
        }
        send().await
    }
}
