//! Forms: a website's way to write to the account, without a key.
//!
//! A form has an address of its own that a page's HTML form or script posts to. What comes is an inquiry under the form's
//! name. Browsers are sent on or thanked, scripts get JSON. Programs that fill in everything they see are let believe that
//! they got through, and nobody gets through too often.

mod form;
mod hosted;
mod page;
mod public_endpoint;
mod submission;
mod visitors;

pub use form::{Form, FormError, FormId, NewForm, NotAnOrigin, Origin, STATEMENTS, create, delete, list};
pub use public_endpoint::public_endpoint;
