//! How the stand-ins behave when nothing goes wrong.

use serde::{Deserialize, Serialize};

/// Whether something happens by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Pace {
    #[default]
    Auto,
    Manual,
}

/// How the 24 hours after a customer's message are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Window {
    /// Closed for whom the sandbox last heard from too long ago. One it never heard from has the benefit of the doubt:
    /// it forgets everything when it ends.
    #[default]
    Lenient,
    /// Closed for one it never heard from too, as in reality.
    Strict,
}

#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Settings {
    /// Whether messages are reported as sent and delivered by themselves.
    pub(crate) statuses: Pace,
    /// Whether the bridge's code is scanned by itself.
    pub(crate) scan: Pace,
    pub(crate) window: Window,
}

/// A change of some of them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Change {
    statuses: Option<Pace>,
    scan: Option<Pace>,
    window: Option<Window>,
}

impl Settings {
    pub(crate) fn apply(&mut self, change: &Change) {
        self.statuses = change.statuses.unwrap_or(self.statuses);
        self.scan = change.scan.unwrap_or(self.scan);
        self.window = change.window.unwrap_or(self.window);
    }
}
