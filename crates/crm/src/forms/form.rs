//! The form, and its operations for the command line.

use std::str::FromStr;

use frontdesk_db::{self as db, ReadTx, Row, Tx, only};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Id, Ids, Patch, Text, Timestamp};
use frontdesk_platform::accounts;
use frontdesk_platform::export::{Columns, Exported, ExportedRows, line};
use frontdesk_web::text_input;
use serde::Serialize;
use serde_json::json;

use super::fields::FormFields;
use super::sql::{BY_TOKEN, DELETE, FIND, INSERT, LIST, LOCATE, UPDATE};
use crate::inquiries::PageUrl;
use crate::token;

const BUTTON_CHARS_MAX: usize = 60;
const THANKS_CHARS_MAX: usize = 1_000;

pub type FormId = Id<Form>;
/// The text of a form's button.
pub type ButtonText = Text<BUTTON_CHARS_MAX>;
/// What visitors read after a submission.
pub type ThanksText = Text<THANKS_CHARS_MAX>;

/// A form.
#[derive(Clone, Debug, Serialize)]
pub struct Form {
    pub account_id: AccountId,
    pub id: FormId,
    pub name: Text<200>,
    /// The last part of its address.
    pub token: String,
    /// The page to which browsers are redirected after a submission.
    pub redirect_url: Option<String>,
    /// The origins that may submit it and show it in a frame. If there are none, any may submit it and none may
    /// show it in a frame.
    pub origins: Vec<String>,
    /// What it asks for. None for the usual fields, of which none is required of a submission.
    pub fields: Option<FormFields>,
    /// None for the usual text.
    pub button_text: Option<String>,
    /// None for the usual text.
    pub thanks_text: Option<String>,
    pub created_at: Timestamp,
}

impl Form {
    /// The websites that may show its pages in a frame, as the Content-Security-Policy names them: those that may
    /// submit it. A form that any website may submit is shown in no frame.
    pub(super) fn frame_ancestors(&self) -> String {
        let plain = |origin: &&String| {
            origin
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, ':' | '/' | '.' | '-' | '_' | '[' | ']'))
        };
        let origins: Vec<&str> = self.origins.iter().filter(plain).map(String::as_str).collect();
        if origins.is_empty() { NO_FRAME.to_owned() } else { origins.join(" ") }
    }
}

/// Says in a Content-Security-Policy that no page may show this one in a frame.
pub(super) const NO_FRAME: &str = "'none'";

/// A form to be made.
#[derive(Clone, Debug)]
pub struct NewForm {
    pub account: AccountId,
    pub name: Text<200>,
    pub redirect_url: Option<PageUrl>,
    pub origins: Vec<Origin>,
    pub fields: Option<FormFields>,
    pub button_text: Option<ButtonText>,
    pub thanks_text: Option<ThanksText>,
}

/// What to change of a form. Its address stays.
#[derive(Clone, Debug, Default)]
pub struct FormPatch {
    pub name: Option<Text<200>>,
    pub redirect_url: Patch<PageUrl>,
    pub origins: Option<Vec<Origin>>,
    pub fields: Patch<FormFields>,
    pub button_text: Patch<ButtonText>,
    pub thanks_text: Patch<ThanksText>,
}

impl FormPatch {
    /// The form with these changes.
    pub fn apply(self, form: Form) -> Form {
        Form {
            name: self.name.unwrap_or(form.name),
            redirect_url: self.redirect_url.map(|url| url.as_str().to_owned()).apply(form.redirect_url),
            origins: self.origins.map_or(form.origins, |origins| named(&origins)),
            fields: self.fields.apply(form.fields),
            button_text: self.button_text.map(Text::into_string).apply(form.button_text),
            thanks_text: self.thanks_text.map(Text::into_string).apply(form.thanks_text),
            ..form
        }
    }
}

fn named(origins: &[Origin]) -> Vec<String> {
    origins.iter().map(|origin| origin.0.clone()).collect()
}

