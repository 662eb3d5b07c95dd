//! Compares both sides, after everything was brought: counts, and a hash over what each row says.
//!
//! Contacts, conversations, messages and notes are read again on both sides, page by page, and compared row by row. A row is
//! compared in what came along: what was added to it here is no difference. A row that was deleted here is not compared.
//! The hash is the sum of the hashes of all rows, so it does not depend on their order.

mod contacts;
mod conversations;
mod messages;
mod notes;

use frontdesk_kernel::hex;
use serde::Serialize;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::import::{Import, Progress};
use crate::error::Result;

/// How many rows of a kind that differ are named.
const NAMED_MAX: usize = 20;

/// What was compared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Compared {
    pub(crate) contacts: ComparedRows,
    pub(crate) conversations: ComparedRows,
    pub(crate) messages: ComparedRows,
    pub(crate) notes: ComparedRows,
}

impl Compared {
    pub(crate) fn kinds(&self) -> [(&'static str, &ComparedRows); 4] {
        [
            ("contacts", &self.contacts),
            ("conversations", &self.conversations),
            ("messages", &self.messages),
            ("notes", &self.notes),
        ]
    }
}

/// What was compared of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct ComparedRows {
    /// Rows here that the other side has too.
    pub(crate) rows: u64,
    /// Rows there that came while they were brought.
    pub(crate) missing: u64,
    /// Rows that were changed there or here since they were brought.
    pub(crate) changed: u64,
    pub(crate) changed_ids: Vec<Uuid>,
    pub(crate) their_hash: String,
    pub(crate) our_hash: String,
}

/// What a row says: its fields, in an order that is the same on both sides.
type Said = Vec<Option<String>>;

/// The rows of one kind that were compared so far.
#[derive(Default)]
struct Comparison {
    compared: ComparedRows,
    theirs: Sum,
    ours: Sum,
}

impl Comparison {
    fn row(&mut self, id: Uuid, theirs: &Said, ours: &Said) {
        self.compared.rows += 1;
        self.theirs.add(id, theirs);
        self.ours.add(id, ours);
        if theirs != ours {
            self.compared.changed += 1;
            self.compared.changed_ids.extend((self.compared.changed_ids.len() < NAMED_MAX).then_some(id));
        }
    }

    fn missing(&mut self) {
        self.compared.missing += 1;
    }

    fn end(self) -> ComparedRows {
        ComparedRows { their_hash: self.theirs.text(), our_hash: self.ours.text(), ..self.compared }
    }
}

/// A sum of hashes.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Sum([u64; 4]);

impl Sum {
    fn add(&mut self, id: Uuid, said: &Said) {
        let mut hash = Sha256::new();
        hash.update(id.as_bytes());
        for field in said {
            hash.update([u8::from(field.is_some())]);
            let text = field.as_deref().unwrap_or_default();
            hash.update((text.len() as u64).to_be_bytes());
            hash.update(text);
        }
        for (sum, bytes) in self.0.iter_mut().zip(hash.finalize().chunks_exact(8)) {
            *sum = sum.wrapping_add(bytes.iter().fold(0, |number, byte| (number << 8) | u64::from(*byte)));
        }
    }

    fn text(self) -> String {
        hex(&self.0.iter().flat_map(|part| part.to_be_bytes()).collect::<Vec<u8>>())
    }
}

impl Import<'_> {
    /// Reads all rows again on both sides.
    pub(super) async fn compare(&mut self, progress: Progress<'_>) -> Result<Compared> {
        Ok(Compared {
            contacts: self.compare_contacts(progress).await?,
            conversations: self.compare_conversations(progress).await?,
            messages: self.compare_messages(progress).await?,
            notes: self.compare_notes(progress).await?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(fields: [Option<&str>; 2]) -> Said {
        fields.into_iter().map(|field| field.map(ToOwned::to_owned)).collect()
    }

    #[test]
    fn the_hash_depends_on_every_row_and_not_on_their_order() {
        let (one, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let sum = |rows: &[(Uuid, [Option<&str>; 2])]| {
            let mut sum = Sum::default();
            for (id, fields) in rows {
                sum.add(*id, &said(*fields));
            }
            sum.text()
        };
        let both = sum(&[(one, [Some("a"), None]), (other, [Some("b"), Some("c")])]);
        assert_eq!(both, sum(&[(other, [Some("b"), Some("c")]), (one, [Some("a"), None])]));
        for changed in [
            [(one, [Some("a"), Some("")]), (other, [Some("b"), Some("c")])],
            [(one, [None, Some("a")]), (other, [Some("b"), Some("c")])],
            [(one, [Some("a"), None]), (other, [Some("bc"), Some("")])],
            [(other, [Some("a"), None]), (one, [Some("b"), Some("c")])],
        ] {
            assert_ne!(both, sum(&changed), "{changed:?}");
        }
    }

    #[test]
    fn a_row_that_differs_is_counted_and_named() {
        let mut comparison = Comparison::default();
        for number in 0..NAMED_MAX as u128 + 5 {
            let ours = if number == 0 { Some("a") } else { Some("b") };
            comparison.row(Uuid::from_u128(number), &said([Some("a"), None]), &said([ours, None]));
        }
        comparison.missing();
        let compared = comparison.end();
        assert_eq!((compared.rows, compared.changed, compared.missing), (25, 24, 1));
        assert_eq!((compared.changed_ids.len(), compared.changed_ids[0]), (NAMED_MAX, Uuid::from_u128(1)));
        assert_ne!(compared.their_hash, compared.our_hash);
    }
}
