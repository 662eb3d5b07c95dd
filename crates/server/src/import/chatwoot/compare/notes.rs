//! Notes: what they are about, and their texts. Of a note that has become several, the first is compared.

use frontdesk_crm::{contacts, notes};
use frontdesk_db::{self as db, ReadTx};
use frontdesk_inbox::imports;
use frontdesk_kernel::Id;
use frontdesk_platform::By;
use uuid::Uuid;

use super::super::import::{Import, Progress};
use super::super::notes::{OF_CONVERSATIONS, OF_PEOPLE, Subject, TheirNote, pieces};
use super::{ComparedRows, Comparison};
use crate::error::Result;

/// What a note there has become here.
enum Ours {
    /// The note, what it is about, its text, and what it should be about.
    Here(Uuid, Option<Uuid>, String, Option<Uuid>),
    /// It does not come along, or was deleted here.
    Gone,
    Missing,
}

impl Import<'_> {
    pub(super) async fn compare_notes(&mut self, progress: Progress<'_>) -> Result<ComparedRows> {
        let mut comparison = Comparison::default();
        for subject in [OF_CONVERSATIONS, OF_PEOPLE] {
            let mut after = 0;
            loop {
                let page = TheirNote::page(self.source, subject, self.theirs.id, after)?;
                let Some(last) = page.last() else { break };
                after = last.id;
                progress(page.len() as u64);
                let ours = self.our_notes(subject, &page).await?;
                for (theirs, ours) in page.iter().zip(ours) {
                    let Some(body) = pieces(&theirs.body).into_iter().next() else { continue };
                    match ours {
                        Ours::Here(id, about, our_body, our_subject) => {
                            let said =
                                |about: Option<Uuid>, body| vec![about.map(|id| id.to_string()), Some(body)];
                            comparison.row(id, &said(our_subject, body), &said(about, our_body));
                        }
                        Ours::Gone => {}
                        Ours::Missing => comparison.missing(),
                    }
                }
            }
        }
        Ok(comparison.end())
    }

    async fn our_notes(&self, subject: Subject, page: &[TheirNote]) -> Result<Vec<Ours>> {
        let (kind, subjects, by) = (self.kind(subject.note), self.kind(subject.about), self.by_now());
        let numbers: Vec<i64> = page.iter().map(|note| note.id).collect();
        let abouts: Vec<i64> = page.iter().map(|note| note.about).collect();
        let found = self.server.store.scan(move |tx| {
            let known = kind.find_all(tx, &numbers)?;
            let abouts = subjects.find_all(tx, &abouts)?;
            let ids: Vec<notes::NoteId> = known.iter().flatten().map(|id| Id::from_uuid(*id)).collect();
            let mut stored = notes::find_all(tx, by.account, &ids)?.into_iter();
            let mut found = Vec::with_capacity(numbers.len());
            for (known, about) in known.into_iter().zip(abouts) {
                found.push(match (known, about) {
                    (Some(id), _) => match stored.next().flatten() {
                        Some(note) => {
                            let contact = note.contact_id.map(|id| id.uuid());
                            let ours = contact.or(note.conversation_id.map(|id| id.uuid()));
                            Ours::Here(id, ours, note.body, about)
                        }
                        None => Ours::Gone,
                    },
                    (None, Some(about)) if is_there(tx, &by, subject, about)? => Ours::Missing,
                    (None, _) => Ours::Gone,
                });
            }
            Ok::<_, db::Error>(found)
        });
        Ok(found.await?)
    }
}

/// Whether what a note is about is here. A note comes along with it.
fn is_there(tx: &mut ReadTx<'_>, by: &By, subject: Subject, about: Uuid) -> db::Result<bool> {
    if subject.about == OF_PEOPLE.about {
        return contacts::exists(tx, by.account, Id::from_uuid(about));
    }
    Ok(imports::conversations_there(tx, by, &[about])?.into_iter().flatten().next().is_some())
}
