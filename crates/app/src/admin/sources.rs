//! Other sources: website forms and calendars.

use frontdesk_crm::bookings::{self, BookingSource, SourceError, SourceId};
use frontdesk_crm::forms::{self, Form, FormError, FormId, NewForm, Origin};
use frontdesk_crm::inquiries::PageUrl;
use frontdesk_kernel::{Text, Timestamp};
use frontdesk_web::{
    Body, Components, Data, Deleted, Failure, FieldPath, Input, Items, List, Path, Problems, Result, input,
    resource,
};
use serde_json::{Value, json};

use crate::caller::{AppCaller, AppError, AppRoute};

const NAME_CHARS_MAX: usize = 200;
const ORIGINS_MAX: usize = 100;

resource! {
    /// A form of a website.
    pub struct FormDetail {
        pub id: FormId,
        pub name: String,
        /// Where it is sent to, and shown when opened in a browser.
        pub url: String,
        /// Where browsers go after sending it; null for a thank-you page.
        pub redirect_url: Option<String>,
        /// Websites that may send it and show it in a frame. When there are none, any may send it and none may show it.
        pub origins: Vec<String>,
        pub created_at: Timestamp,
    }
}

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
    /// A form to be made.
    pub struct FormDraft {
        /// What its inquiries are filed under.
        pub name: Text<NAME_CHARS_MAX>,
        pub redirect_url: Option<PageUrl>,
        pub origins: Option<Items<AllowedOrigin, ORIGINS_MAX>>,
    }
}

input! {
    /// A calendar to be added.
    pub struct BookingSourceDraft {
        pub name: Text<NAME_CHARS_MAX>,
    }
}

/// A website that may send a form.
#[derive(Clone, Debug)]
pub struct AllowedOrigin(Origin);

impl Input for AllowedOrigin {
    fn schema(_: &mut Components) -> Value {
        json!({ "type": "string", "examples": ["https://example.com"] })
    }

    fn read(value: Option<&Value>, at: &mut FieldPath, problems: &mut Problems) -> Option<Self> {
        input::parsed::<Origin>(value, at, problems).map(Self)
    }
}

impl From<FormError> for AppError {
    fn from(error: FormError) -> Self {
        match error {
            FormError::Store(error) => Self::Store(error),
            FormError::NoAccount(_) | FormError::NoForm(_) => Self::Told(no_form()),
        }
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

fn no_form() -> Failure {
    Failure::not_found("There is no such form in this account.")
}

fn no_source() -> Failure {
    Failure::not_found("There is no such booking source in this account.")
}

pub(super) fn routes() -> Vec<AppRoute> {
    vec![
        AppRoute::get("/admin/forms", "listForms", list_forms).summary("List forms"),
        AppRoute::post("/admin/forms", "createForm", create_form).created().summary("Make a form"),
        AppRoute::delete("/admin/forms/{id}", "deleteForm", delete_form).summary("Delete a form"),
        AppRoute::get("/admin/booking-sources", "listBookingSources", list_sources)
            .summary("List booking sources"),
        AppRoute::post("/admin/booking-sources", "createBookingSource", create_source)
            .created()
            .summary("Add a booking source"),
        AppRoute::delete("/admin/booking-sources/{id}", "deleteBookingSource", delete_source)
            .summary("Delete a booking source"),
    ]
}

fn form(caller: &AppCaller, form: &Form) -> FormDetail {
    FormDetail {
        id: form.id,
        name: form.name.as_str().to_owned(),
        url: format!("{}/forms/{}", caller.shared.server.services.base_url, form.token),
        redirect_url: form.redirect_url.clone(),
        origins: form.origins.clone(),
        created_at: form.created_at,
    }
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

async fn list_forms(caller: AppCaller) -> Result<List<FormDetail>> {
    let account = caller.manager()?.account;
    let forms = caller.read(move |tx| Ok(forms::list(tx, account)?)).await?;
    Ok(List::all(forms.iter().map(|one| form(&caller, one)).collect()))
}

async fn create_form(caller: AppCaller, Body(draft): Body<FormDraft>) -> Result<Data<FormDetail>> {
    let (server, now, random) = (caller.shared.server.clone(), caller.now, (caller.shared.chance)());
    let origins: Vec<Origin> = draft.origins.into_iter().flat_map(|all| all.0).map(|one| one.0).collect();
    let (name, redirect_url) = (draft.name, draft.redirect_url);
    let made = caller
        .administer("form.created", move |tx, session| {
            let new = NewForm {
                account: session.account,
                name: name.clone(),
                redirect_url: redirect_url.clone(),
                origins: origins.clone(),
            };
            let form = forms::create(tx, server.recorder.ids(), &random, &new, now)?;
            let id = form.id.to_string();
            Ok((form, Some(id)))
        })
        .await?;
    Ok(Data(form(&caller, &made)))
}

async fn delete_form(caller: AppCaller, Path(id): Path<FormId>) -> Result<Data<Deleted>> {
    caller
        .administer("form.deleted", move |tx, session| {
            if !forms::list(tx, session.account)?.iter().any(|form| form.id == id) {
                return Err(no_form().into());
            }
            forms::delete(tx, id)?;
            Ok(((), Some(id.to_string())))
        })
        .await?;
    Ok(Data(Deleted::new(id)))
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
