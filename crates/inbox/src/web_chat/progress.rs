//! The position of a stream.
//!
//! Ids are generated before their rows are committed, so a message may appear with a smaller id than one that
//! was already sent. A stream therefore reads the time before its last message again, and skips messages that
//! it has sent.

use std::collections::BTreeSet;
use std::time::Duration;

use frontdesk_kernel::Timestamp;

use super::conversation::StreamedMessage;
use crate::messages::MessageId;

/// The longest time between a message's id and its commit, including differences between servers' clocks.
const OVERLAP: Duration = Duration::from_secs(30);

/// What a stream has sent.
#[derive(Debug, Default)]
pub(super) struct Progress {
    last: Option<MessageId>,
    /// Messages of the overlap that were sent.
    sent: BTreeSet<MessageId>,
}

impl Progress {
    /// Continues after the client's last message. It is unknown which others of the overlap the client has,
    /// so they are sent again.
    pub(super) fn from(last: MessageId) -> Self {
        Self { last: Some(last), sent: BTreeSet::from([last]) }
    }

    /// Whether anything was sent, on this stream or an earlier one.
    pub(super) fn has_begun(&self) -> bool {
        self.last.is_some()
    }

    /// The message after which to read.
    pub(super) fn floor(&self) -> MessageId {
        let moment = self.last.map_or(Timestamp::from_millis(0), |last| last.created_at() - OVERLAP);
        MessageId::first_at(moment)
    }

    /// Marks messages as sent; returns those that had not been.
    pub(super) fn mark_sent(&mut self, found: Vec<StreamedMessage>) -> Vec<StreamedMessage> {
        let new: Vec<StreamedMessage> =
            found.into_iter().filter(|found| self.sent.insert(found.seen.id)).collect();
        self.last = new.iter().map(|found| found.seen.id).chain(self.last).max();
        let floor = self.floor();
        self.sent = self.sent.split_off(&floor);
        new
    }
}

#[cfg(test)]
mod tests {
    use super::super::conversation::VisitorMessage;
    use super::*;
    use crate::messages::{Direction, MessageType, SenderType};

    fn at(millis: i64) -> StreamedMessage {
        let id = MessageId::first_at(Timestamp::from_millis(1_800_000_000_000 + millis));
        let seen = VisitorMessage {
            id,
            direction: Direction::Outbound,
            sender_type: SenderType::Agent,
            r#type: MessageType::Text,
            text: None,
            media_url: None,
            filename: None,
            client_id: None,
            created_at: id.created_at(),
        };
        StreamedMessage { seen, is_news: true }
    }

    fn sent(progress: &mut Progress, millis: &[i64]) -> Vec<i64> {
        let new = progress.mark_sent(millis.iter().map(|millis| at(*millis)).collect());
        new.iter().map(|found| found.seen.created_at.millis() - 1_800_000_000_000).collect()
    }

    #[test]
    fn a_message_that_was_committed_late_is_sent_and_none_is_sent_twice() {
        let mut progress = Progress::default();
        assert!(!progress.has_begun());
        assert_eq!(sent(&mut progress, &[0, 20_000]), [0, 20_000]);
        assert!(progress.floor() < at(-9_000).seen.id);
        assert_eq!(sent(&mut progress, &[0, 10_000, 20_000, 21_000]), [10_000, 21_000]);
        assert_eq!(sent(&mut progress, &[0, 10_000, 20_000, 21_000]), [0_i64; 0]);
    }

    #[test]
    fn ids_outside_the_overlap_are_forgotten() {
        let mut progress = Progress::default();
        sent(&mut progress, &[0, 20_000, 100_000]);
        assert_eq!(progress.sent.len(), 1);
        assert!(progress.floor() > at(60_000).seen.id && progress.floor() <= at(70_000).seen.id);
    }

    #[test]
    fn a_stream_continues_where_another_broke_off() {
        let mut progress = Progress::from(at(50_000).seen.id);
        assert!(progress.has_begun());
        assert_eq!(sent(&mut progress, &[40_000, 50_000, 60_000]), [40_000, 60_000]);
    }

    #[test]
    fn going_on_after_an_early_message_keeps_the_last_one() {
        let mut progress = Progress::from(at(50_000).seen.id);
        sent(&mut progress, &[30_000]);
        assert_eq!(progress.floor(), at(20_000).seen.id);
    }
}
