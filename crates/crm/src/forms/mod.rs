//! Forms: inquiries from websites, without a key.
//!
//! A form has its own address, to which a page's HTML form or script posts. A submission becomes an inquiry
//! under the form's name. Browsers are redirected or thanked, scripts get JSON. Bots that fill in the hidden
//! field get the usual response, and submissions are limited per address.

mod form;
mod hosted;
mod page;
mod public_endpoint;
mod sql;
mod submission;
mod visitors;

pub(crate) use form::EXPORTED;
pub use form::{Form, FormError, FormId, NewForm, NotAnOrigin, Origin, create, delete, list};
pub use public_endpoint::public_endpoint;
pub use sql::STATEMENTS;