/// The origin of a page, as browsers send it: a scheme, a host, perhaps a port, and nothing after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin(String);

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be an origin such as https://example.com")]
pub struct NotAnOrigin;

impl FromStr for Origin {
    type Err = NotAnOrigin;

    fn from_str(text: &str) -> Result<Self, NotAnOrigin> {
        let text = text.trim().trim_end_matches('/').to_ascii_lowercase();
        let host =
            text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")).ok_or(NotAnOrigin)?;
        let plain = text.chars().all(|c| c.is_ascii_graphic()) && !host.contains(['/', '?', '#', '*', '@']);
        if plain && !host.is_empty() { Ok(Self(text)) } else { Err(NotAnOrigin) }
    }
}

text_input!(Origin, |_| json!({ "type": "string", "examples": ["https://example.com"] }));

#[derive(Debug, thiserror::Error)]
pub enum FormError {
    #[error(transparent)]
    Store(#[from] db::Error),
    #[error("there is no account {0}")]
    NoAccount(AccountId),
    #[error("there is no form {0}")]
    NoForm(FormId),
}

pub fn create(
    tx: &mut Tx<'_>,
    ids: &Ids,
    random: &[u8; 32],
    new: &NewForm,
    now: Timestamp,
) -> Result<Form, FormError> {
    accounts::find(tx, new.account)?.ok_or(FormError::NoAccount(new.account))?;
    let id: FormId = ids.next(now);
    let form = Form {
        account_id: new.account,
        id,
        name: new.name.clone(),
        token: token::mint(random),
        redirect_url: new.redirect_url.as_ref().map(|url| url.as_str().to_owned()),
        origins: named(&new.origins),
        fields: new.fields.clone(),
        button_text: new.button_text.as_ref().map(ToString::to_string),
        thanks_text: new.thanks_text.as_ref().map(ToString::to_string),
        created_at: id.created_at(),
    };
    let (origins, fields) = written(&form)?;
    let params: &[&dyn db::Param] = &[
        &form.account_id,
        &form.id,
        &form.name,
        &form.token,
        &form.redirect_url,
        &origins,
        &fields,
        &form.button_text,
        &form.thanks_text,
    ];
    tx.execute(INSERT, params)?.exactly(1)?;
    Ok(form)
}

/// The columns that are JSON.
fn written(form: &Form) -> db::Result<(String, Option<String>)> {
    let origins = serde_json::to_string(&form.origins).map_err(|_| db::Error::Decode("origins"))?;
    let fields = form.fields.as_ref().map(serde_json::to_string).transpose();
    Ok((origins, fields.map_err(|_| db::Error::Decode("fields"))?))
}

/// A form of the account.
pub fn find(tx: &mut ReadTx<'_>, account: AccountId, id: FormId) -> Result<Option<Form>, FormError> {
    Ok(tx.find(FIND, &[&account, &id], read)?)
}

/// Changes the form. Inquiries that were sent before keep the form's previous name.
pub fn patch(tx: &mut Tx<'_>, account: AccountId, id: FormId, patch: FormPatch) -> Result<Form, FormError> {
    let before = tx.find_to_change(FIND, &[&account, &id], read)?.ok_or(FormError::NoForm(id))?;
    let form = patch.apply(before);
    let (origins, fields) = written(&form)?;
    let params: &[&dyn db::Param] = &[
        &account,
        &id,
        &form.name,
        &form.redirect_url,
        &origins,
        &fields,
        &form.button_text,
        &form.thanks_text,
    ];
    tx.execute(UPDATE, params)?.exactly(1)?;
    Ok(form)
}

/// The account's forms, newest first.
pub fn list(tx: &mut ReadTx<'_>, account: AccountId) -> Result<Vec<Form>, FormError> {
    accounts::find(tx, account)?.ok_or(FormError::NoAccount(account))?;
    Ok(tx.query(LIST, &[&account], read)?)
}

/// Deletes the form with its address; its inquiries stay.
pub fn delete(tx: &mut Tx<'_>, id: FormId) -> Result<(), FormError> {
    let account: AccountId = tx.find(LOCATE, &[&id], only)?.ok_or(FormError::NoForm(id))?;
    Ok(tx.execute(DELETE, &[&account, &id])?.exactly(1)?)
}

pub(super) fn by_token(tx: &mut ReadTx<'_>, token: &str) -> db::Result<Option<Form>> {
    tx.find(BY_TOKEN, &[&token], read)
}

/// Forms with their public addresses.
pub(crate) const EXPORTED: &[&dyn Exported] = &[&ExportedRows::new(
    "forms",
    &["forms"],
    Columns {
        sql: "t.account_id, t.id, t.name, t.token, t.redirect_url, t.origins, t.fields, t.button_text, t.thanks_text",
        line: |row, _| line(&read(row)?),
    },
)];

fn read(row: &mut Row<'_>) -> db::Result<Form> {
    let (account_id, id) = (row.next()?, row.next::<FormId>()?);
    let (name, token, redirect_url) = (row.next()?, row.next()?, row.next()?);
    let origins = serde_json::from_str(&row.next::<String>()?).map_err(|_| db::Error::Decode("origins"))?;
    // Fields that cannot be read are the usual ones, so that nothing that is sent is lost.
    let fields = row.next::<Option<String>>()?.as_deref().and_then(FormFields::stored);
    let (button_text, thanks_text) = (row.next()?, row.next()?);
    let created_at = id.created_at();
    Ok(Form {
        account_id,
        id,
        name,
        token,
        redirect_url,
        origins,
        fields,
        button_text,
        thanks_text,
        created_at,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Form {
        /// A form that any website may submit.
        pub(in crate::forms) fn example() -> Self {
            Self {
                account_id: Id::from_uuid(uuid::Uuid::nil()),
                id: Id::from_uuid(uuid::Uuid::nil()),
                name: "Contact us".parse().unwrap(),
                token: String::new(),
                redirect_url: None,
                origins: Vec::new(),
                fields: None,
                button_text: None,
                thanks_text: None,
                created_at: Timestamp::from_millis(0),
            }
        }
    }

    fn form(origins: &[&str]) -> Form {
        Form { origins: origins.iter().map(ToString::to_string).collect(), ..Form::example() }
    }

    #[test]
    fn a_patch_keeps_clears_and_sets() {
        let before = Form {
            redirect_url: Some("https://a.test/".to_owned()),
            button_text: Some("Ask".to_owned()),
            ..form(&["https://a.test"])
        };
        let patch = FormPatch {
            redirect_url: Patch::Clear,
            thanks_text: Patch::Set("Until soon".parse().unwrap()),
            ..FormPatch::default()
        };
        let after = patch.apply(before.clone());
        assert_eq!((after.redirect_url, after.thanks_text.as_deref()), (None, Some("Until soon")));
        assert_eq!(
            (after.button_text, after.origins, after.name, after.token),
            (before.button_text, before.origins, before.name, before.token)
        );
    }

    #[test]
    fn only_listed_websites_show_a_form_in_a_frame() {
        assert_eq!(form(&[]).frame_ancestors(), "'none'");
        let two = form(&["https://example.com", "http://[::1]:3000"]);
        assert_eq!(two.frame_ancestors(), "https://example.com http://[::1]:3000");
        // Nothing else gets into the policy by way of an origin.
        assert_eq!(form(&["https://a.test;script-src", "https://a.test,https:"]).frame_ancestors(), "'none'");
    }

    #[test]
    fn an_origin_is_a_scheme_and_a_host() {
        assert_eq!("https://Example.com/".parse(), Ok(Origin("https://example.com".to_owned())));
        assert!("http://localhost:3000".parse::<Origin>().is_ok());
        for wrong in ["", "example.com", "https://", "https://a.test/path", "https://*.a.test", "null", "*"] {
            assert_eq!(wrong.parse::<Origin>(), Err(NotAnOrigin), "{wrong}");
        }
    }
}
