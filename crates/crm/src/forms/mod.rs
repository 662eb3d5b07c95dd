//! Forms: inquiries from websites, without a key.
//!
//! A form has its own address, to which a page's HTML form or script posts. A submission becomes an inquiry
//! under the form's name. Browsers are redirected or thanked, scripts get JSON. Bots that fill in the hidden
//! field get the usual response, and submissions are limited per address.
//!
//! A form may have fields of the account's own. Then a submission must say what they require. A form without takes
//! whatever is sent.

mod control;
mod fields;
mod form;
#[cfg(test)]
mod fuzzed;
mod hosted;
mod look;
mod page;
mod preview;
mod public_endpoint;
mod sql;
mod submission;
mod typed;
mod visitors;
mod words;

pub use fields::{FormField, FormFieldType, FormFields, NewFormField};
pub(crate) use form::EXPORTED;
pub use form::{
    ButtonText, Form, FormError, FormId, FormPatch, NewForm, NotAnOrigin, Origin, ThanksText, create, delete,
    find, list, patch,
};
pub use look::Look;
pub use preview::{FormPreview, preview};
pub use public_endpoint::public_endpoint;
pub use sql::STATEMENTS;
pub use words::FormLanguage;
