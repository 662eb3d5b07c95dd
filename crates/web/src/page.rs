//! Pages of a list, newest first, walked by sealed cursors.
//!
//! A cursor contains the last row of a page and is sealed to its list, so rows that are inserted during a
//! walk neither repeat nor hide others, and a cursor works for no other list, account or filter.

use frontdesk_kernel::Timestamp;
use frontdesk_kernel::cursor::Seal;
use http::StatusCode;
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::describe::Describe;
use crate::endpoint::{Argument, IntoReply, Operation, bytes_of};
use crate::failure::{Failure, Result};
use crate::problems::Problems;
use crate::query::{Filters, Pairs, given, parameter, wrong_shape};
use crate::reply::Reply;
use crate::request::Request;
use crate::schema::{Components, referred};

pub const LIMIT_DEFAULT: i64 = 20;
pub const LIMIT_MIN: i64 = 1;
pub const LIMIT_MAX: i64 = 100;

/// The requested rows of a list.
#[derive(Clone)]
pub struct Page {
    pub limit: i64,
    /// The last row of the previous page.
    pub before: Option<Uuid>,
    /// The time by which that row was sorted, in a list by activity.
    pub before_at: Option<Timestamp>,
    /// The text by which that row was sorted, in a list by a text.
    pub before_key: Option<String>,
    seal: Seal,
}

/// The place of a row in its list, beside its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The list is sorted by id, or the row has nothing that it is sorted by.
    Id,
    At(Timestamp),
    Key(String),
}

impl Page {
    fn read<C>(
        request: &Request<C>,
        query: &Pairs<'_>,
        filters: &[&str],
        problems: &mut Problems,
    ) -> Result<Self> {
        let limit = read_limit(query, problems)?;
        let seal = seal(request, query, filters);
        let mut page = Self { limit, before: None, before_at: None, before_key: None, seal };
        if let Some(cursor) = query.given("cursor") {
            let (place, id) = page.open(cursor).ok_or_else(stale)?;
            page.before = Some(id);
            match place {
                Place::Id => {}
                Place::At(moment) => page.before_at = Some(moment),
                Place::Key(key) => page.before_key = Some(key),
            }
        }
        Ok(page)
    }

    fn open(&self, cursor: &str) -> Option<(Place, Uuid)> {
        let at = || self.seal.open_at(cursor).map(|(moment, id)| (Place::At(moment), id));
        let key = || self.seal.open_key(cursor).map(|(key, id)| (Place::Key(key), id));
        self.seal.open(cursor).map(|id| (Place::Id, id)).or_else(at).or_else(key)
    }

    /// An internal page. No cursor is made from it.
    pub fn inside(limit: i64, before: Option<Uuid>) -> Self {
        let seal = Seal::new(&[0; 32], "", Uuid::nil(), &[]);
        Self { limit, before, before_at: None, before_key: None, seal }
    }

    /// How many rows to read: one more than is shown, to know whether there are more.
    pub fn fetch(&self) -> i64 {
        self.limit + 1
    }

    /// The response with the fetched rows.
    pub fn finish<T>(&self, rows: Vec<T>, id: impl Fn(&T) -> Uuid) -> List<T> {
        self.finish_with(rows, |last| self.seal.close(id(last)))
    }

    /// The response of a list that is sorted by a time, then by id.
    pub fn finish_at<T>(&self, rows: Vec<T>, place: impl Fn(&T) -> (Timestamp, Uuid)) -> List<T> {
        self.finish_with(rows, |last| {
            let (moment, id) = place(last);
            self.seal.close_at(moment, id)
        })
    }

    /// The response of a list that is sorted by whatever each row's place says, then by id.
    pub fn finish_sorted<T>(&self, rows: Vec<T>, place: impl Fn(&T) -> (Place, Uuid)) -> List<T> {
        self.finish_with(rows, |last| match place(last) {
            (Place::Id, id) => self.seal.close(id),
            (Place::At(moment), id) => self.seal.close_at(moment, id),
            (Place::Key(key), id) => self.seal.close_key(&key, id),
        })
    }

    fn finish_with<T>(&self, mut rows: Vec<T>, close: impl Fn(&T) -> String) -> List<T> {
        let has_more = rows.len() as i64 > self.limit;
        rows.truncate(self.limit as usize);
        let next_cursor = rows.last().filter(|_| has_more).map(close);
        List { data: rows, meta: ListMeta { next_cursor, has_more, limit: self.limit } }
    }
}

