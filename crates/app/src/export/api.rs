//! The downloads of owners and admins.

use bytes::Bytes;
use frontdesk_crm::contacts::{self, ContactId};
use frontdesk_inbox::media::MediaFiles;
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::export::Subject;
use frontdesk_platform::sign_in::{ActiveSession, audit, sessions};
use frontdesk_web::{
    BodyFailed, BodyStream, Data, Failure, IntoReply, Operation, Path, Reply, Result, resource,
};
use futures_util::stream;
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderName, HeaderValue, StatusCode};
use serde_json::json;

use super::{Export, Origin};
use crate::caller::{AppCaller, AppRoute};
use crate::export_seats::Seat;

resource! {
    /// Whether an export of the account is being downloaded.
    pub struct ExportState {
        pub running: bool,
    }
}

pub(crate) fn routes() -> Vec<AppRoute> {
    vec![
        AppRoute::get("/admin/export", "exportAccount", account)
            .summary("Download everything of the account"),
        AppRoute::get("/admin/export/state", "getExportState", state)
            .summary("Whether an export of the account is being downloaded"),
        AppRoute::get("/contacts/{id}/export", "exportContact", contact)
            .summary("Download everything about a contact"),
    ]
}

/// An archive that a browser saves.
struct Download {
    body: BodyStream,
    filename: String,
}

impl IntoReply for Download {
    fn describe(operation: &mut Operation) {
        operation.response(json!({ "type": "string", "format": "binary" }));
    }

    fn reply(self, status: StatusCode) -> Reply {
        let disposition = format!("attachment; filename=\"{}\"", self.filename);
        let disposition =
            HeaderValue::from_str(&disposition).unwrap_or(HeaderValue::from_static("attachment"));
        Reply::streamed(status, self.body)
            .header(CONTENT_TYPE, HeaderValue::from_static("application/zip"))
            .header(CONTENT_DISPOSITION, disposition)
            .header(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"))
            // Asks a proxy not to buffer.
            .header(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"))
    }
}

async fn state(caller: AppCaller) -> Result<Data<ExportState>> {
    let account = caller.manager()?.account;
    Ok(Data(ExportState { running: caller.shared.export_seats.is_taken(account) }))
}

async fn account(caller: AppCaller) -> Result<Download> {
    let account = caller.manager()?.account;
    download(caller, Subject { account, contact: None }, "account.exported").await
}

async fn contact(caller: AppCaller, Path(id): Path<ContactId>) -> Result<Download> {
    let account = caller.manager()?.account;
    if !caller.read(move |tx| Ok(contacts::exists(tx, account, id)?)).await? {
        return Err(Failure::not_found(
            "There is no such contact in this account. It may have been erased or merged.",
        ));
    }
    download(caller, Subject { account, contact: Some(id.uuid()) }, "contact.exported").await
}

/// Begins a download. The slot is taken and the log written before the first byte.
async fn download(caller: AppCaller, subject: Subject, action: &'static str) -> Result<Download> {
    let session = caller.manager()?.clone();
    let seat = caller.shared.export_seats.take(session.account)?;
    let (author, recorder, now) =
        (caller.author(&session), caller.shared.server.recorder.clone(), caller.now);
    let named = subject.contact.map(|id| id.to_string());
    caller
        .write(move |tx| Ok(audit::write(tx, recorder.ids(), &author, action, named.as_deref(), now)?))
        .await?;
    let origin =
        Origin { account_name: session.account_name.clone(), version: env!("CARGO_PKG_VERSION"), at: now };
    let filename = filename(&subject, now);
    let files = MediaFiles::of(&caller.shared.server);
    let export = Export::new(files, subject, caller.shared.exports.clone(), origin);
    let pieces = Pieces { caller, session_account: session.account, export, is_over: false, _seat: seat };
    let body = stream::unfold(pieces, |mut pieces| async move {
        let piece = pieces.next().await?;
        Some((piece, pieces))
    });
    Ok(Download { body: BodyStream::new(body), filename })
}

/// Such as `frontdesk-account-2027-01-15.zip`.
fn filename(subject: &Subject, now: Timestamp) -> String {
    let what = match subject.contact {
        Some(id) => format!("contact-{id}"),
        None => "account".to_owned(),
    };
    format!("frontdesk-{what}-{}.zip", &now.to_string()[..10])
}

/// A download that is under way.
struct Pieces {
    caller: AppCaller,
    session_account: AccountId,
    export: Export,
    is_over: bool,
    _seat: Seat,
}

impl Pieces {
    async fn next(&mut self) -> Option<std::result::Result<Bytes, BodyFailed>> {
        if self.is_over {
            return None;
        }
        if !self.may_continue().await {
            self.is_over = true;
            tracing::info!(account = %self.session_account, "an export was ended with its session");
            return Some(Err(BodyFailed));
        }
        match self.export.next().await {
            Ok(piece) => piece.map(Ok),
            Err(error) => {
                self.is_over = true;
                tracing::warn!(account = %self.session_account, %error, "an export broke off; its client sees an incomplete file");
                Some(Err(BodyFailed))
            }
        }
    }

    /// Whether the session still exists and may export. If the database does not respond, the export finds out itself.
    async fn may_continue(&self) -> bool {
        let server = &self.caller.shared.server;
        let now = (server.clock)();
        let Some(hash) = self.caller.token else { return false };
        let Ok(found) = server.store.read(move |tx| sessions::find(tx, &hash, now)).await else {
            return true;
        };
        found.is_some_and(|session| self.is_allowed(&session))
    }

    fn is_allowed(&self, session: &ActiveSession) -> bool {
        session.account == self.session_account && session.role.manages()
    }
}
