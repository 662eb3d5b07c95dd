//! Inquiries: submissions of website forms, or of programs.
//!
//! An inquiry is stored regardless of the plan's limit. Its content never changes, only its status. Its
//! contact is found by phone, then by email, or created.

mod api;
pub mod event_types;
mod inquiry;
mod ops;
mod sql;

pub use api::routes;
pub(crate) use inquiry::MISSING;
pub use inquiry::{
    Inquiry, InquiryError, InquiryId, InquiryPatch, InquiryStatus, NewInquiry, NotAPageUrl, PageUrl,
};
pub(crate) use ops::EXPORTED;
pub use ops::{CONTACT_ROWS, InquiryFilters, exists, find, list, of_contact, patch, submit};
pub use sql::STATEMENTS;
