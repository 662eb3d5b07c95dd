//! Brings notes: those about contacts, and private messages of conversations, which are notes here.

use std::sync::Arc;

use frontdesk_crm::notes::{self, About, BODY_CHARS_MAX};
use frontdesk_db::{self as db, Tx};
use frontdesk_inbox::imports;
use frontdesk_kernel::Id;
use frontdesk_platform::By;
use uuid::Uuid;

use super::import::{Import, Progress};
use super::source::{Source, micros};
use crate::error::Result;

const PRIVATE: &str = concat!(
    "SELECT CAST(m.id AS bigint), ", micros!("m.created_at"), ", CAST(m.conversation_id AS bigint), coalesce(left(m.content, 400000), ''),
        CAST(CASE WHEN m.sender_type = 'User' THEN m.sender_id END AS bigint)
    FROM messages m WHERE m.account_id = $1::bigint AND m.id > $2::bigint AND m.message_type <> 2 AND m.private
    ORDER BY m.id LIMIT $3::bigint"
);
const OF_CONTACTS: &str = concat!(
    "SELECT CAST(n.id AS bigint), ",
    micros!("n.created_at"),
    ", CAST(n.contact_id AS bigint), coalesce(left(n.content, 400000), ''),
        CAST(n.user_id AS bigint)
    FROM notes n WHERE n.account_id = $1::bigint AND n.id > $2::bigint ORDER BY n.id LIMIT $3::bigint"
);
const PAGE_ROWS: i64 = 250;
const KIND: &str = "notes";

/// What the notes are about, and which kinds of rows there these are.
#[derive(Clone, Copy)]
pub(super) struct Subject {
    page: &'static str,
    pub(super) note: &'static str,
    pub(super) about: &'static str,
}

pub(super) const OF_CONVERSATIONS: Subject =
    Subject { page: PRIVATE, note: "private message", about: "conversation" };
pub(super) const OF_PEOPLE: Subject = Subject { page: OF_CONTACTS, note: "note", about: "contact" };

/// A note there.
pub(super) struct TheirNote {
    pub(super) id: i64,
    created: i64,
    pub(super) about: i64,
    pub(super) body: String,
    author: Option<i64>,
}

impl TheirNote {
    /// The notes after a number.
    pub(super) fn page(source: &mut Source, subject: Subject, account: i64, after: i64) -> Result<Vec<Self>> {
        source.query(subject.page, &[&account, &after, &PAGE_ROWS], |row| {
            Ok(Self {
                id: row.next()?,
                created: row.next()?,
                about: row.next()?,
                body: row.next()?,
                author: row.next()?,
            })
        })
    }
}

/// A note to be written.
struct Wanted {
    number: i64,
    by: By,
    about: Uuid,
    bodies: Vec<String>,
}

impl Import<'_> {
    pub(super) async fn bring_private_notes(&mut self, progress: Progress<'_>) -> Result<()> {
        self.bring_notes(OF_CONVERSATIONS, progress).await
    }

    pub(super) async fn bring_contact_notes(&mut self, progress: Progress<'_>) -> Result<()> {
        self.bring_notes(OF_PEOPLE, progress).await
    }

    async fn bring_notes(&mut self, subject: Subject, progress: Progress<'_>) -> Result<()> {
        let mut after = 0;
        loop {
            let page = TheirNote::page(self.source, subject, self.theirs.id, after)?;
            let Some(last) = page.last() else { return Ok(()) };
            after = last.id;
            progress(page.len() as u64);
            let wanted = self.wanted_notes(subject, page).await?;
            if !wanted.is_empty() {
                self.write_notes(subject, Arc::new(wanted)).await?;
            }
        }
    }

    async fn wanted_notes(&mut self, subject: Subject, page: Vec<TheirNote>) -> Result<Vec<Wanted>> {
        let (notes, subjects) = (self.kind(subject.note), self.kind(subject.about));
        let numbers: Vec<i64> = page.iter().map(|note| note.id).collect();
        let abouts: Vec<i64> = page.iter().map(|note| note.about).collect();
        let (known, about) = self
            .server
            .store
            .scan(move |tx| {
                Ok::<_, db::Error>((notes.find_all(tx, &numbers)?, subjects.find_all(tx, &abouts)?))
            })
            .await?;
        let mut wanted = Vec::new();
        for ((note, known), about) in page.into_iter().zip(known).zip(about) {
            let bodies = pieces(&note.body);
            match about {
                _ if known.is_some() => self.tally.there_before(KIND, 1),
                _ if bodies.is_empty() => self.tally.left_out("notes without a text", note.id.to_string()),
                None => self.tally.left_out("notes about what does not come along", note.id.to_string()),
                Some(about) => {
                    let by = self.by_at(note.created);
                    let author = note.author.and_then(|user| self.members.get(&user).copied());
                    let by = author.map_or_else(|| by.clone(), |author| by.attributed_to(author));
                    wanted.push(Wanted { number: note.id, by, about, bodies });
                }
            }
        }
        Ok(wanted)
    }

    async fn write_notes(&mut self, subject: Subject, batch: Arc<Vec<Wanted>>) -> Result<()> {
        let (kind, rows) = (self.kind(subject.note), batch.len());
        let written = self
            .write(move |tx| {
                let mut written = 0;
                for wanted in &*batch {
                    let Some(about) = held(tx, subject, wanted)? else { continue };
                    let mut first = None;
                    for body in &wanted.bodies {
                        let note = notes::write(tx, &wanted.by, about, body, &[])?;
                        first.get_or_insert(note.id);
                    }
                    if let Some(first) = first {
                        kind.note(tx, wanted.number, first.uuid())?;
                        written += 1;
                    }
                }
                Ok(written)
            })
            .await?;
        self.tally.brought(KIND, written);
        self.tally.left_out_many("notes about what was deleted here", (rows - written) as u64);
        Ok(())
    }
}

/// What a note is about, locked. None if it was deleted.
fn held(tx: &mut Tx<'_>, subject: Subject, wanted: &Wanted) -> db::Result<Option<About>> {
    if subject.about == OF_PEOPLE.about {
        let id = Id::from_uuid(wanted.about);
        let is_there = frontdesk_crm::contacts::hold(tx, wanted.by.account, id)?;
        return Ok(is_there.then_some(About::Contact(id)));
    }
    let there = imports::conversations_there(tx, &wanted.by, &[wanted.about])?;
    Ok(there.into_iter().flatten().next().map(|_| About::Conversation(Id::from_uuid(wanted.about))))
}

/// A text in pieces that one note can have each.
pub(super) fn pieces(text: &str) -> Vec<String> {
    let text = text.trim();
    let chars: Vec<char> = text.chars().filter(|c| *c != '\0').collect();
    let pieces = chars.chunks(BODY_CHARS_MAX).map(|piece| piece.iter().collect::<String>());
    pieces.filter(|piece| !frontdesk_kernel::text::is_blank(piece)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_note_becomes_several() {
        assert!(pieces(" \n ").is_empty());
        let long = "\u{e4}".repeat(BODY_CHARS_MAX + 1);
        let made = pieces(&long);
        assert_eq!((made.len(), made.concat()), (2, long));
    }
}
