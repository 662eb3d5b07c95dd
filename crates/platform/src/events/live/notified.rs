//! Notices on their way into the streams of this server.

use std::time::Duration;

use tokio::time::sleep;

use super::Live;
use crate::notices::{CHANGED, THREAD, TOPIC, round};

/// The time between two rounds, so that a burst is a few notices.
const ROUND_GAP: Duration = Duration::from_millis(50);
/// The data for streams that cannot know what has changed.
const ANYTHING: &str = "{}";

impl Live {
    /// Passes notices on to the streams of this server until it stops.
    pub(super) async fn pass_on_notices(self) {
        let wakes = self.store().wakes().clone();
        let mailbox = wakes.mailbox::<String>(TOPIC);
        // A wake-up without a text: something was not told, or notices were missed for a while.
        let mut untold = wakes.subscribe(TOPIC);
        let mut closing = self.closing();
        loop {
            tokio::select! {
                _ = closing.wait_for(|closing| *closing) => return,
                () = mailbox.wait() => {}
                Ok(()) = untold.changed() => self.tell_anything(),
            }
            for ((account, scope), stream) in round(&mailbox.take_jobs()) {
                self.notify_members(account, scope, stream);
            }
            sleep(ROUND_GAP).await;
        }
    }

    /// Tells every member that anything may have changed.
    pub(super) fn tell_anything(&self) {
        for name in [THREAD, CHANGED] {
            self.notify_all(name, ANYTHING);
        }
    }
}
