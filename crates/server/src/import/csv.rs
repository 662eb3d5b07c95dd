//! Brings contacts, deals and notes from a CSV file, by a mapping of its columns.
//!
//! The file is read row by row, so it may be of any size. A row that cannot be taken is refused with its line and the reason,
//! and the others are brought. Running it again adds nothing: contacts are found by their number or address, and deals and
//! notes by what their rows say.

mod batch;
mod contacts;
mod deals;
#[cfg(test)]
mod fuzzed;
mod mapping;
mod notes;
mod people;
mod reader;
mod rejected;

pub(crate) use batch::{Import, Refused, Summary};
pub(crate) use mapping::{Kind, Mapping};
pub(crate) use reader::CsvFile;
pub(crate) use rejected::RejectedFile;
