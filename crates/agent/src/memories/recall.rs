//! Recalls the memories that are relevant to a text, up to a maximum size.

use std::collections::{BTreeMap, BTreeSet};

use frontdesk_crm::contacts::ContactId;
use frontdesk_db::{self as db, Query, ReadTx};
use frontdesk_kernel::ids::{AccountId, AssistantId};

use super::sql;
use super::{Memory, MemoryId, read, words};

/// Maximum characters of all recalled memories together.
const RECALL_CHARS_MAX: usize = 6_000;
/// Maximum number of the newest memories, about the contact and about no contact, that are considered whatever they
/// say.
const CONTACT_ROWS_MAX: i64 = 100;
const RECENT_ROWS_MAX: i64 = 30;
/// Maximum words of the text that are looked up, and maximum memories that one lookup returns.
const QUERY_WORDS_MAX: usize = 64;
const FOUND_ROWS_MAX: i64 = 500;
/// Shorter words occur in almost every memory.
const QUERY_WORD_CHARS_MIN: usize = 3;

/// Who recalls. It cannot see the memories of other assistants or about other contacts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader {
    pub(crate) account: AccountId,
    pub(crate) assistant: AssistantId,
    pub(crate) contact: Option<ContactId>,
}

impl Reader {
    fn may_see(&self, memory: &Memory) -> bool {
        memory.assistant_id.is_none_or(|assistant| assistant == self.assistant)
            && memory.contact_id.is_none_or(|contact| Some(contact) == self.contact)
    }
}

/// The newest memories of an account that are about no contact.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recent {
    memories: Vec<Memory>,
    /// `memories` holds all of them.
    is_all: bool,
}

/// Prefetches the newest memories. PostgreSQL returns them with the next statement.
pub(crate) fn expect_recent(tx: &mut ReadTx<'_>, account: AccountId) -> db::Result<()> {
    tx.prefetch(Query::whole(sql::RECENT, vec![Box::new(account), Box::new(RECENT_ROWS_MAX)]))
}

pub(crate) fn recent(tx: &mut ReadTx<'_>, account: AccountId) -> db::Result<Recent> {
    let memories = tx.query(sql::RECENT, &[&account, &RECENT_ROWS_MAX], read)?;
    let is_all = (memories.len() as i64) < RECENT_ROWS_MAX;
    Ok(Recent { memories, is_all })
}

/// Whether the newest memories are all that this reader could recall.
pub(crate) fn is_all(reader: &Reader, recent: &Recent) -> bool {
    reader.contact.is_none() && recent.is_all
}

/// Further memories that may be relevant to a text: those about the contact, and those that contain one of its words.
pub(crate) fn find_more(
    tx: &mut ReadTx<'_>,
    reader: &Reader,
    recent: &Recent,
    text: &str,
) -> db::Result<Vec<Memory>> {
    let mut found = Vec::new();
    if let Some(contact) = reader.contact {
        found = tx.query(sql::OF_CONTACT, &[&reader.account, &contact, &CONTACT_ROWS_MAX], read)?;
    }
    let asked = asked_words(text);
    if !recent.is_all && !asked.is_empty() {
        let words: Vec<Vec<u8>> = asked.iter().map(|word| word.as_bytes().to_vec()).collect();
        let mut query = Query::new(
            "SELECT m.id, m.assistant_id, m.contact_id, m.content, m.source FROM memories m WHERE m.account_id = ",
        );
        query.bind(reader.account);
        query.push(
            " AND m.contact_id IS NULL AND m.id IN (SELECT memory_id FROM memory_words WHERE account_id = ",
        );
        query.bind(reader.account).push(" AND word IN ").bind_list(&words);
        query.push(") ORDER BY m.id DESC LIMIT ").bind(FOUND_ROWS_MAX);
        found.extend(tx.run(&query, read)?);
    }
    Ok(found)
}

/// The memories that are most relevant to a text, best first, as many as fit.
pub(crate) fn recall(reader: &Reader, recent: &Recent, more: Vec<Memory>, text: &str) -> Vec<Memory> {
    let all = recent.memories.iter().cloned().chain(more);
    let seen: BTreeMap<MemoryId, Memory> =
        all.filter(|memory| reader.may_see(memory)).map(|memory| (memory.id, memory)).collect();
    best(seen.into_values().collect(), &asked_words(text))
}

