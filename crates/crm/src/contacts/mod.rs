//! Contacts: the people a business talks to.
//!
//! One phone number belongs to one contact of an account, however it is written. Every change of a contact
//! writes its event in the same transaction.

mod api;
mod bulk;
mod channels;
mod contact;
mod dependents;
mod erase;
pub mod erasures;
pub mod event_types;
mod exported;
mod find_or_create;
mod labels;
mod listing;
mod merge;
mod ops;
mod opt_out;
mod rows;
mod sorted;
mod source;
mod sql;
pub mod stored_labels;

pub use api::routes;
pub use bulk::{BULK_CHANGES, ContactBulk};
pub use channels::{note_channel, note_channels, note_inbound};
pub(crate) use contact::FIELDS_MAX;
pub use contact::{
    Contact, ContactError, ContactField, ContactId, ContactPatch, ContactTag, FieldValues, NewContact, TagIds,
};
pub use dependents::{Dependent, Dependents, Repointed};
pub use erase::erase;
pub(crate) use exported::EXPORTED;
pub use find_or_create::{
    KnownBy, Limit, Person, Policy, fill_in, find_or_create, find_or_create_all, name_of,
};
pub(crate) use listing::rows as matching;
pub use listing::{COUNTED_MAX, count, list};
pub use merge::merge;
pub(crate) use ops::{Tags, Values, check_values, create_tagged, patch_tagged, patched};
pub use ops::{create, patch, tag, untag};
pub use opt_out::{OptOut, SOURCE_API, opt_in, opt_out, opt_out_of};
pub use rows::{exists, find, find_all_by_phone, find_by_phone, hold, limit};
pub(crate) use rows::{find_by_email, room};
pub use sorted::{ContactOrder, SortedContact, sorted};
pub use source::ContactFilters;
pub use sql::STATEMENTS;
