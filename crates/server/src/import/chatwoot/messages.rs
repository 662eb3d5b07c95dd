//! Brings messages with their files.

use std::collections::HashMap;
use std::sync::Arc;

use frontdesk_db as db;
use frontdesk_inbox::imports::{self, ArrivingFile, FileFailure, PastMessage, store_file};
use frontdesk_inbox::media::MediaId;
use frontdesk_inbox::messages::{MessageId, MessageType, SenderType};
use frontdesk_kernel::Id;
use uuid::Uuid;

use super::attachments::Blob;
use super::channel::Inbox;
use super::files::NoFile;
use super::import::{Import, Progress};
use super::pages::TheirMessage;
use super::parts::{PARTS_MAX, Part};
use crate::error::{Error, Result};

const KIND: &str = "messages";
const FILES: &str = "files";

impl Import<'_> {
    pub(super) async fn bring_messages(&mut self, progress: Progress<'_>) -> Result<()> {
        let mut after = 0;
        loop {
            let page = TheirMessage::page(self.source, self.theirs.id, after)?;
            let Some(last) = page.last() else { return Ok(()) };
            after = last.id;
            progress(page.len() as u64);
            let wanted = self.wanted_messages(page).await?;
            if wanted.is_empty() {
                continue;
            }
            let (by, rows, wanted) = (self.by_now(), wanted.len(), Arc::new(wanted));
            let written = self.write(move |tx| Ok(imports::write(tx, &by, &wanted)?)).await?;
            self.tally.brought(KIND, written);
            self.tally
                .left_out_many("messages of conversations that were deleted here", (rows - written) as u64);
        }
    }

    /// Those of a page that are not here, with their files stored.
    async fn wanted_messages(&mut self, page: Vec<TheirMessage>) -> Result<Vec<PastMessage>> {
        let places = self.places(&page).await?;
        let ids: Vec<MessageId> = page
            .iter()
            .flat_map(|message| (0..message.parts.len()).map(|part| message.id_of(part, self.origin)))
            .collect();
        let by = self.by_now();
        let there = self.server.store.scan(move |tx| imports::there(tx, &by, &ids)).await?;
        let (mut there, mut wanted) = (there.into_iter(), Vec::new());
        for message in page {
            if message.parts.is_empty() {
                self.tally.left_out("messages without a text and a file", message.id.to_string());
            } else if message.parts.len() == PARTS_MAX {
                self.tally.left_out("messages with more attachments than come along", message.id.to_string());
            }
            for (at, part) in message.parts.iter().enumerate() {
                if there.next().flatten().is_some() {
                    self.tally.there_before(KIND, 1);
                    continue;
                }
                match places.get(&message.conversation) {
                    Some(Place::Here(conversation, inbox)) => {
                        wanted.push(self.wanted_message(&message, at, part, (*conversation, *inbox)).await?);
                    }
                    Some(Place::DeletedHere) => {
                        self.tally.left_out_many("messages of conversations that were deleted here", 1);
                    }
                    None => self.tally.left_out_many("messages of conversations that do not come along", 1),
                }
            }
        }
        Ok(wanted)
    }

    /// Where the conversations of messages are.
    pub(super) async fn places(&self, page: &[TheirMessage]) -> Result<HashMap<i64, Place>> {
        let mut numbers: Vec<i64> = page.iter().map(|message| message.conversation).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let (kind, by, asked) = (self.kind("conversation"), self.by_now(), numbers.clone());
        let found = self
            .server
            .store
            .scan(move |tx| {
                let known = kind.find_all(tx, &asked)?;
                let ids: Vec<Uuid> = known.iter().flatten().copied().collect();
                let there = imports::conversations_there(tx, &by, &ids)?;
                let there: HashMap<Uuid, _> = ids.into_iter().zip(there).collect();
                Ok::<_, db::Error>((known, there))
            })
            .await?;
        let (known, mut there) = found;
        let mut places = HashMap::new();
        for (number, known) in numbers.into_iter().zip(known) {
            let Some(id) = known else { continue };
            let inbox = there.remove(&id).flatten().and_then(|connection| {
                self.inboxes.values().find(|inbox| inbox.connection == connection).copied()
            });
            places.insert(number, inbox.map_or(Place::DeletedHere, |inbox| Place::Here(id, inbox)));
        }
        Ok(places)
    }

    async fn wanted_message(
        &mut self,
        message: &TheirMessage,
        at: usize,
        part: &Part,
        (conversation, inbox): (Uuid, Inbox),
    ) -> Result<PastMessage> {
        let sender = message.sender();
        let author = message.sender_id.filter(|_| message.is_of_member() && sender == SenderType::Agent);
        let mut past = PastMessage {
            id: message.id_of(at, self.origin),
            conversation: Id::from_uuid(conversation),
            connection: inbox.connection,
            sender,
            kind: MessageType::Text,
            text: part.text_with_file(),
            media: None,
            media_url: None,
            details: None,
            status: message.status(),
            author: author.and_then(|user| self.members.get(&user).copied()),
        };
        match part {
            Part::Text(_) => {}
            Part::Place { details, .. } => {
                past.kind = MessageType::Location;
                past.details = Some(details.clone());
            }
            Part::Link { kind, url, .. } => {
                past.kind = *kind;
                past.media_url = Some(url.clone());
            }
            Part::File { kind, blob, .. } => match self.store(*kind, blob, inbox).await? {
                Some(media) => (past.kind, past.media) = (*kind, Some(media)),
                None => past.text = part.text_without_file(),
            },
        }
        Ok(past)
    }

    /// Stores a file. None if it does not come along.
    async fn store(&mut self, kind: MessageType, blob: &Blob, inbox: Inbox) -> Result<Option<MediaId>> {
        let Some(directory) = &self.options.files else {
            self.tally.left_out("files, because --files was not given", &blob.filename);
            return Ok(None);
        };
        let file = match directory.open_file(blob) {
            Ok(file) => file,
            Err(NoFile::Missing) => {
                self.tally.left_out(
                    "files that are not in the directory",
                    format!("{} {}", blob.key, blob.filename),
                );
                return Ok(None);
            }
            Err(NoFile::Damaged) => {
                self.tally.left_out(
                    "files that are not as the database says",
                    format!("{} {}", blob.key, blob.filename),
                );
                return Ok(None);
            }
        };
        let arriving = ArrivingFile {
            connection: inbox.connection,
            kind: kind.as_str(),
            content_type: blob.content_type.clone().unwrap_or_else(|| "application/octet-stream".to_owned()),
            filename: Some(blob.filename.clone()).filter(|name| !name.trim().is_empty()),
        };
        match store_file(&self.server.store, &self.by_now(), arriving, file, self.options.moves).await {
            Ok(media) => {
                self.tally.brought(FILES, 1);
                Ok(Some(media))
            }
            Err(FileFailure::Store(error)) => Err(Error::Store(error)),
            Err(error) => {
                self.tally.left_out("files that cannot be read", format!("{} {error}", blob.filename));
                Ok(None)
            }
        }
    }
}

/// Where the messages of a conversation go.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    Here(Uuid, Inbox),
    /// It was brought, and deleted since.
    DeletedHere,
}
