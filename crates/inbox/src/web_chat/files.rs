//! Files that visitors send.
//!
//! A file is a message: the request's body is the file, and its query has the name and the page's id of the message, so
//! that a repeated request stores one message. The type follows from the name; what the browser says about it is not
//! used. Who may send is decided before the body is read.

use frontdesk_channels::{Content, MediaKind, MediaSource};
use frontdesk_db as db;
use frontdesk_kernel::Text;
use frontdesk_platform::public_endpoint::PublicResponse;
use frontdesk_platform::{PublicRequest, ServerContext, UnreadRequest, store_failure};
use frontdesk_web::{Failure, Filters, Pairs, Problems, Reply, Result, data_bytes, filters};
use http::StatusCode;

use super::InboxState;
use super::chat_request::ChatRequest;
use super::conversation;
use super::limits::Action;
use super::messages::{self, CLIENT_ID_CHARS_MAX};
use super::settings;
use super::token::Visitor;
use crate::connections::StoredConnection;
use crate::media::{self, ReceivedFile};

/// The largest file.
pub(super) const FILE_BYTES_MAX: usize = 10 << 20;
const FILENAME_CHARS_MAX: usize = 200;
/// `Retry-After` while other files arrive.
const BUSY_SECONDS: i64 = 3;

/// The types by the ending of the name. What a browser or an office program could run is not among them.
const TYPES: &[(&str, &str, MediaKind)] = &[
    ("png", "image/png", MediaKind::Image),
    ("jpg", "image/jpeg", MediaKind::Image),
    ("jpeg", "image/jpeg", MediaKind::Image),
    ("gif", "image/gif", MediaKind::Image),
    ("webp", "image/webp", MediaKind::Image),
    ("heic", "image/heic", MediaKind::Document),
    ("mp4", "video/mp4", MediaKind::Video),
    ("mov", "video/quicktime", MediaKind::Video),
    ("webm", "video/webm", MediaKind::Video),
    ("mp3", "audio/mpeg", MediaKind::Audio),
    ("m4a", "audio/mp4", MediaKind::Audio),
    ("ogg", "audio/ogg", MediaKind::Audio),
    ("wav", "audio/wav", MediaKind::Audio),
    ("pdf", "application/pdf", MediaKind::Document),
    ("txt", "text/plain", MediaKind::Document),
    ("csv", "text/csv", MediaKind::Document),
    ("zip", "application/zip", MediaKind::Document),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", MediaKind::Document),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", MediaKind::Document),
    (
        "pptx",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        MediaKind::Document,
    ),
    ("odt", "application/vnd.oasis.opendocument.text", MediaKind::Document),
    ("ods", "application/vnd.oasis.opendocument.spreadsheet", MediaKind::Document),
];

filters! {
    /// The message that has the file.
    struct NewFile {
        /// The name of the file, with its ending.
        name: Option<Text<FILENAME_CHARS_MAX>>,
        /// The page's id of the message. A repeated id changes nothing.
        client_id: Option<Text<CLIENT_ID_CHARS_MAX>>,
    }
}

/// Stores a visitor's file and its message.
pub(super) async fn receive(
    server: &ServerContext,
    state: &InboxState,
    connection: StoredConnection,
    request: UnreadRequest<'_>,
) -> Result<PublicResponse> {
    let mut chat = ChatRequest::new(server, state, connection, without_body(&request.head));
    let visitor = chat.visitor(Action::SendFile)?;
    chat.connected()?;
    let (filename, channel_message_id) = read_query(&chat, &visitor)?;
    let (content_type, kind) = type_of(&filename)?;
    if let Some(known) = messages::find(&chat, &visitor, &channel_message_id).await? {
        return Ok(Reply::new(StatusCode::CREATED, data_bytes(&known)).into());
    }
    check_room(&chat).await?;
    let _slot =
        state.registry.file_slot().ok_or_else(|| Failure::busy(BUSY_SECONDS).of_limit("web_chat_files"))?;
    chat.request = request.read_up_to(FILE_BYTES_MAX).await?;
    let bytes = chat.request.body.clone();
    if bytes.is_empty() {
        return Err(Failure::bad_request("The file is empty. Send its bytes as the body."));
    }
    let file = ReceivedFile { kind: kind.as_str(), content_type, filename, bytes };
    let stored = media::receive(server, &chat.connection, &file, chat.request.now).await;
    let id = stored.map_err(|error| store_failure(&error))?;
    let source = MediaSource { id: Some(id.to_string()), ..MediaSource::default() };
    let content = Content::Media { kind, source, caption: None };
    let said = messages::store(&chat, &visitor, (None, None), &channel_message_id, content).await?;
    Ok(Reply::new(StatusCode::CREATED, data_bytes(&said)).into())
}

