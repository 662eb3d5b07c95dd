//! Files outside the database: in a directory, or in a bucket of S3-compatible storage.
//!
//! A file is written once, under a key made of two ids ([`FileKey`]), and never changed. It is there when
//! [`FileWriter::finish`] has returned, and then survives a crash of the machine. It is read from any byte on, a piece at a
//! time. Every call has a time limit. This crate knows nothing of rows: what may be written and read is decided above it.

mod bucket;
mod directory;
mod error;
mod key;
mod measured;
mod place;
mod places;
pub mod s3;

pub use error::FileError;
pub use key::{FileId, FileKey, StoredFile};
pub use place::{Place, PlaceKind};
pub use places::{FilePlaces, FileReader, FileWriter, PlaceClient, VARIABLE};