/// The words by which memories are looked up: the longest ones, which are the rarest.
fn asked_words(text: &str) -> BTreeSet<String> {
    let all = words::of(text);
    let mut long: Vec<String> = all
        .into_iter()
        .filter(|word| word.chars().count() >= QUERY_WORD_CHARS_MIN || !word.is_ascii())
        .collect();
    long.sort_by_key(|word| std::cmp::Reverse(word.len()));
    long.into_iter().take(QUERY_WORDS_MAX).collect()
}

/// Sorts memories by the query words that they contain, and keeps as many as fit. A word counts more when fewer
/// memories contain it. Among equals, memories about the contact come first, then the newest.
fn best(memories: Vec<Memory>, asked: &BTreeSet<String>) -> Vec<Memory> {
    let words: Vec<BTreeSet<String>> = memories.iter().map(|memory| words::of(&memory.content)).collect();
    let total = memories.len() as f64;
    let weight = |word: &String| {
        let holders = words.iter().filter(|words| words.contains(word)).count() as f64;
        (1.0 + total / (1.0 + holders)).ln()
    };
    let weights: BTreeMap<&String, f64> = asked.iter().map(|word| (word, weight(word))).collect();
    let score = |words: &BTreeSet<String>| {
        weights.iter().filter(|(word, _)| words.contains(**word)).map(|(_, weight)| weight).sum::<f64>()
    };
    let mut scored: Vec<(f64, Memory)> =
        words.iter().map(score).collect::<Vec<_>>().into_iter().zip(memories).collect();
    scored.sort_by(|(one, a), (other, b)| {
        let by_contact = b.contact_id.is_some().cmp(&a.contact_id.is_some());
        other.total_cmp(one).then(by_contact).then(b.id.cmp(&a.id))
    });
    let mut room = RECALL_CHARS_MAX;
    let fits = |memory: &Memory, room: &mut usize| {
        let size = memory.content.chars().count();
        let fits = size <= *room;
        if fits {
            *room -= size;
        }
        fits
    };
    scored.into_iter().map(|(_, memory)| memory).filter(|memory| fits(memory, &mut room)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memories::MemorySource;
    use frontdesk_kernel::Timestamp;
    use uuid::Uuid;

    fn memory(id: u128, content: &str, contact: Option<u128>) -> Memory {
        Memory {
            id: MemoryId::from_uuid(Uuid::from_u128(id)),
            assistant_id: None,
            contact_id: contact.map(|id| ContactId::from_uuid(Uuid::from_u128(id))),
            content: content.to_owned(),
            source: MemorySource::Api,
            created_at: Timestamp::from_millis(0),
        }
    }

    fn order(memories: Vec<Memory>, text: &str) -> Vec<u128> {
        best(memories, &asked_words(text)).iter().map(|memory| memory.id.uuid().as_u128()).collect()
    }

    #[test]
    fn a_rare_word_counts_more_than_a_common_one() {
        let memories = vec![
            memory(1, "Delivery is on Fridays.", None),
            memory(2, "Delivery to islands costs more.", None),
            memory(3, "Delivery of sofas takes two people.", None),
        ];
        assert_eq!(order(memories, "When is the delivery of my sofas?")[0], 3);
    }

    #[test]
    fn what_is_about_the_contact_comes_before_equals_and_the_newest_before_the_oldest() {
        let memories = vec![
            memory(1, "Likes tea.", Some(9)),
            memory(2, "Open on Mondays.", None),
            memory(3, "Closed.", None),
        ];
        assert_eq!(order(memories, "hello there"), [1, 3, 2]);
    }

    #[test]
    fn only_as_much_as_fits_is_recalled() {
        let long = "word ".repeat(RECALL_CHARS_MAX / 5 - 1);
        let memories = vec![memory(1, &long, None), memory(2, &long, None), memory(3, "short", None)];
        assert_eq!(order(memories, "short"), [3, 2]);
    }

    #[test]
    fn memories_of_others_are_not_seen() {
        let id = |n: u128| Uuid::from_u128(n);
        let reader = Reader {
            account: AccountId::from_uuid(id(1)),
            assistant: AssistantId::from_uuid(id(2)),
            contact: Some(ContactId::from_uuid(id(3))),
        };
        assert!(reader.may_see(&memory(1, "x", None)) && reader.may_see(&memory(1, "x", Some(3))));
        assert!(!reader.may_see(&memory(1, "x", Some(4))));
        let other = Memory { assistant_id: Some(AssistantId::from_uuid(id(5))), ..memory(1, "x", None) };
        assert!(!reader.may_see(&other));
    }
}
