//! Writes the messages of a chat into a conversation.

use std::collections::HashMap;
use std::sync::Arc;

use frontdesk_crm::contacts::ContactId;
use frontdesk_db as db;
use frontdesk_inbox::connections::{self, Channel, ConnectionId};
use frontdesk_inbox::conversations::{ConversationId, ConversationStatus};
use frontdesk_inbox::imports::{
    self, ArrivingFile, FileFailure, PastConnection, PastConversation, PastMessage, store_file,
};
use frontdesk_inbox::media::MediaId;
use frontdesk_inbox::messages::{MessageStatus, MessageType, SenderType};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Id, Timestamp};
use frontdesk_platform::events::Recorder;
use frontdesk_platform::imports::ImportedKind;
use frontdesk_platform::{By, ServerContext};
use jiff::tz::TimeZone;
use sha2::{Digest, Sha256};

use super::archive::Archive;
use super::chat::{Chat, ChatMessage};
use super::media::{Content, content, kind_of};
use crate::clock;
use crate::error::{Error, Result};
use crate::import::Tally;

const KIND: &str = "messages";
const FILES: &str = "files";
const SOURCE: &str = "whatsapp export";
const BATCH_ROWS: usize = 200;
const MILLI: i64 = 1_000;
const CONNECTION_NAME: &str = "WhatsApp (from an export)";
const REASON: &str = "made for an exported chat: connect a number to write over it";

/// Where the messages go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) connection: ConnectionId,
    pub(crate) conversation: ConversationId,
}

/// The import of one chat.
pub(crate) struct Import<'i> {
    pub(crate) server: &'i ServerContext,
    pub(crate) account: AccountId,
    pub(crate) timezone: TimeZone,
    /// The business in the chat. None if it has written nothing.
    pub(crate) me: Option<String>,
    pub(crate) moves: bool,
    pub(crate) tally: Tally,
}

/// A message with its time in microseconds, and the number by which it is known.
struct Line<'c> {
    message: &'c ChatMessage,
    micros: i64,
    number: i64,
}