/// The request with all but its body.
fn without_body(head: &PublicRequest) -> PublicRequest {
    PublicRequest {
        method: head.method.clone(),
        path: head.path.clone(),
        query: head.query.clone(),
        headers: head.headers.clone(),
        body: bytes::Bytes::new(),
        address: head.address,
        now: head.now,
    }
}

/// The name of the file, and the channel's id of the message.
fn read_query(chat: &ChatRequest<'_>, visitor: &Visitor) -> Result<(String, String)> {
    let given = NewFile::read(&Pairs::parse(&chat.request.query))?;
    let mut problems = Problems::new();
    for (field, is_missing) in [("name", given.name.is_none()), ("client_id", given.client_id.is_none())] {
        if is_missing {
            problems.add(field, "is required, in the query");
        }
    }
    match (given.name, given.client_id) {
        (Some(name), Some(client_id)) => {
            let shown = name.as_str().chars().filter(|c| !c.is_control()).collect();
            Ok((shown, conversation::name(visitor.id, client_id.as_str())))
        }
        _ => Err(Failure::validation(problems)),
    }
}

/// The content type and the kind of a file.
fn type_of(filename: &str) -> Result<(&'static str, MediaKind)> {
    let ending = filename.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default();
    let found = TYPES.iter().find(|(known, ..)| *known == ending);
    found.map(|(_, content_type, kind)| (*content_type, *kind)).ok_or_else(|| {
        let known: Vec<&str> = TYPES.iter().map(|(ending, ..)| *ending).collect();
        Failure::unprocessable(
            "file_type",
            format!("Files of this type are not accepted here. Send one of: {}.", known.join(", ")),
        )
    })
}

/// Refuses a file that the chat does not accept, or has no room for.
async fn check_room(chat: &ChatRequest<'_>) -> Result<()> {
    let (account, connection) = (chat.connection.account, chat.connection.id());
    let bytes_max = chat.file_bytes_total_max;
    let read = chat.server.store.read(move |tx| {
        let accepts = settings::find(tx, account, connection)?.accepts_files;
        db::Result::Ok((accepts, media::is_full(tx, account, connection, bytes_max)?))
    });
    match read.await.map_err(|error| store_failure(&error))? {
        (false, _) => Err(Failure::unprocessable("files_off", "This chat accepts no files. Send text.")),
        (true, true) => Err(Failure::unprocessable(
            "upload_storage_full",
            "This chat has no room for more files. Its owner can erase conversations, or ask the operator to raise the limit.",
        )),
        (true, false) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_follows_from_the_ending_of_the_name() {
        assert_eq!(type_of("a.b.PNG").unwrap(), ("image/png", MediaKind::Image));
        assert_eq!(type_of(".pdf").unwrap(), ("application/pdf", MediaKind::Document));
        for refused in ["", "png", "a.", "a.exe", "a.png.exe", "a.html", "a.svg", "a.docm", "a.js", "a.png "]
        {
            let failure = type_of(refused).unwrap_err();
            assert_eq!((failure.status().as_u16(), failure.reason()), (422, Some("file_type")), "{refused}");
        }
    }
}
