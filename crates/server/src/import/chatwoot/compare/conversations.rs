//! Conversations: whose they are, on which channel, and whether they are open.

use frontdesk_crm::contacts;
use frontdesk_db as db;
use frontdesk_inbox::conversations::ConversationStatus;
use frontdesk_inbox::imports::{self, StoredConversation};
use frontdesk_kernel::Id;
use uuid::Uuid;

use super::super::conversations::TheirConversation;
use super::super::import::{Import, Progress};
use super::{ComparedRows, Comparison, Said};
use crate::error::Result;

/// What a conversation there has become here.
#[derive(Clone, Copy)]
enum Ours {
    /// The conversation, and whose it should be.
    Here(Uuid, StoredConversation, Option<Uuid>),
    /// It does not come along, or was deleted here.
    Gone,
    Missing,
}

impl Import<'_> {
    pub(super) async fn compare_conversations(&mut self, progress: Progress<'_>) -> Result<ComparedRows> {
        let (mut comparison, mut after) = (Comparison::default(), 0);
        loop {
            let page = TheirConversation::page(self.source, self.theirs.id, after)?;
            let Some(last) = page.last() else { return Ok(comparison.end()) };
            after = last.id;
            progress(page.len() as u64);
            let ours = self.our_conversations(&page).await?;
            for (theirs, ours) in page.iter().zip(ours) {
                let Some(inbox) = self.inboxes.get(&theirs.inbox) else { continue };
                let (id, stored, contact) = match ours {
                    Ours::Here(id, stored, contact) => (id, stored, contact),
                    Ours::Gone => continue,
                    Ours::Missing => {
                        comparison.missing();
                        continue;
                    }
                };
                let said = |contact: Option<Uuid>, connection: Uuid, status: ConversationStatus| -> Said {
                    let status = Some(status.as_str().to_owned());
                    vec![contact.map(|id| id.to_string()), Some(connection.to_string()), status]
                };
                comparison.row(
                    id,
                    &said(contact, inbox.connection.uuid(), expected(theirs, &stored)),
                    &said(Some(stored.contact.uuid()), stored.connection.uuid(), stored.status),
                );
            }
        }
    }

    async fn our_conversations(&self, page: &[TheirConversation]) -> Result<Vec<Ours>> {
        let (kind, people, by) = (self.kind("conversation"), self.kind("contact"), self.by_now());
        let numbers: Vec<i64> = page.iter().map(|theirs| theirs.id).collect();
        let contacts: Vec<i64> = page.iter().map(|theirs| theirs.contact.unwrap_or(0)).collect();
        let found = self.server.store.scan(move |tx| {
            let known = kind.find_all(tx, &numbers)?;
            let people = people.find_all(tx, &contacts)?;
            let ids: Vec<Uuid> = known.iter().flatten().copied().collect();
            let mut stored = imports::stored_conversations(tx, &by, &ids)?.into_iter();
            let mut found = Vec::with_capacity(numbers.len());
            for (known, contact) in known.into_iter().zip(people) {
                found.push(match (known, contact) {
                    (Some(id), _) => match stored.next().flatten() {
                        Some(stored) => Ours::Here(id, stored, contact),
                        None => Ours::Gone,
                    },
                    // It comes along with its contact.
                    (None, Some(contact)) if contacts::exists(tx, by.account, Id::from_uuid(contact))? => {
                        Ours::Missing
                    }
                    (None, _) => Ours::Gone,
                });
            }
            Ok::<_, db::Error>(found)
        });
        Ok(found.await?)
    }
}

/// The status that a conversation should have. One that another one goes on in is closed, and one that is snoozed opens
/// when its time comes.
fn expected(theirs: &TheirConversation, ours: &StoredConversation) -> ConversationStatus {
    match ours.status {
        _ if ours.is_superseded => ConversationStatus::Closed,
        ConversationStatus::Open | ConversationStatus::Pending if theirs.is_snoozed() => ours.status,
        _ => theirs.status(),
    }
}
