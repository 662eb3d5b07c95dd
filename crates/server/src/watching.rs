//! What a server tells of its own work: traces and slow statements.

use std::time::Duration;

use crate::switch::read_switch;
use crate::trace_config::TraceConfig;

/// Maximum for the time from which statements are slow, in milliseconds.
const SLOW_MILLIS_MAX: u64 = 600_000;

#[derive(Clone, Debug)]
pub(crate) struct Watching {
    /// Where traces are exported to, if they are recorded.
    pub(crate) traces: Option<TraceConfig>,
    /// From which time on statements are logged, and whether their plans are.
    pub(crate) slow_statements: Option<(Duration, bool)>,
}

impl Watching {
    /// Reads the variables; every mistake is passed to `note`.
    pub(crate) fn read(variable: impl Fn(&str) -> Option<String>, mut note: impl FnMut(String)) -> Self {
        const PLANS: &str = "FRONTDESK_SLOW_STATEMENT_PLANS";
        let plans = read_switch(PLANS, variable(PLANS).as_deref()).map_err(&mut note).unwrap_or_default();
        let time = variable("FRONTDESK_SLOW_STATEMENT_MS").map(|text| read_slow_time(&text));
        let time = time.transpose().map_err(&mut note).ok().flatten();
        Self { slow_statements: time.map(|time| (time, plans)), traces: TraceConfig::read(variable, note) }
    }
}

/// 0 logs every statement.
fn read_slow_time(text: &str) -> Result<Duration, String> {
    let millis = text.parse().ok().filter(|millis| *millis <= SLOW_MILLIS_MAX);
    millis.map(Duration::from_millis).ok_or_else(|| {
        format!("FRONTDESK_SLOW_STATEMENT_MS is a number of milliseconds from 0 to {SLOW_MILLIS_MAX}, not {text:?}")
    })
}
