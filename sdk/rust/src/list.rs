//! Lists: streams of rows, with a page at hand.

use std::collections::VecDeque;
use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use futures_util::{StreamExt, TryStreamExt};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::call::Call;
use crate::client::Client;
use crate::error::Result;
use crate::request::{call_settings, read};
use crate::response::RawResponse;
use crate::send::Sending;

/// A request for a list. The requests of the API that return lists are made of it.
#[derive(Debug)]
#[must_use = "a list is requested by `stream`, `all` or `page`"]
pub struct List<T> {
    client: Client,
    call: Call,
    row: PhantomData<fn() -> T>,
}

// Whatever its rows are.
impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        Self { client: self.client.clone(), call: self.call.clone(), row: PhantomData }
    }
}

impl<T> List<T> {
    pub(crate) fn new(client: &Client, call: Call) -> Self {
        Self { client: client.clone(), call, row: PhantomData }
    }

    /// Narrows it down.
    pub(crate) fn query(mut self, name: &'static str, value: impl fmt::Display) -> Self {
        self.call.replace_query(name, value);
        self
    }

    call_settings!(call);
}

impl<T: DeserializeOwned + 'static> List<T> {
    /// All rows, one after the other. Pages are requested as they are needed.
    pub fn stream(self) -> Rows<T> {
        let first = self.clone().fetch();
        Rows { list: self, fetched: VecDeque::new(), coming: Some(first) }
    }

    /// All rows at once.
    pub async fn all(self) -> Result<Vec<T>> {
        self.stream().try_collect().await
    }

    /// One page: the first, or the one at `cursor`.
    pub async fn page(self) -> Result<Page<T>> {
        self.fetch().await
    }

    fn fetch(self) -> Sending<Page<T>> {
        Box::pin(async move {
            #[derive(Deserialize)]
            struct Body<T> {
                data: Vec<T>,
                #[serde(default)]
                meta: Meta,
            }

            let raw = self.client.send(&self.call).await?;
            let Body { data, meta } = read::<Body<T>>(&raw)?;
            Ok(Page { data, next_cursor: meta.next_cursor, has_more: meta.has_more, raw, list: self })
        })
    }

    fn at(&self, cursor: &str) -> Self {
        self.clone().query("cursor", cursor)
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Meta {
    next_cursor: Option<String>,
    has_more: bool,
}

/// A page of a list.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Page<T> {
    /// Its rows.
    pub data: Vec<T>,
    /// The `cursor` of the next page, if there is one.
    pub next_cursor: Option<String>,
    /// Whether there is another page.
    pub has_more: bool,
    /// The response that it came in.
    pub raw: RawResponse,
    /// The request that it answers.
    list: List<T>,
}

impl<T: DeserializeOwned + 'static> Page<T> {
    /// Requests the next page. None after the last.
    pub async fn next_page(&self) -> Result<Option<Self>> {
        match &self.next_cursor {
            Some(cursor) => self.list.at(cursor).page().await.map(Some),
            None => Ok(None),
        }
    }
}

/// The rows of a list, as a stream. After an error it ends.
#[must_use = "a stream does nothing unless it is polled"]
pub struct Rows<T> {
    list: List<T>,
    /// Rows of the page that came last.
    fetched: VecDeque<T>,
    /// The request for the next page. None after the last page and after an error.
    coming: Option<Sending<Page<T>>>,
}

impl<T: DeserializeOwned + 'static> Rows<T> {
    /// The next row; none after the last.
    pub async fn next(&mut self) -> Option<Result<T>> {
        StreamExt::next(self).await
    }
}

// The page that is coming is boxed, and rows are never pinned.
impl<T> Unpin for Rows<T> {}

impl<T: DeserializeOwned + 'static> Stream for Rows<T> {
    type Item = Result<T>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<T>>> {
        loop {
            if let Some(row) = self.fetched.pop_front() {
                return Poll::Ready(Some(Ok(row)));
            }
            let Some(page) = &mut self.coming else { return Poll::Ready(None) };
            let page = ready!(page.as_mut().poll(cx));
            self.coming = None;
            let page = page?;
            self.coming = page.next_cursor.map(|cursor| self.list.at(&cursor).fetch());
            self.fetched = page.data.into();
        }
    }
}

impl<T> fmt::Debug for Rows<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rows").field("list", &self.list.call.target()).finish_non_exhaustive()
    }
}

/// Makes a list's own type out of [`List`]: the methods that all lists have.
macro_rules! list_methods {
    ($row:ty) => {
        /// All rows, one after the other. Pages are requested as they are needed.
        pub fn stream(self) -> crate::list::Rows<$row> {
            self.0.stream()
        }

        /// All rows at once.
        pub async fn all(self) -> crate::error::Result<Vec<$row>> {
            self.0.all().await
        }

        /// One page: the first, or the one at `cursor`.
        pub async fn page(self) -> crate::error::Result<crate::list::Page<$row>> {
            self.0.page().await
        }

        /// The deadline of each page with all its attempts and pauses.
        pub fn timeout(self, timeout: std::time::Duration) -> Self {
            Self(self.0.timeout(timeout))
        }

        /// How often each page is tried again.
        pub fn max_retries(self, retries: u32) -> Self {
            Self(self.0.max_retries(retries))
        }

        /// Adds a header, or replaces one.
        pub fn header(self, name: &str, value: &str) -> Self {
            Self(self.0.header(name, value))
        }
    };
}

pub(crate) use list_methods;