impl std::fmt::Debug for Page {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Page")
            .field("limit", &self.limit)
            .field("before", &self.before)
            .finish_non_exhaustive()
    }
}

fn stale() -> Failure {
    Failure::bad_request(
        "This cursor does not belong to this list with these filters. Send the filters of the first page \
         along with every cursor, or start again without a cursor.",
    )
}

/// A list is its route with the ids in its path, for one account and its known filters.
fn seal<C>(request: &Request<C>, query: &Pairs<'_>, filters: &[&str]) -> Seal {
    let mut bound: Vec<(&str, &str)> = request.params.iter().map(|value| ("{}", value.as_str())).collect();
    bound.extend(filters.iter().filter_map(|name| query.given(name).map(|value| (*name, value))));
    Seal::new(&request.cursor_key, request.route_path, request.account, &bound)
}

fn read_limit(query: &Pairs<'_>, problems: &mut Problems) -> Result<i64> {
    let Some(text) = given(query, "limit")? else { return Ok(LIMIT_DEFAULT) };
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return Err(wrong_shape("limit", "must be a whole number"));
    }
    // A number that is too large is out of range like any other.
    match text.parse() {
        Ok(limit) if (LIMIT_MIN..=LIMIT_MAX).contains(&limit) => Ok(limit),
        _ => {
            problems.add("limit", format!("must be from {LIMIT_MIN} to {LIMIT_MAX}"));
            Ok(LIMIT_DEFAULT)
        }
    }
}

/// The filters and the page of a list, as an operation's argument.
#[derive(Clone, Debug)]
pub struct Listing<F: Filters> {
    pub filters: F,
    pub page: Page,
}

impl<C, F: Filters> Argument<C> for Listing<F> {
    fn describe(operation: &mut Operation) {
        let mut parameters = F::parameters(&mut operation.components);
        let cursor = "The previous page's `next_cursor`. Send the same filters along with it.";
        parameters.push(parameter("cursor", cursor, json!({ "type": "string" })));
        let limit = json!({
            "type": "integer", "minimum": LIMIT_MIN, "maximum": LIMIT_MAX, "default": LIMIT_DEFAULT,
        });
        parameters.push(parameter("limit", "How many rows a page has.", limit));
        operation.query(parameters);
        operation.paginated();
    }

    fn take(request: &Request<C>) -> Result<Self> {
        let query = Pairs::parse(&request.query);
        let mut problems = Problems::new();
        let filters = F::gather(&query, &mut problems)?;
        let page = Page::read(request, &query, F::names(), &mut problems)?;
        match filters {
            Some(filters) if problems.is_empty() => Ok(Self { filters, page }),
            _ => Err(Failure::validation(problems)),
        }
    }
}

crate::describe::resource! {
    /// The position of a page in its list.
    pub struct ListMeta {
        /// Pass as `cursor` for the next page; null on the last page.
        pub next_cursor: Option<String>,
        /// Whether another page exists.
        pub has_more: bool,
        /// The page size applied.
        pub limit: i64,
    }
}

/// The response of a list: `{ data: […], meta: { next_cursor, has_more, limit } }`.
#[derive(Clone, Debug, Serialize)]
pub struct List<T> {
    pub data: Vec<T>,
    pub meta: ListMeta,
}

impl<T> List<T> {
    /// A list without pages.
    pub fn all(rows: Vec<T>) -> Self {
        let limit = rows.len() as i64;
        Self { data: rows, meta: ListMeta { next_cursor: None, has_more: false, limit } }
    }

    pub fn map<U>(self, change: impl FnMut(T) -> U) -> List<U> {
        List { data: self.data.into_iter().map(change).collect(), meta: self.meta }
    }
}

/// A list of a named resource is named after it: `ContactList`.
impl<T: Describe> Describe for List<T> {
    fn schema(components: &mut Components) -> Value {
        let row = T::schema(components);
        let meta = ListMeta::schema(components);
        let name = referred(&row).map(|name| format!("{name}List"));
        let schema = json!({
            "type": "object",
            "required": ["data", "meta"],
            "properties": { "data": { "type": "array", "items": row }, "meta": meta },
        });
        match name {
            Some(name) => components.named::<Self>(&name, |_| schema),
            None => schema,
        }
    }
}

impl<T: Serialize + Describe> IntoReply for List<T> {
    fn describe(operation: &mut Operation) {
        let schema = Self::schema(&mut operation.components);
        operation.response(schema);
    }

    fn reply(self, status: StatusCode) -> Reply {
        Reply::new(status, bytes_of(&self))
    }
}

#[cfg(test)]
mod tests;
