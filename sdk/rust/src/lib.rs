//! The client of Frontdesk, a customer messaging and CRM service.
//!
//! ```no_run
//! use frontdesk::{Client, types::*};
//!
//! #[tokio::main]
//! async fn main() -> frontdesk::Result<()> {
//!     let hello = NewTemplate::new(ToPhone::new("+4915100004820"), TemplateChoice::new("hello_world"));
//!     Client::from_env()?.messages().send(hello).await.map(|sent| println!("{}", sent.status))
//! }
//! ```
//!
//! - Each resource of the API has a method of [`Client`]: `client.contacts()`, `client.deals()`.
//! - Requests are sent when they are awaited. Before that, they take settings of their own, such as a `timeout`.
//! - Lists are streams: [`Rows`], with a [`Page`] at hand.
//! - Fields of a change that are not mentioned are kept, and `None` clears: [`Patch`].
//! - A write is carried out once, however often it has to be sent: [`Write`].
//! - What a newer server adds is `Unknown`, never an error.
//!
//! Every call is tried again, with growing pauses, after 429 (when `Retry-After` says) and connections that could not be
//! made. Calls that may be repeated, which are reads, `PUT`, `DELETE` and all writes with an idempotency key, are also tried
//! again after 502, 503, 504 and connections that broke. Dropping a future cancels its call.

#![warn(missing_docs)]

mod call;
mod client;
mod error;
mod event;
mod event_stream;
#[allow(clippy::doc_markdown, reason = "names of products are not code")]
#[allow(clippy::large_enum_variant, reason = "one at a time is held")]
#[allow(missing_docs, reason = "names such as `id` say it")]
mod generated;
mod list;
mod patch;
mod raw;
mod request;
mod response;
mod retry;
mod send;
mod sse;
mod text_enum;
mod time;
mod transport;
mod upload;
pub mod webhooks;

pub use client::{Builder, Client};
pub use error::{ApiError, Detail, Error, ErrorCode, Result};
pub use event_stream::EventStream;
pub use generated::resources;
pub use list::{List, Page, Rows};
pub use patch::{EntryValue, Patch};
pub use raw::RawRequest;
pub use request::{Request, Write};
pub use response::{RateLimit, RawResponse, Response};
pub use time::{Date, ParseTimeError, Timestamp};
pub use upload::Upload;
pub use uuid::Uuid;

/// What calls send and return, and what events contain.
pub mod types {
    pub use crate::event::Event;
    pub use crate::generated::types::*;
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
