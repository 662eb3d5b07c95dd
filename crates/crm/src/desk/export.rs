//! Exports contacts as a file for spreadsheets. The file is sent a page of contacts at a time, each read when the client
//! has taken the page before it, so a file of any length needs the memory of one page. If a page cannot be read, the
//! response breaks off, so that nobody takes a part for the whole.

use bytes::Bytes;
use frontdesk_platform::{Caller, Error};
use frontdesk_web::{
    BodyFailed, BodyStream, Failure, IntoReply, Operation, Page, Query as Given, Reply, Result as WebResult,
};
use futures_util::stream::{self, StreamExt};
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use http::{HeaderValue, StatusCode};
use serde_json::json;
use uuid::Uuid;

use super::csv::{BYTE_ORDER_MARK, push_row};
use crate::contacts::{self, Contact, ContactFilters};
use crate::custom_fields::{self, CustomField};

/// Contacts that are read at a time.
const PAGE_ROWS: i64 = 200;
const SEPARATOR: char = ',';

/// A file that a browser saves.
pub(super) struct Csv(BodyStream);

impl IntoReply for Csv {
    fn describe(operation: &mut Operation) {
        operation.response(json!({ "type": "string" }));
    }

    fn reply(self, status: StatusCode) -> Reply {
        Reply::streamed(status, self.0)
            .header(CONTENT_TYPE, HeaderValue::from_static("text/csv; charset=utf-8"))
            .header(CONTENT_DISPOSITION, HeaderValue::from_static("attachment; filename=\"contacts.csv\""))
    }
}

pub(super) async fn export(caller: Caller, Given(filters): Given<ContactFilters>) -> WebResult<Csv> {
    let mut fields = caller.read(|tx, by| custom_fields::list(tx, by.account).map_err(Error::from)).await?;
    fields.reverse();
    let mut text = String::from(BYTE_ORDER_MARK);
    let head = ["name", "phone", "email", "company", "tags"].into_iter().map(str::to_owned);
    push_row(&mut text, SEPARATOR, head.chain(fields.iter().map(|field| field.name.clone())));
    let mut export = Export { caller, filters, fields, before: None, is_over: false };
    // A request that cannot be carried out is refused before the file begins.
    text.push_str(&export.next().await?);
    let first = stream::iter([Ok(Bytes::from(text))]);
    let others = stream::unfold(export, |mut export| async move {
        if export.is_over {
            return None;
        }
        let page = export.next().await.map(Bytes::from).map_err(|failure| {
            tracing::warn!(%failure, "an export of contacts broke off; its client sees an incomplete file");
            export.is_over = true;
            BodyFailed
        });
        Some((page, export))
    });
    Ok(Csv(BodyStream::new(first.chain(others))))
}

/// A file that is being written.
struct Export {
    caller: Caller,
    filters: ContactFilters,
    /// The columns of custom fields, oldest first.
    fields: Vec<CustomField>,
    /// The last contact that is in the file.
    before: Option<Uuid>,
    is_over: bool,
}

impl Export {
    /// The rows of the next page.
    async fn next(&mut self) -> Result<String, Failure> {
        let (filters, page) = (self.filters.clone(), Page::inside(PAGE_ROWS, self.before));
        let found = self.caller.scan(move |tx, by| contacts::list(tx, by, &filters, &page)).await?;
        self.is_over = found.len() as i64 <= PAGE_ROWS;
        let mut text = String::new();
        for contact in found.iter().take(PAGE_ROWS as usize) {
            push_row(&mut text, SEPARATOR, cells(contact, &self.fields));
            self.before = Some(contact.id.uuid());
        }
        Ok(text)
    }
}

fn cells(contact: &Contact, fields: &[CustomField]) -> impl Iterator<Item = String> {
    let tags: Vec<&str> = contact.tags.iter().map(|tag| &*tag.name).collect();
    let own = [
        contact.name.clone(),
        contact.phone.as_ref().map(|phone| phone.as_str().to_owned()),
        contact.email.clone(),
        contact.company.clone(),
        Some(tags.join(", ")),
    ];
    // A contact's fields are sorted by id.
    let value = |field: &CustomField| {
        let at = contact.custom_fields.binary_search_by_key(&field.id, |own| own.field_id).ok()?;
        contact.custom_fields[at].value.clone()
    };
    let custom: Vec<Option<String>> = fields.iter().map(value).collect();
    own.into_iter().chain(custom).map(Option::unwrap_or_default)
}
