//! Lists of the API, as far as they fit into a response.

use frontdesk_platform::operations::Invocation;
use serde_json::{Value, json};

use crate::api::{Api, Refused};
use crate::budget::tokens_of;
use crate::cursor::Cursor;
use crate::marked::{self, Cut};

/// Tokens of one row. What is left out of it is read with `open`.
const ROW_TOKENS_MAX: usize = 600;
/// Tokens of a cursor with its name.
const CURSOR_TOKENS: usize = 150;

/// A list to read from.
#[derive(Clone)]
pub(crate) struct ListCall {
    pub(crate) operation: &'static str,
    pub(crate) params: Vec<String>,
    pub(crate) query: Vec<(String, String)>,
    /// Rows read at once.
    pub(crate) rows_max: usize,
    /// Tokens of one text of a row.
    pub(crate) cut: Cut,
}

impl ListCall {
    pub(crate) fn new(operation: &'static str, rows_max: usize) -> Self {
        Self { operation, params: Vec::new(), query: Vec::new(), rows_max, cut: Cut(60) }
    }

    pub(crate) fn at(mut self, id: &str) -> Self {
        self.params.push(id.to_owned());
        self
    }

    pub(crate) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.query.push((name.to_owned(), value.into()));
        self
    }

    pub(crate) fn cut(mut self, tokens_max: usize) -> Self {
        self.cut = Cut(tokens_max);
        self
    }
}

/// The rows that fit, and where the list goes on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    pub(crate) rows: Vec<Value>,
    pub(crate) next: Option<Cursor>,
}

impl Rows {
    /// The rows with the cursor, if something is left.
    pub(crate) fn shown(self) -> Value {
        match self.next {
            Some(next) => json!({ "rows": self.rows, "cursor": next.shown() }),
            None => json!({ "rows": self.rows }),
        }
    }
}

/// Reads rows from where a cursor points to, as many as fit into so many tokens with the next cursor. A row that is too long
/// by itself is cut.
pub(crate) async fn read(
    api: &Api,
    list: &ListCall,
    cursor: &Cursor,
    tokens_max: usize,
) -> Result<Rows, Refused> {
    let (rows, following) = page(api, list, cursor, tokens_max).await?;
    Ok(fitting(rows, cursor, following, tokens_max, list.rows_max))
}

/// Reads the first rows of a list, for [`fitting`] with so many tokens.
pub(crate) async fn first(api: &Api, list: &ListCall, tokens_max: usize) -> Result<Vec<Value>, Refused> {
    page(api, list, &Cursor::default(), tokens_max).await.map(|(rows, _)| rows)
}

/// The rows of a page, marked, and the API's cursor of the next one.
async fn page(
    api: &Api,
    list: &ListCall,
    cursor: &Cursor,
    tokens_max: usize,
) -> Result<(Vec<Value>, Option<String>), Refused> {
    let mut query = list.query.clone();
    query.push(("limit".to_owned(), list.rows_max.to_string()));
    query.extend(cursor.page.clone().map(|page| ("cursor".to_owned(), page)));
    let invocation = Invocation { params: list.params.clone(), query, ..Invocation::default() };
    let body = api.call(list.operation, invocation).await?;
    let all = body["data"].as_array().map_or(&[][..], Vec::as_slice);
    let rows: Vec<Value> = all.iter().map(|row| marked::row(row, list.cut, row_max(tokens_max))).collect();
    let following = body["meta"]["next_cursor"].as_str().map(str::to_owned);
    Ok((rows, following))
}

/// Tokens of one row where so many are there for all of them.
fn row_max(tokens_max: usize) -> usize {
    room(tokens_max).saturating_sub(1).min(ROW_TOKENS_MAX)
}

fn room(tokens_max: usize) -> usize {
    tokens_max.saturating_sub(CURSOR_TOKENS)
}

/// The rows that fit, of those that [`row_max`] allows. So there is at least one.
pub(crate) fn fitting(
    rows: Vec<Value>,
    cursor: &Cursor,
    following: Option<String>,
    tokens_max: usize,
    rows_max: usize,
) -> Rows {
    let total = rows.len();
    let (mut kept, mut left) = (Vec::new(), room(tokens_max));
    for row in rows.into_iter().skip(cursor.skip).take(rows_max) {
        let tokens = tokens_of(&row) + 1;
        if tokens > left && !kept.is_empty() {
            break;
        }
        left = left.saturating_sub(tokens);
        kept.push(row);
    }
    let read = cursor.skip + kept.len();
    let next = if read < total {
        Some(Cursor { page: cursor.page.clone(), skip: read })
    } else {
        following.map(|page| Cursor { page: Some(page), skip: 0 })
    };
    Rows { rows: kept, next }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_on_misses_and_repeats_nothing() {
        let pages: Vec<Vec<Value>> =
            (0..3).map(|page| (0..7).map(|n| json!(page * 7 + n)).collect()).collect();
        let (mut cursor, mut seen) = (Cursor::default(), Vec::new());
        loop {
            let at: usize = cursor.page.as_deref().map_or(0, |page| page.parse().unwrap());
            let following = (at + 1 < pages.len()).then(|| (at + 1).to_string());
            let rows = fitting(pages[at].clone(), &cursor, following, CURSOR_TOKENS + 6, 100);
            assert!((1..=3).contains(&rows.rows.len()));
            seen.extend(rows.rows);
            match rows.next {
                Some(next) => cursor = next,
                None => break,
            }
        }
        assert_eq!(seen, (0..21).map(|n| json!(n)).collect::<Vec<_>>());
    }

    #[test]
    fn long_rows_are_cut_and_all_are_read() {
        const TOKENS: usize = 400;
        let words = "word ".repeat(2_000);
        let all: Vec<Value> =
            (0..5).map(|n| json!({ "id": n.to_string(), "a": words, "b": words, "c": words })).collect();
        let (mut cursor, mut seen) = (Cursor::default(), Vec::new());
        loop {
            let rows = all.iter().map(|row| marked::row(row, Cut(1_000), row_max(TOKENS))).collect();
            let rows = fitting(rows, &cursor, None, TOKENS, 100);
            let next = rows.next.clone();
            seen.extend(rows.rows.iter().map(|row| row["id"].clone()));
            assert!(tokens_of(&rows.shown()) <= TOKENS);
            match next {
                Some(next) => cursor = next,
                None => break,
            }
        }
        assert_eq!(seen, (0..5).map(|n| json!(n.to_string())).collect::<Vec<_>>());
    }
}
