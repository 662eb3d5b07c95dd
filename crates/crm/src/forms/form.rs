//! The form, and its operations for the command line.

use std::str::FromStr;

use frontdesk_db::{self as db, ReadTx, Row, Tx, only};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Id, Ids, Text, Timestamp};
use frontdesk_platform::accounts;
use frontdesk_platform::export::{Columns, Exported, ExportedRows, line};
use serde::Serialize;

use super::sql::{BY_TOKEN, DELETE, INSERT, LIST, LOCATE};
use crate::inquiries::PageUrl;
use crate::token;

pub type FormId = Id<Form>;

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
        origins: new.origins.iter().map(|origin| origin.0.clone()).collect(),
        created_at: id.created_at(),
    };
    let origins = serde_json::to_string(&form.origins).map_err(|_| db::Error::Decode("origins"))?;
    let params: &[&dyn db::Param] =
        &[&form.account_id, &form.id, &form.name, &form.token, &form.redirect_url, &origins];
    tx.execute(INSERT, params)?.exactly(1)?;
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
        sql: "t.account_id, t.id, t.name, t.token, t.redirect_url, t.origins",
        line: |row, _| line(&read(row)?),
    },
)];

fn read(row: &mut Row<'_>) -> db::Result<Form> {
    let (account_id, id) = (row.next()?, row.next::<FormId>()?);
    let (name, token, redirect_url) = (row.next()?, row.next()?, row.next()?);
    let origins = serde_json::from_str(&row.next::<String>()?).map_err(|_| db::Error::Decode("origins"))?;
    Ok(Form { account_id, id, name, token, redirect_url, origins, created_at: id.created_at() })
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
                created_at: Timestamp::from_millis(0),
            }
        }
    }

    fn form(origins: &[&str]) -> Form {
        Form { origins: origins.iter().map(ToString::to_string).collect(), ..Form::example() }
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
