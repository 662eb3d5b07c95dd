//! Brings conversations. Their messages follow.

use std::sync::Arc;

use frontdesk_crm::contacts::ContactTag;
use frontdesk_crm::imports as crm;
use frontdesk_db::{self as db, Row};
use frontdesk_inbox::conversations::ConversationStatus;
use frontdesk_inbox::imports::{self, PastConversation};
use frontdesk_kernel::{Id, Timestamp};
use frontdesk_platform::By;
use uuid::Uuid;

use super::channel::{Inbox, person_of};
use super::import::{Import, Progress, told};
use super::source::{Source, labels, micros};
use crate::clock;
use crate::error::Result;

const PAGE: &str = concat!(
    "SELECT CAST(v.id AS bigint), ", micros!("v.created_at"), ", CAST(v.contact_id AS bigint), CAST(v.inbox_id AS bigint),
        CAST(v.status AS bigint), CAST(v.assignee_id AS bigint), ", micros!("v.snoozed_until"), ", ci.source_id::text, ",
    labels!("Conversation", "v.id"), ",
        NOT EXISTS (SELECT 1 FROM conversations n WHERE n.contact_id = v.contact_id AND n.inbox_id = v.inbox_id AND n.id > v.id)
    FROM conversations v LEFT JOIN contact_inboxes ci ON ci.id = v.contact_inbox_id
    WHERE v.account_id = $1::bigint AND v.id > $2::bigint ORDER BY v.id LIMIT $3::bigint"
);
const KIND: &str = "conversations";
const PAGE_ROWS: i64 = 500;
const BATCH_ROWS: usize = 100;
const SNOOZED: i64 = 3;

/// A conversation there.
pub(super) struct TheirConversation {
    pub(super) id: i64,
    created: i64,
    pub(super) contact: Option<i64>,
    pub(super) inbox: i64,
    status: i64,
    assignee: Option<i64>,
    snoozed_until: Option<i64>,
    source_id: Option<String>,
    labels: Option<String>,
    is_newest: bool,
}

impl TheirConversation {
    /// The conversations after a number.
    pub(super) fn page(source: &mut Source, account: i64, after: i64) -> Result<Vec<Self>> {
        source.query(PAGE, &[&account, &after, &PAGE_ROWS], Self::read)
    }

    fn read(row: &mut Row<'_>) -> db::Result<Self> {
        Ok(Self {
            id: row.next()?,
            created: row.next()?,
            contact: row.next()?,
            inbox: row.next()?,
            status: row.next()?,
            assignee: row.next()?,
            snoozed_until: row.next()?,
            source_id: row.next()?,
            labels: row.next()?,
            is_newest: row.next()?,
        })
    }

    /// The status, by its number there: open, resolved, pending, snoozed.
    pub(super) fn status(&self) -> ConversationStatus {
        match self.status {
            1 => ConversationStatus::Closed,
            2 => ConversationStatus::Pending,
            SNOOZED if self.snoozed_until().is_some() => ConversationStatus::Pending,
            _ => ConversationStatus::Open,
        }
    }

    pub(super) fn is_snoozed(&self) -> bool {
        self.status == SNOOZED
    }

    /// Until when it is snoozed, if that is still to come.
    fn snoozed_until(&self) -> Option<Timestamp> {
        let until = self.snoozed_until.filter(|_| self.is_snoozed())?;
        Some(Timestamp::from_millis(until.div_euclid(1_000))).filter(|until| *until > clock::now())
    }
}

/// A conversation to be written.
struct Wanted {
    number: i64,
    by: By,
    past: PastConversation,
    person: Option<String>,
    tags: Vec<ContactTag>,
}

impl Import<'_> {
    pub(super) async fn bring_conversations(&mut self, progress: Progress<'_>) -> Result<()> {
        let mut after = 0;
        loop {
            let page = TheirConversation::page(self.source, self.theirs.id, after)?;
            let Some(last) = page.last() else { return Ok(()) };
            after = last.id;
            progress(page.len() as u64);
            let mut wanted = self.wanted_conversations(page).await?;
            while !wanted.is_empty() {
                let rest = wanted.split_off(wanted.len().min(BATCH_ROWS));
                self.write_conversations(Arc::new(wanted)).await?;
                wanted = rest;
            }
        }
    }

    async fn wanted_conversations(&mut self, page: Vec<TheirConversation>) -> Result<Vec<Wanted>> {
        let (known, people) = (self.kind("conversation"), self.kind("contact"));
        let numbers: Vec<i64> = page.iter().map(|theirs| theirs.id).collect();
        let contacts: Vec<i64> = page.iter().map(|theirs| theirs.contact.unwrap_or(0)).collect();
        let (known, contacts) = self
            .server
            .store
            .scan(move |tx| {
                Ok::<_, db::Error>((known.find_all(tx, &numbers)?, people.find_all(tx, &contacts)?))
            })
            .await?;
        let mut wanted = Vec::new();
        for ((theirs, known), contact) in page.into_iter().zip(known).zip(contacts) {
            if known.is_some() {
                self.tally.there_before(KIND, 1);
                continue;
            }
            let Some(contact) = contact else {
                self.tally.left_out("conversations whose contact is gone", theirs.id.to_string());
                continue;
            };
            let Some(inbox) = self.inboxes.get(&theirs.inbox).copied() else {
                self.tally.left_out("conversations whose inbox is gone", theirs.id.to_string());
                continue;
            };
            wanted.push(self.wanted_conversation(&theirs, contact, inbox).await?);
        }
        Ok(wanted)
    }

    async fn wanted_conversation(
        &mut self,
        theirs: &TheirConversation,
        contact: Uuid,
        inbox: Inbox,
    ) -> Result<Wanted> {
        let tags = self.tags_of(theirs.labels.as_deref()).await?;
        let past = PastConversation {
            contact: Id::from_uuid(contact),
            connection: inbox.connection,
            channel: inbox.channel,
            status: theirs.status(),
            assigned: theirs.assignee.and_then(|user| self.members.get(&user).copied()),
            snoozed_until: theirs.snoozed_until(),
            is_newest: theirs.is_newest,
        };
        let person = theirs.source_id.as_deref().filter(|_| inbox.knows_people);
        let person = person.and_then(|person| person_of(inbox.channel, person));
        Ok(Wanted { number: theirs.id, by: self.by_at(theirs.created), past, person, tags })
    }

    async fn write_conversations(&mut self, batch: Arc<Vec<Wanted>>) -> Result<()> {
        let (kind, now) = (self.kind("conversation"), self.by_now());
        let rows = batch.len();
        let written = self
            .write(move |tx| {
                let mut written = 0;
                for wanted in &*batch {
                    let Some(id) = imports::conversation(tx, &wanted.by, &wanted.past)? else { continue };
                    kind.note(tx, wanted.number, id.uuid())?;
                    if let Some(person) = &wanted.person {
                        imports::known_person(tx, &now, wanted.past.connection, person, wanted.past.contact)?;
                    }
                    if !wanted.tags.is_empty() {
                        crm::tag(tx, &now, wanted.past.contact, wanted.tags.clone()).map_err(told)?;
                    }
                    written += 1;
                }
                Ok(written)
            })
            .await?;
        self.tally.brought(KIND, written);
        self.tally.left_out_many("conversations of contacts that were deleted here", (rows - written) as u64);
        Ok(())
    }
}
