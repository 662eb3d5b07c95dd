//! Uploads: files that callers store here, to send them with a message later. A file is stored in chunks as it arrives, so
//! a large one takes little memory. One that is not sent within seven days is deleted; its link works until then. The
//! running uploads of an account are limited, and so are the bytes that it has stored.
//! Any number of messages and canned replies may have an upload; it is erased with the last of them.

use std::pin::Pin;
use std::time::Duration;

use frontdesk_db::{self as db, ReadTx, Tx, only};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::uploads::{UploadBody, Uploads};
use frontdesk_platform::{By, Principal, ServerContext, store_failure};
use frontdesk_web::{Failure, Problems, Reply, Result, data_bytes, resource};
use http::StatusCode;
use multer::{Constraints, Field, Multipart, SizeLimit};
use sha2::{Digest, Sha256};
use tokio::time::timeout;

use super::fetch::CHUNK_BYTES;
use super::form_body::{FormBody, HEADER_BYTES_MAX};
use super::sql::{
    AVAILABLE, BEGIN, CLAIM, CONNECTION, DELETE, DELETE_PIECES, EXPIRED, FINISH, PUT_PART, RELEASE,
    REMOVALS_NOW, SOME_OF_ACCOUNT, STORED_BYTES,
};
use super::upload_slots::UploadSlots;
use super::{Links, MediaId, mover, moves_new_files, removals};
use crate::connections::ConnectionId;

/// The largest file.
const FILE_BYTES_MAX: u64 = 100 << 20;
/// How long an upload waits to be sent, and how long one may take to arrive.
const KEPT_DAYS: i64 = 7;
const ARRIVAL: Duration = Duration::from_hours(1);
/// Expired uploads deleted in one transaction.
const FORGET_ROWS_MAX: i64 = 20;
const FILENAME_CHARS_MAX: usize = 240;
const TYPE_CHARS_MAX: usize = 100;
const PART: &str = "file";
/// The time in which the next piece of a file must arrive.
const PIECE_TIME_MAX: Duration = Duration::from_secs(30);
/// Maximum parts of a form.
const PARTS_MAX: usize = 100;
/// What the rest of the form may add: other fields and the headers of its parts.
const FORM_BYTES_MAX: u64 = FILE_BYTES_MAX + (1 << 20);
/// Files of customers have a connection; uploads have none.
const NO_CONNECTION: ConnectionId = ConnectionId::from_uuid(uuid::Uuid::nil());

resource! {
    /// A file that was uploaded. `media.url` of a message may name its `url`.
    pub struct Upload {
        pub id: MediaId,
        pub url: String,
        pub content_type: String,
        /// Bytes.
        pub size: i64,
    }
}

/// Takes uploads.
pub struct Files {
    server: ServerContext,
    slots: UploadSlots,
    /// Maximum bytes of an account's uploads. Those that are running are not counted yet.
    stored_bytes_max: i64,
}

impl Files {
    pub fn new(server: ServerContext, stored_bytes_max: i64) -> Self {
        Self { server, slots: UploadSlots::default(), stored_bytes_max }
    }
}

impl Uploads for Files {
    fn take<'a>(
        &'a self,
        principal: &'a Principal,
        content_type: Option<&'a str>,
        body: UploadBody<'a>,
        now: Timestamp,
    ) -> Pin<Box<dyn Future<Output = Result<Reply>> + Send + 'a>> {
        Box::pin(async move {
            let boundary =
                content_type.and_then(|kind| multer::parse_boundary(kind).ok()).ok_or_else(|| {
                    Failure::unsupported_body(
                        "Send the file as multipart/form-data, in a part that is called file.",
                    )
                })?;
            let _slot = self.slots.take(principal.account)?;
            self.check_stored_bytes(principal.account).await?;
            let arrives = self.take_file(principal.account, body, boundary, now);
            let upload = timeout(ARRIVAL, arrives).await.map_err(|_| Failure::request_timeout())??;
            Ok(Reply::new(StatusCode::CREATED, data_bytes(&upload)))
        })
    }
}

/// Waits for the next piece of a form.
async fn in_time<T>(piece: impl Future<Output = multer::Result<T>>) -> Result<T> {
    timeout(PIECE_TIME_MAX, piece).await.map_err(|_| Failure::request_timeout())?.map_err(unreadable)
}

fn header_too_long() -> Failure {
    Failure::bad_request(format!(
        "The headers of a part of the form are longer than {HEADER_BYTES_MAX} bytes. Send a shorter name of the file."
    ))
}

