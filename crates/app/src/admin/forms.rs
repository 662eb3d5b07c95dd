//! Forms of websites.

use frontdesk_crm::forms::{
    self, ButtonText, Form, FormError, FormFields, FormId, FormLanguage, FormPatch, FormPreview, Look,
    NewForm, Origin, ThanksText,
};
use frontdesk_crm::inquiries::PageUrl;
use frontdesk_kernel::{Patch, Text, Timestamp};
use frontdesk_web::{
    Body, Data, Deleted, Failure, Given, Items, List, Path, Query, Result, filters, input, resource,
};

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
        /// What it asks for, in this order. Null for name, email, phone and message, of which none is required of a
        /// website's own form.
        pub fields: Option<FormFields>,
        /// The text of the button; null for "Send" in the visitor's language.
        pub button_text: Option<String>,
        /// What visitors read after sending it; null for "Your message was sent."
        pub thanks_text: Option<String>,
        pub created_at: Timestamp,
    }
}

input! {
    /// A form to be made.
    pub struct FormDraft {
        /// What its inquiries are filed under.
        pub name: Text<NAME_CHARS_MAX>,
        pub redirect_url: Option<PageUrl>,
        pub origins: Option<Items<Origin, ORIGINS_MAX>>,
        /// What it asks for, in this order. Among them is at least one of name, email, phone and message. Name, email, phone
        /// and message when left out.
        pub fields: Option<FormFields>,
        /// The text of the button.
        pub button_text: Option<ButtonText>,
        /// What visitors read after sending it.
        pub thanks_text: Option<ThanksText>,
    }
}

input! {
    /// What to change of a form. Its address stays.
    pub struct FormChanges {
        /// What its inquiries are filed under from now on.
        pub name: Given<Text<NAME_CHARS_MAX>>,
        /// Null for a thank-you page.
        pub redirect_url: Patch<PageUrl>,
        /// Null or an empty list when any website may send it.
        pub origins: Patch<Items<Origin, ORIGINS_MAX>>,
        /// All of its fields, in their order. Null for name, email, phone and message.
        pub fields: Patch<FormFields>,
        /// The text of the button; null for "Send".
        pub button_text: Patch<ButtonText>,
        /// What visitors read after sending it; null for "Your message was sent."
        pub thanks_text: Patch<ThanksText>,
    }
}

filters! {
    /// How to show the preview of a form.
    pub struct PreviewFilters {
        /// The language of its fixed words; visitors get that of their browsers. Defaults to `en`.
        pub language: Option<FormLanguage>,
    }
}

impl From<FormChanges> for FormPatch {
    fn from(changes: FormChanges) -> Self {
        Self {
            name: changes.name.into_option(),
            redirect_url: changes.redirect_url,
            origins: match changes.origins {
                Patch::Keep => None,
                Patch::Clear => Some(Vec::new()),
                Patch::Set(origins) => Some(origins.0),
            },
            fields: changes.fields,
            button_text: changes.button_text,
            thanks_text: changes.thanks_text,
        }
    }
}

impl From<FormError> for AppError {
    fn from(error: FormError) -> Self {
        match error {
            FormError::Store(error) => Self::Store(error),
            FormError::NoAccount(_) | FormError::NoForm(_) => Self::Told(missing()),
        }
    }
}

fn missing() -> Failure {
    Failure::not_found("There is no such form in this account.")
}

pub(super) fn routes() -> Vec<AppRoute> {
    vec![
        AppRoute::get("/admin/forms", "listForms", list).summary("List forms"),
        AppRoute::post("/admin/forms", "createForm", create).created().summary("Make a form"),
        AppRoute::patch("/admin/forms/{id}", "updateForm", patch)
            .summary("Change a form")
            .notes("Its address stays the same. Inquiries that were sent before keep its previous name."),
        AppRoute::post("/admin/forms/{id}/preview", "previewForm", preview)
            .summary("Show a form as it would look after a change")
            .notes("Nothing is stored."),
        AppRoute::delete("/admin/forms/{id}", "deleteForm", delete).summary("Delete a form"),
    ]
}

fn detail(caller: &AppCaller, form: Form) -> FormDetail {
    FormDetail {
        id: form.id,
        name: form.name.into_string(),
        url: format!("{}/forms/{}", caller.shared.server.services.base_url, form.token),
        redirect_url: form.redirect_url,
        origins: form.origins,
        fields: form.fields,
        button_text: form.button_text,
        thanks_text: form.thanks_text,
        created_at: form.created_at,
    }
}

async fn list(caller: AppCaller) -> Result<List<FormDetail>> {
    let account = caller.manager()?.account;
    let forms = caller.read(move |tx| Ok(forms::list(tx, account)?)).await?;
    Ok(List::all(forms.into_iter().map(|one| detail(&caller, one)).collect()))
}

async fn create(caller: AppCaller, Body(draft): Body<FormDraft>) -> Result<Data<FormDetail>> {
    let (server, now, random) = (caller.shared.server.clone(), caller.now, (caller.shared.chance)());
    let made = caller
        .administer("form.created", move |tx, session| {
            let draft = draft.clone();
            let new = NewForm {
                account: session.account,
                name: draft.name,
                redirect_url: draft.redirect_url,
                origins: draft.origins.unwrap_or_default().0,
                fields: draft.fields,
                button_text: draft.button_text,
                thanks_text: draft.thanks_text,
            };
            let form = forms::create(tx, server.recorder.ids(), &random, &new, now)?;
            let id = form.id.to_string();
            Ok((form, Some(id)))
        })
        .await?;
    Ok(Data(detail(&caller, made)))
}

async fn patch(
    caller: AppCaller,
    Path(id): Path<FormId>,
    Body(changes): Body<FormChanges>,
) -> Result<Data<FormDetail>> {
    let patch = FormPatch::from(changes);
    let changed = caller
        .administer("form.updated", move |tx, session| {
            Ok((forms::patch(tx, session.account, id, patch.clone())?, Some(id.to_string())))
        })
        .await?;
    Ok(Data(detail(&caller, changed)))
}

async fn preview(
    caller: AppCaller,
    Path(id): Path<FormId>,
    Query(asked): Query<PreviewFilters>,
    Body(changes): Body<FormChanges>,
) -> Result<Data<FormPreview>> {
    let account = caller.manager()?.account;
    let base_url = caller.shared.server.services.base_url.clone();
    let read = caller.read(move |tx| {
        let form = forms::find(tx, account, id)?.ok_or_else(missing)?;
        Ok((form, Look::find(tx, account, &base_url)?))
    });
    let (form, mut look) = read.await?;
    look.language = asked.language.unwrap_or_default();
    Ok(Data(forms::preview(&FormPatch::from(changes).apply(form), &look)))
}

async fn delete(caller: AppCaller, Path(id): Path<FormId>) -> Result<Data<Deleted>> {
    caller
        .administer("form.deleted", move |tx, session| {
            forms::find(tx, session.account, id)?.ok_or_else(missing)?;
            forms::delete(tx, id)?;
            Ok(((), Some(id.to_string())))
        })
        .await?;
    Ok(Data(Deleted::new(id)))
}
