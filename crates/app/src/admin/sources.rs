//! Calendars whose bookings the account is told of.

use frontdesk_crm::bookings::{self, BookingSource, SourceError, SourceId};
use frontdesk_kernel::{Text, Timestamp};
use frontdesk_web::{Body, Data, Deleted, Failure, List, Path, Result, input, resource};

use crate::caller::{AppCaller, AppError, AppRoute};

const NAME_CHARS_MAX: usize = 200;

resource! {
    /// A calendar whose bookings the account is told of.
    pub struct BookingSourceDetail {
        pub id: SourceId,
        pub name: String,
        /// The address for the calendar's webhook.
        pub url: String,
        /// What the calendar signs with. It is shown once, on creation.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub secret: Option<String>,
        pub created_at: Timestamp,
    }
}

input! {
    /// A calendar to be added.
    pub struct BookingSourceDraft {
        pub name: Text<NAME_CHARS_MAX>,
    }
}

impl From<SourceError> for AppError {
    fn from(error: SourceError) -> Self {
        match error {
            SourceError::Store(error) => Self::Store(error),
            SourceError::NoAccount(_) | SourceError::NoSource(_) => Self::Told(no_source()),
        }
    }
}

fn no_source() -> Failure {
    Failure::not_found("There is no such booking source in this account.")
}

pub(super) fn routes() -> Vec<AppRoute> {
    vec![
        AppRoute::get("/admin/booking-sources", "listBookingSources", list_sources)
            .summary("List booking sources"),
        AppRoute::post("/admin/booking-sources", "createBookingSource", create_source)
            .created()
            .summary("Add a booking source"),
        AppRoute::delete("/admin/booking-sources/{id}", "deleteBookingSource", delete_source)
            .summary("Delete a booking source"),
    ]
}

fn source(caller: &AppCaller, source: &BookingSource, secret: Option<String>) -> BookingSourceDetail {
    BookingSourceDetail {
        id: source.id,
        name: source.name.clone(),
        url: format!("{}/bookings/{}", caller.shared.server.services.base_url, source.token),
        secret,
        created_at: source.created_at,
    }
}

async fn list_sources(caller: AppCaller) -> Result<List<BookingSourceDetail>> {
    let account = caller.manager()?.account;
    let sources = caller.read(move |tx| Ok(bookings::list(tx, account)?)).await?;
    Ok(List::all(sources.iter().map(|one| source(&caller, one, None)).collect()))
}

async fn create_source(
    caller: AppCaller,
    Body(draft): Body<BookingSourceDraft>,
) -> Result<Data<BookingSourceDetail>> {
    let (server, now) = (caller.shared.server.clone(), caller.now);
    let random = ((caller.shared.chance)(), (caller.shared.chance)());
    let (made, secret) = caller
        .administer("booking_source.created", move |tx, session| {
            let keys = &server.services.secrets;
            let made = bookings::create(
                tx,
                server.recorder.ids(),
                &random,
                keys,
                session.account,
                &draft.name,
                now,
            )?;
            let id = made.0.id.to_string();
            Ok((made, Some(id)))
        })
        .await?;
    Ok(Data(source(&caller, &made, Some(secret.reveal().to_owned()))))
}

async fn delete_source(caller: AppCaller, Path(id): Path<SourceId>) -> Result<Data<Deleted>> {
    caller
        .administer("booking_source.deleted", move |tx, session| {
            if !bookings::list(tx, session.account)?.iter().any(|source| source.id == id) {
                return Err(no_source().into());
            }
            bookings::delete(tx, id)?;
            Ok(((), Some(id.to_string())))
        })
        .await?;
    Ok(Data(Deleted::new(id)))
}