impl Import<'_> {
    fn by(&self, at: Timestamp) -> By {
        By::system(self.account, at, &Arc::new(Recorder::of_the_past()))
    }

    /// The contact's conversation on a connection, which are created if there are none.
    pub(crate) async fn place(
        &self,
        chat: &Chat,
        contact: ContactId,
        given: Option<ConnectionId>,
    ) -> Result<Place> {
        let began = chat.messages.first().map_or_else(clock::now, |message| self.moment(message));
        let (by, by_began) = (self.by(clock::now()), self.by(began.min(clock::now())));
        let keys = self.server.services.secrets.clone();
        self.server
            .store
            .write(move |tx| {
                let all = connections::list(tx, by.account)?;
                let mut fitting: Vec<_> = all
                    .into_iter()
                    .filter(|one| given.is_none_or(|given| one.id() == given) && one.channel().has_numbers())
                    .collect();
                // The oldest linked phone, and then the oldest number of the Cloud API.
                fitting.sort_by_key(|one| (one.channel() != Channel::PersonalWhatsapp, one.id()));
                for one in &fitting {
                    if let Some(conversation) = imports::current(tx, &by, one.id(), contact)? {
                        return Ok(Place { connection: one.id(), conversation });
                    }
                }
                let (connection, channel) = match fitting.first() {
                    Some(one) => (one.id(), one.channel()),
                    None if given.is_some() => {
                        return Err(Error::Invalid(
                            "--connection is no WhatsApp connection of the account; `frontdesk channel list` shows them"
                                .to_owned(),
                        ));
                    }
                    None => {
                        let past = PastConnection {
                            channel: Channel::PersonalWhatsapp,
                            name: CONNECTION_NAME.to_owned(),
                            address: None,
                            reason: REASON.to_owned(),
                        };
                        (imports::connection(tx, &by, &keys, &past)?, past.channel)
                    }
                };
                let past = PastConversation {
                    contact,
                    connection,
                    channel,
                    status: ConversationStatus::Closed,
                    assigned: None,
                    snoozed_until: None,
                    is_newest: true,
                };
                let conversation = imports::conversation(tx, &by_began, &past)?;
                let conversation =
                    conversation.ok_or_else(|| Error::Invalid("the contact was deleted meanwhile".to_owned()))?;
                Ok(Place { connection, conversation })
            })
            .await
    }

    /// Brings the messages that are not in the conversation yet.
    pub(crate) async fn bring(
        &mut self,
        archive: &mut Archive,
        chat: &Chat,
        place: Place,
        progress: &mut dyn FnMut(u64),
    ) -> Result<()> {
        self.tally.left_out_many("lines of WhatsApp itself", chat.system_lines);
        let lines = self.lines(chat);
        let kind = ImportedKind {
            account: self.account,
            source: format!("{SOURCE} {}", place.conversation),
            kind: "line",
        };
        for lines in lines.chunks(BATCH_ROWS) {
            progress(lines.len() as u64);
            let (asked, numbers) = (kind.clone(), lines.iter().map(|line| line.number).collect::<Vec<_>>());
            let known = self.server.store.scan(move |tx| asked.find_all(tx, &numbers)).await?;
            let mut wanted = Vec::new();
            for (line, known) in lines.iter().zip(known) {
                if known.is_some() {
                    self.tally.there_before(KIND, 1);
                } else {
                    wanted.extend(self.wanted(archive, line, place).await?);
                }
            }
            if wanted.is_empty() {
                continue;
            }
            let (by, noted, batch) = (self.by(clock::now()), kind.clone(), Arc::new(wanted));
            let rows = batch.len();
            let written = self
                .server
                .store
                .write(move |tx| {
                    let messages: Vec<PastMessage> =
                        batch.iter().map(|(_, message)| message.clone()).collect();
                    let written = imports::write(tx, &by, &messages)?;
                    if written == messages.len() {
                        let made: Vec<_> =
                            batch.iter().map(|(number, message)| (*number, message.id.uuid())).collect();
                        noted.note_all(tx, &made)?;
                    }
                    Ok::<_, db::Error>(written)
                })
                .await?;
            if written < rows {
                return Err(Error::Invalid("the conversation was deleted meanwhile".to_owned()));
            }
            self.tally.brought(KIND, written);
        }
        Ok(())
    }

    /// The messages with their times. Phones write minutes or seconds, so those of one time are put a millisecond apart.
    fn lines<'c>(&self, chat: &'c Chat) -> Vec<Line<'c>> {
        let (mut at_once, mut same) = (HashMap::new(), HashMap::new());
        let mut lines = Vec::with_capacity(chat.messages.len());
        for message in &chat.messages {
            let millis = self.moment(message).millis();
            let place: &mut i64 = at_once.entry(millis).or_insert(0);
            let written = format!("{millis}\0{}\0{}", self.is_mine(message), message.text);
            let times: &mut u64 = same.entry(written.clone()).or_insert(0);
            let hash = Sha256::digest(format!("{written}\0{times}"));
            let number = hash.iter().take(8).fold(0_i64, |sum, byte| (sum << 8) | i64::from(*byte));
            lines.push(Line { message, micros: (millis + *place) * MILLI, number });
            *place += 1;
            *times += 1;
        }
        lines
    }

    fn moment(&self, message: &ChatMessage) -> Timestamp {
        // A time that the change of clocks leaves out or has twice is read as the clock would go on.
        let zoned = self.timezone.to_ambiguous_zoned(message.at).compatible();
        zoned
            .map_or_else(|_| clock::now(), |zoned| Timestamp::from_millis(zoned.timestamp().as_millisecond()))
    }

    fn is_mine(&self, message: &ChatMessage) -> bool {
        self.me.as_ref().is_some_and(|me| *me == message.author)
    }

    /// A message to be written, with its file stored. None of one that only says that a file was left out.
    async fn wanted(
        &mut self,
        archive: &mut Archive,
        line: &Line<'_>,
        place: Place,
    ) -> Result<Vec<(i64, PastMessage)>> {
        let sender = if self.is_mine(line.message) { SenderType::Agent } else { SenderType::Customer };
        let mut past = PastMessage {
            id: Id::imported(line.micros, line.number as u64, 0, line.number as u64 >> 40),
            conversation: place.conversation,
            connection: place.connection,
            sender,
            kind: MessageType::Text,
            text: None,
            media: None,
            media_url: None,
            details: None,
            status: if sender == SenderType::Agent { MessageStatus::Sent } else { MessageStatus::Delivered },
            author: None,
        };
        match content(&line.message.text, |name| archive.has(name)) {
            Content::LeftOut => {
                self.tally.left_out_many("files that the export leaves out: export the chat with media", 1);
                past.text = Some("[file]".to_owned());
            }
            Content::Text(text) if text.trim().is_empty() => {
                self.tally.left_out_many("messages without a text", 1);
                return Ok(Vec::new());
            }
            Content::Text(text) => past.text = Some(text.chars().take(imports::TEXT_CHARS_MAX).collect()),
            Content::File { name, caption } => {
                past.text = caption.map(ToOwned::to_owned);
                let kind = kind_of(name);
                match self.store(archive, name, kind, place).await? {
                    Some(media) => (past.kind, past.media) = (kind.0, Some(media)),
                    None => {
                        past.text = Some(
                            caption.map_or_else(|| format!("[{name}]"), |text| format!("{text}\n[{name}]")),
                        );
                    }
                }
            }
        }
        Ok(vec![(line.number, past)])
    }

    async fn store(
        &mut self,
        archive: &mut Archive,
        name: &str,
        (kind, content_type): (MessageType, &'static str),
        place: Place,
    ) -> Result<Option<MediaId>> {
        let by = self.by(clock::now());
        let Some(file) = archive.file(name) else {
            self.tally.left_out("files that are damaged or too large", name);
            return Ok(None);
        };
        let arriving = ArrivingFile {
            connection: place.connection,
            kind: kind.as_str(),
            content_type: content_type.to_owned(),
            filename: Some(name.to_owned()),
        };
        match store_file(&self.server.store, &by, arriving, file, self.moves).await {
            Ok(media) => {
                self.tally.brought(FILES, 1);
                Ok(Some(media))
            }
            Err(FileFailure::Store(error)) => Err(Error::Store(error)),
            Err(_) => {
                self.tally.left_out("files that are damaged or too large", name);
                Ok(None)
            }
        }
    }
}
