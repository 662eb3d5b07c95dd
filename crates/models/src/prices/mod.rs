//! Prices as data, and the cost of calls.
//!
//! The built-in table is `prices.json` beside this crate's manifest. A file of the same form, named by
//! `FRONTDESK_MODEL_PRICES`, adds models and replaces prices. Prices are dollars per million tokens there, and
//! micro-dollars per million tokens here. Costs are whole micro-dollars, rounded up once per call.

mod audio;
mod chat;
mod file;
mod list;
mod micro_usd;

pub use audio::{SpeechPrice, TranscriptionPrice};
pub use chat::{ChatPrice, Rates};
pub use file::PricesError;
pub use list::{PriceList, Quote};
pub use micro_usd::MicroUsd;