fn unreadable(error: multer::Error) -> Failure {
    if matches!(error, multer::Error::StreamSizeExceeded { .. }) {
        return Failure::too_large(FILE_BYTES_MAX as usize);
    }
    tracing::debug!(%error, "an upload could not be read");
    Failure::bad_request("The form broke off or cannot be read. Send it again as multipart/form-data.")
}

/// The part of a form that has the file. The parts before it are read and ignored.
pub(super) async fn file_part(body: UploadBody<'_>, boundary: String) -> Result<Option<Field<'_>>> {
    let (body, limit) = FormBody::new(body);
    let size = Constraints::new().size_limit(SizeLimit::new().whole_stream(FORM_BYTES_MAX));
    let mut form = Multipart::with_constraints(body, boundary, size);
    for _ in 0..PARTS_MAX {
        limit.begin_headers();
        let field = in_time(form.next_field()).await;
        let field = field.map_err(|failure| if limit.is_used_up() { header_too_long() } else { failure })?;
        let Some(mut field) = field else { break };
        limit.begin_data();
        if field.name() == Some(PART) {
            return Ok(Some(field));
        }
        while in_time(field.chunk()).await?.is_some() {}
    }
    Ok(None)
}

impl Files {
    /// Refuses an account that has stored as much as it may.
    async fn check_stored_bytes(&self, account: AccountId) -> Result<()> {
        let stored = self.server.store.scan(move |tx| {
            Ok(tx.find(STORED_BYTES, &[&account, &NO_CONNECTION], only::<i64>)?.unwrap_or(0))
        });
        let stored = stored.await.map_err(|error: db::Error| store_failure(&error))?;
        if stored < self.stored_bytes_max {
            return Ok(());
        }
        let mib_max = self.stored_bytes_max >> 20;
        Err(Failure::unprocessable(
            "upload_storage_full",
            format!(
                "The uploads of this account take {mib_max} MiB, which is the most. Files that are not sent are deleted \
                 after {KEPT_DAYS} days, the others with their messages. The operator can raise the limit."
            ),
        ))
    }

    /// Stores the file of a form.
    async fn take_file(
        &self,
        account: AccountId,
        body: UploadBody<'_>,
        boundary: String,
        now: Timestamp,
    ) -> Result<Upload> {
        match file_part(body, boundary).await? {
            Some(field) => self.store(account, field, now).await,
            None => Err(Failure::validation(Problems::one(PART, "is required: a part with the file"))),
        }
    }

    async fn store(&self, account: AccountId, mut field: Field<'_>, now: Timestamp) -> Result<Upload> {
        let shorten =
            |text: &str, max: usize| text.chars().filter(|c| !c.is_control()).take(max).collect::<String>();
        let filename = field.file_name().map(|name| shorten(name, FILENAME_CHARS_MAX));
        let kind = field.content_type().map_or("application/octet-stream", |kind| kind.as_ref());
        let kind = shorten(kind, TYPE_CHARS_MAX);
        let id: MediaId = self.server.recorder.next(now);
        let (named, typed) = (filename.clone(), kind.clone());
        self.write(move |tx| {
            let params: &[&dyn db::Param] =
                &[&account, &id, &NO_CONNECTION, &typed, &named, &now, &(now + ARRIVAL)];
            tx.execute(BEGIN, params)?.exactly(1)
        })
        .await?;
        match self.pieces(account, id, &mut field).await {
            Ok((size, sha256)) => {
                let (until, moves) = (now.plus_days(KEPT_DAYS), moves_new_files(&self.server.services));
                self.write(move |tx| {
                    if moves {
                        mover::wake(tx, account);
                    }
                    tx.execute(FINISH, &[&account, &id, &size, &until, &&sha256[..], &moves])?.exactly(1)
                })
                .await?;
                let url = Links::of(&self.server.services).lasting(id);
                Ok(Upload { id, url, content_type: kind, size })
            }
            Err(failure) => {
                self.write(move |tx| delete(tx, account, id, now)).await?;
                Err(failure)
            }
        }
    }

    /// Stores the file piece by piece: its size and its checksum.
    async fn pieces(
        &self,
        account: AccountId,
        id: MediaId,
        field: &mut Field<'_>,
    ) -> Result<(i64, [u8; 32])> {
        let mut sha256 = Sha256::new();
        let (mut total, mut n, mut piece) = (0_u64, 0_i64, Vec::with_capacity(CHUNK_BYTES));
        while let Some(bytes) = in_time(field.chunk()).await? {
            total += bytes.len() as u64;
            if total > FILE_BYTES_MAX {
                return Err(Failure::too_large(FILE_BYTES_MAX as usize));
            }
            sha256.update(&bytes);
            let mut rest: &[u8] = &bytes;
            while piece.len() + rest.len() >= CHUNK_BYTES {
                let (fits, more) = rest.split_at(CHUNK_BYTES - piece.len());
                piece.extend_from_slice(fits);
                self.put(account, id, n, std::mem::replace(&mut piece, Vec::with_capacity(CHUNK_BYTES)))
                    .await?;
                n += 1;
                rest = more;
            }
            piece.extend_from_slice(rest);
        }
        if !piece.is_empty() {
            self.put(account, id, n, piece).await?;
        }
        Ok((total as i64, sha256.finalize().into()))
    }

    async fn put(&self, account: AccountId, id: MediaId, n: i64, bytes: Vec<u8>) -> Result<()> {
        self.write(move |tx| tx.execute(PUT_PART, &[&account, &id, &n, &bytes])?.exactly(1)).await
    }

    async fn write(&self, operation: impl Fn(&mut Tx<'_>) -> db::Result<()> + Send + 'static) -> Result<()> {
        self.server.store.write(operation).await.map_err(|error| store_failure(&error))
    }
}

/// What the id of a file of ours means for a message or a canned reply that is to have it.
pub(crate) enum Claim {
    /// It is an upload, which is kept from now on.
    Taken { filename: Option<String> },
    /// The upload has expired, or belongs to another account.
    Unavailable,
    /// The file came from a customer. The message passes its link on.
    Received,
}

/// Takes an upload for a message or a canned reply.
pub(crate) fn claim(tx: &mut Tx<'_>, account: AccountId, id: MediaId, now: Timestamp) -> db::Result<Claim> {
    let connection = tx.find(CONNECTION, &[&account, &id], only::<ConnectionId>)?;
    if connection.is_some_and(|connection| connection != NO_CONNECTION) {
        return Ok(Claim::Received);
    }
    let taken = tx.find(CLAIM, &[&account, &id, &now], only::<Option<String>>)?;
    Ok(taken.map_or(Claim::Unavailable, |filename| Claim::Taken { filename }))
}

/// Keeps a file of ours that a broadcast sends a link to. False if it is not available.
pub fn keep_for_broadcast(
    tx: &mut Tx<'_>,
    account: AccountId,
    id: MediaId,
    now: Timestamp,
) -> db::Result<bool> {
    Ok(!matches!(claim(tx, account, id, now)?, Claim::Unavailable))
}

/// Whether this is an upload of the account that can be used.
pub(crate) fn is_upload(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    id: MediaId,
    now: Timestamp,
) -> db::Result<bool> {
    Ok(tx.find(AVAILABLE, &[&account, &id, &NO_CONNECTION, &now], only::<MediaId>)?.is_some())
}

/// Ends a use of an upload. After its last use it expires like one that was never used.
pub(crate) fn release(tx: &mut Tx<'_>, by: &By, id: MediaId) -> db::Result<()> {
    tx.execute(RELEASE, &[&by.account, &id, &by.now.plus_days(KEPT_DAYS)])?.exactly(1)
}

/// Deletes uploads that were not sent in time. True when there may be more.
pub fn forget(tx: &mut Tx<'_>, now: Timestamp) -> db::Result<bool> {
    let expired = tx.query(EXPIRED, &[&now, &FORGET_ROWS_MAX], |row| {
        Ok((row.next::<AccountId>()?, row.next::<MediaId>()?))
    })?;
    for (account, id) in &expired {
        delete(tx, *account, *id, now)?;
    }
    Ok(expired.len() as i64 == FORGET_ROWS_MAX)
}

/// Deletes some files of an account that is deleted itself, wherever they are: their rows and chunks now, and what is outside
/// the database by the worker. Returns how many. The rows of `file_removals` must stay until the worker has
/// ended them.
pub fn delete_some(tx: &mut Tx<'_>, account: AccountId, now: Timestamp) -> db::Result<u64> {
    let some = tx.query(SOME_OF_ACCOUNT, &[&account, &FORGET_ROWS_MAX], only::<MediaId>)?;
    for id in &some {
        delete(tx, account, *id, now)?;
    }
    // What was being written is not waited for.
    let _any_number_is_fine = tx.execute(REMOVALS_NOW, &[&account, &now])?;
    Ok(some.len() as u64)
}

fn delete(tx: &mut Tx<'_>, account: AccountId, id: MediaId, now: Timestamp) -> db::Result<()> {
    removals::add_of(tx, account, id, now)?;
    let _any_number_is_fine = tx.execute(DELETE_PIECES, &[&account, &id])?;
    let _gone_is_fine = tx.execute(DELETE, &[&account, &id])?;
    Ok(())
}
