//! The phases of a server's life. They are entered in order, and never left backwards.

use std::sync::Arc;

use tokio::sync::watch;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    /// It serves.
    Serving,
    /// It was asked to stop. `/readyz` says so, requests are served, and every response ends its connection.
    Draining,
    /// It accepts no connections and finishes running requests.
    Ending,
}

/// The phase of this server; clones share it.
#[derive(Clone)]
pub(super) struct Phases(Arc<Inner>);

struct Inner {
    /// Its receivers are the open connections.
    connections: watch::Sender<Phase>,
    others: watch::Sender<Phase>,
}

impl Phases {
    pub(super) fn new() -> Self {
        let sender = || watch::Sender::new(Phase::Serving);
        Self(Arc::new(Inner { connections: sender(), others: sender() }))
    }

    pub(super) fn current(&self) -> Phase {
        *self.0.others.borrow()
    }

    pub(super) fn enter(&self, phase: Phase) {
        self.0.others.send_replace(phase);
        self.0.connections.send_replace(phase);
    }

    /// Waits until the server is in this phase or a later one.
    pub(super) async fn entered(&self, phase: Phase) {
        // The sender is this, so this does not fail.
        let _ = self.0.others.subscribe().wait_for(|current| *current >= phase).await;
    }

    /// A view for one connection. It counts as open until it drops this.
    pub(super) fn for_connection(&self) -> watch::Receiver<Phase> {
        self.0.connections.subscribe()
    }

    /// The number of open connections.
    pub(super) fn connections(&self) -> usize {
        self.0.connections.receiver_count()
    }

    /// Waits until every connection is closed.
    pub(super) async fn all_closed(&self) {
        self.0.connections.closed().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn connections_count_until_they_drop_their_view() {
        let phases = Phases::new();
        let (one, mut other) = (phases.for_connection(), phases.for_connection());
        assert_eq!((phases.connections(), phases.current()), (2, Phase::Serving));
        phases.enter(Phase::Draining);
        other.changed().await.unwrap();
        assert_eq!(*other.borrow_and_update(), Phase::Draining);
        phases.entered(Phase::Draining).await;
        drop((one, other));
        phases.all_closed().await;
        assert_eq!(phases.connections(), 0);
    }
}
