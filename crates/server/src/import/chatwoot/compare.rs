//! Compares the messages of both sides, after everything was brought: counts, and a hash over what each of them says.
//!
//! The hash is the sum of the hashes of all messages, so it does not depend on their order.

use frontdesk_inbox::imports;
use frontdesk_inbox::messages::{Direction, MessageId, SenderType};
use frontdesk_kernel::hex;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::import::{Import, Progress};
use super::messages::Place;
use super::pages::TheirMessage;
use super::parts::Part;
use crate::error::Result;

/// How many messages that differ are named.
const NAMED_MAX: usize = 20;

/// What was compared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Compared {
    /// Messages here that the other side has too.
    pub(crate) messages: u64,
    /// Messages there that came while they were brought.
    pub(crate) missing: u64,
    /// Messages that were changed there or here since they were brought.
    pub(crate) changed: u64,
    pub(crate) changed_ids: Vec<MessageId>,
    pub(crate) their_hash: String,
    pub(crate) our_hash: String,
}

/// A sum of hashes.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Sum([u64; 4]);

impl Sum {
    fn add(&mut self, id: MessageId, direction: Direction, text: Option<&str>) {
        let mut hash = Sha256::new();
        hash.update(id.uuid().as_bytes());
        hash.update(direction.as_str());
        hash.update([u8::from(text.is_some())]);
        hash.update(text.unwrap_or_default());
        for (sum, bytes) in self.0.iter_mut().zip(hash.finalize().chunks_exact(8)) {
            *sum = sum.wrapping_add(bytes.iter().fold(0, |number, byte| (number << 8) | u64::from(*byte)));
        }
    }

    fn text(self) -> String {
        hex(&self.0.iter().flat_map(|part| part.to_be_bytes()).collect::<Vec<u8>>())
    }
}

impl Import<'_> {
    /// Reads all messages again on both sides.
    pub(super) async fn compare(&mut self, progress: Progress<'_>) -> Result<Compared> {
        let (mut theirs, mut ours, mut after) = (Sum::default(), Sum::default(), 0);
        let mut compared = Compared::default();
        loop {
            let page = TheirMessage::page(self.source, self.theirs.id, after)?;
            let Some(last) = page.last() else { break };
            after = last.id;
            progress(page.len() as u64);
            let places = self.places(&page).await?;
            let is_here =
                |message: &&TheirMessage| matches!(places.get(&message.conversation), Some(Place::Here(..)));
            let wanted: Vec<(MessageId, Direction, &Part)> =
                page.iter().filter(is_here).flat_map(|message| self.expected_of(message)).collect();
            let (by, ids) = (self.by_now(), wanted.iter().map(|(id, ..)| *id).collect::<Vec<_>>());
            let found = self.server.store.scan(move |tx| imports::there(tx, &by, &ids)).await?;
            for ((id, direction, part), found) in wanted.into_iter().zip(found) {
                let Some((our_direction, our_text)) = found else {
                    compared.missing += 1;
                    continue;
                };
                let text = expected(part, our_text.as_deref());
                compared.messages += 1;
                theirs.add(id, direction, text.as_deref());
                ours.add(id, our_direction, our_text.as_deref());
                if (direction, &text) != (our_direction, &our_text) {
                    compared.changed += 1;
                    compared.changed_ids.extend((compared.changed_ids.len() < NAMED_MAX).then_some(id));
                }
            }
        }
        (compared.their_hash, compared.our_hash) = (theirs.text(), ours.text());
        Ok(compared)
    }

    fn expected_of<'m>(&self, message: &'m TheirMessage) -> Vec<(MessageId, Direction, &'m Part)> {
        let direction = match message.sender() {
            SenderType::Customer => Direction::Inbound,
            SenderType::Agent | SenderType::Bot => Direction::Outbound,
        };
        let parts = message.parts.iter().enumerate();
        parts.map(|(at, part)| (message.id_of(at, self.origin), direction, part)).collect()
    }
}

/// What a message should say. One whose file did not come along names the file; one that is only a file may have got a
/// text here, such as what is said in it.
fn expected(part: &Part, ours: Option<&str>) -> Option<String> {
    let with_file = part.text_with_file();
    match part {
        Part::File { .. } if with_file.is_none() => ours.map(ToOwned::to_owned),
        Part::File { .. } if ours != with_file.as_deref() => part.text_without_file(),
        _ => with_file,
    }
}
