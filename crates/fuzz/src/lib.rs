//! Fuzzing: a parser gets inputs that nobody wrote, made by changing examples.
//!
//! A test names its parser and some examples, and gives a check that panics when something is wrong:
//!
//! ```
//! use frontdesk_fuzz::Target;
//!
//! Target::new("numbers").examples(["1", "-20"]).words(["+", "e9"]).run(|bytes| {
//!     let read = std::str::from_utf8(bytes).ok().and_then(|text| text.parse::<i32>().ok());
//!     if let Some(number) = read {
//!         assert_eq!(number.to_string().parse(), Ok(number));
//!     }
//!     read.is_some()
//! });
//! ```
//!
//! What the check returns tells outcomes apart: an input with an outcome that was not seen before becomes an example
//! itself, so the fuzzer goes from the outcomes that it knows to others. Two things are checked for every target: that
//! nothing panics, and that the time grows with the size of the input and not with its square.
//!
//! Inputs follow from a seed, which is the same each time unless `FRONTDESK_FUZZ_SEED` says another one, or `any`.
//! `FRONTDESK_FUZZ_SECONDS` says how much processor time each target gets. A failing input is made smaller, stored in
//! `target/fuzz`, and named in the failure with how to repeat it. A stack overflow ends the process; the input is then the
//! one in `target/fuzz/NAME.deep`, where every input that may nest deeply is written before it is tried.

mod dice;
mod growth;
mod json;
mod mutation;
mod settings;
mod target;
mod trial;

pub use dice::Dice;
pub use mutation::Mutator;
pub use target::Target;
