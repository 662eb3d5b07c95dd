//! The simulators' behaviour without faults.

use serde::{Deserialize, Serialize};

/// Whether something happens automatically.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Pace {
    #[default]
    Auto,
    Manual,
}

/// How the 24-hour window is enforced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Window {
    /// Closed if the customer's last message is too old. Open for a customer who has not written, because the
    /// sandbox forgets everything when it ends.
    #[default]
    Lenient,
    /// Also closed for a customer who has not written, as in reality.
    Strict,
}

#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Settings {
    /// Whether messages are reported as sent and delivered automatically.
    pub(crate) statuses: Pace,
    /// Whether the bridge's code is scanned automatically.
    pub(crate) scan: Pace,
    pub(crate) window: Window,
}

/// A change of some settings.
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
