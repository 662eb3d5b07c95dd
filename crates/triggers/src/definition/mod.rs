//! Definitions: everything that an assistant is, in one piece, for those who keep assistants in files.
//!
//! A definition has the settings of an assistant, the texts that it follows and its triggers. It is replaced in one
//! transaction, so it is never half of one and half of another. Its revision changes with everything in it and with nothing
//! else, so a caller can refuse to overwrite what somebody else has changed.

mod api;
mod input;
mod ops;
mod triggers;
mod whole;

pub(crate) use api::routes;
pub use input::{DefinedInstruction, DefinedTrigger, DefinitionChange, NewDefinition};
pub use whole::{Definition, IssuedAddress, WrittenDefinition};
