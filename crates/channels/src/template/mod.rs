//! Templates: the vendor's definitions, a send's parameters, and their comparison.
//!
//! A send is composed against the synced template when it is requested: a parameter that is missing, blank or
//! superfluous is reported by name before anything is queued, and none is ever dropped.

mod compose;
mod composed;
mod layout;
mod pattern;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use compose::Mismatch;
pub use composed::{ButtonKind, Composed, ComposedButton, ComposedHeader, ComposedParameter};
pub use layout::Layout;

/// A template in the vendor's list.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    pub channel_template_id: Option<String>,
    pub name: String,
    pub language: String,
    pub category: String,
    /// `APPROVED`, `PENDING`, `REJECTED`, `PAUSED` or `DISABLED`.
    pub status: String,
    /// Its parameters have names instead of numbers.
    pub named: bool,
    /// The vendor's own JSON, an array.
    pub components: Value,
}

/// One page of the vendor's list.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplatePage {
    pub templates: Vec<Template>,
    /// Where the next page begins.
    pub after: Option<String>,
}

/// The parameters of a send.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemplateFill {
    pub body_params: Vec<String>,
    pub header_text: Option<String>,
    /// Replaces the template's own example media.
    pub header_media_url: Option<String>,
    /// By the button's index.
    pub button_params: BTreeMap<u32, String>,
}
