//! Inquiries: what people write through a website's form, or what a program submits for them.
//!
//! An inquiry is never turned away for a plan's limit, and what was written never changes; its status does. Its contact is
//! found by phone, then by email, or made.

mod api;
pub mod event_types;
mod inquiry;
mod ops;

pub use api::routes;
pub(crate) use inquiry::MISSING;
pub use inquiry::{
    Inquiry, InquiryError, InquiryId, InquiryPatch, InquiryStatus, NewInquiry, NotAPageUrl, PageUrl,
};
pub use ops::{InquiryFilters, STATEMENTS, exists, find, list, patch, repoint, submit};
