//! Exports contacts as a file for spreadsheets.

use std::fmt::Write;

use bytes::Bytes;
use frontdesk_platform::{Caller, Error};
use frontdesk_web::{IntoReply, Operation, Page, Query as Given, Reply, Result as WebResult};
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use http::{HeaderValue, StatusCode};
use serde_json::json;

use crate::contacts::{self, Contact, ContactFilters};
use crate::custom_fields::{self, CustomField};

/// Maximum contacts of one file, which is built in memory.
const ROWS_MAX: usize = 200_000;
/// Contacts that are read at a time.
const PAGE_ROWS: i64 = 500;
/// Tells spreadsheets that the text is UTF-8.
const BYTE_ORDER_MARK: char = '\u{feff}';
/// The first characters of formulas.
const FORMULA_SIGNS: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// A file that a browser saves.
pub(super) struct Csv(Bytes);

impl IntoReply for Csv {
    fn describe(operation: &mut Operation) {
        operation.response(json!({ "type": "string" }));
    }

    fn reply(self, status: StatusCode) -> Reply {
        Reply::new(status, self.0)
            .header(CONTENT_TYPE, HeaderValue::from_static("text/csv; charset=utf-8"))
            .header(CONTENT_DISPOSITION, HeaderValue::from_static("attachment; filename=\"contacts.csv\""))
    }
}

pub(super) async fn export(caller: Caller, Given(filters): Given<ContactFilters>) -> WebResult<Csv> {
    let mut fields = caller.read(|tx, by| custom_fields::list(tx, by.account).map_err(Error::from)).await?;
    fields.reverse();
    let mut file = String::from(BYTE_ORDER_MARK);
    let head = ["name", "phone", "email", "company", "tags"].into_iter().map(str::to_owned);
    row(&mut file, head.chain(fields.iter().map(|field| field.name.clone())));
    let (mut rows, mut before) = (0, None);
    while rows < ROWS_MAX {
        let (asked, page) = (filters.clone(), Page::inside(PAGE_ROWS, before));
        let found = caller.scan(move |tx, by| contacts::list(tx, by, &asked, &page)).await?;
        let has_more = found.len() as i64 > PAGE_ROWS;
        for contact in found.iter().take(PAGE_ROWS as usize) {
            row(&mut file, cells(contact, &fields));
            before = Some(contact.id.uuid());
            rows += 1;
        }
        if !has_more {
            break;
        }
    }
    Ok(Csv(file.into()))
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
    let value = |field: &CustomField| {
        let own = contact.custom_fields.iter().find(|own| own.field_id == field.id);
        own.and_then(|own| own.value.clone())
    };
    let custom: Vec<Option<String>> = fields.iter().map(value).collect();
    own.into_iter().chain(custom).map(Option::unwrap_or_default)
}

fn row(file: &mut String, cells: impl Iterator<Item = String>) {
    for (at, cell) in cells.enumerate() {
        if at > 0 {
            file.push(',');
        }
        let cell = disarmed(&cell);
        if cell.contains(['"', ',', '\n', '\r']) {
            let _ = write!(file, "\"{}\"", cell.replace('"', "\"\""));
        } else {
            file.push_str(&cell);
        }
    }
    file.push_str("\r\n");
}

/// A cell that a spreadsheet does not take for a formula. A phone number may begin with a plus sign.
fn disarmed(cell: &str) -> String {
    let is_number =
        cell.strip_prefix('+').is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
    if cell.starts_with(FORMULA_SIGNS) && !is_number { format!("'{cell}") } else { cell.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(cells: &[&str]) -> String {
        let mut file = String::new();
        row(&mut file, cells.iter().map(ToString::to_string));
        file
    }

    #[test]
    fn a_cell_is_quoted_where_it_must_be() {
        assert_eq!(
            written(&["Ann", "", "a,b", "say \"hi\"", "two\nlines"]),
            "Ann,,\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\"\r\n"
        );
    }

    #[test]
    fn a_cell_is_never_a_formula() {
        assert_eq!(
            written(&["=1+1", "+14155550123", "-x", "@cmd", "+cmd|x"]),
            "'=1+1,+14155550123,'-x,'@cmd,'+cmd|x\r\n"
        );
    }
}
