//! The building blocks of HTTP endpoints. Nothing here belongs to one endpoint.
//!
//! An operation is an async function whose arguments declare what it reads (`Path`, `Query`, `Listing`,
//! `Body`) and whose result declares what it returns (`Data`, `List`). The checks of a request, all problems
//! of a body at once, the response's bytes, and the operation's part of the OpenAPI document all come from
//! that signature, so they cannot disagree.
//!
//! Nothing here depends on a server, a database or a clock. It works on bytes and on `http` types.

// The macros use this crate's name, so the crate must know itself by that name.
extern crate self as frontdesk_web;

mod accept_encoding;
pub mod choice;
pub mod describe;
pub mod docs;
pub mod endpoint;
pub mod example;
pub mod failure;
mod field_path;
#[cfg(test)]
mod fuzzed;
mod ignored;
pub mod input;
pub mod openapi;
pub mod page;
pub mod problems;
pub mod query;
pub mod reply;
pub mod request;
pub mod route;
pub mod schema;
pub mod tagged;

pub use accept_encoding::takes_gzip;
pub use choice::NotAChoice;
pub use describe::Describe;
pub use endpoint::{
    Argument, Body, Data, Deleted, Draft, Endpoint, Handler, IntoReply, InvalidBody, Operation, Path, Query,
    data_bytes,
};
pub use example::Example;
pub use failure::{Failure, Result};
pub use field_path::FieldPath;
pub use ignored::{IGNORED_FIELDS, IgnoredFields};
pub use input::{Entries, Given, Input, Items, Kept, Within};
pub use page::{LIMIT_DEFAULT, LIMIT_MAX, List, Listing, Page, Place};
pub use problems::Problems;
pub use query::{Filters, Pairs, Param};
pub use reply::{BodyFailed, BodyStream, Reply, RequestId};
pub use request::Request;
pub use route::{Found, Route, Table};
pub use schema::Components;

#[doc(hidden)]
pub use serde;
#[doc(hidden)]
pub use serde_json::{self, Value};
