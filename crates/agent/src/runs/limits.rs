//! The limits of a run.

use std::time::Duration;

use frontdesk_models::MicroUsd;

/// Maximum model calls of one run.
pub const TICKS_MAX: i64 = 25;
/// Maximum tool calls of one turn.
pub const CALLS_PER_TURN_MAX: usize = 16;
/// Maximum consecutive replies that are cut off.
pub const CUT_OFFS_MAX: u32 = 1;
/// Maximum consecutive model calls that fail temporarily, and the pause after the first failure. Each further failure
/// multiplies the pause by four.
pub const MODEL_FAILURES_MAX: u32 = 3;
pub const RETRY_PAUSE: Duration = Duration::from_secs(5);
/// How long a run may be active, without the time that it waits.
pub const ACTIVE_TIME_MAX: Duration = Duration::from_mins(20);
/// Maximum size of a run's transcript.
pub const TRANSCRIPT_BYTES_MAX: usize = 400_000;
/// Maximum tokens of one reply, reasoning included.
pub const OUTPUT_TOKENS_MAX: u32 = 4_096;
/// The cost limit of a tree of runs when the assistant sets none.
pub fn tree_cost_default() -> MicroUsd {
    MicroUsd::from_micros(2_000_000)
}
/// Maximum sub-runs of one run, whatever the assistant allows.
pub const CHILDREN_MAX: i64 = 10;
/// Maximum characters of a goal.
pub const GOAL_CHARS_MAX: usize = 8_000;
/// How far ahead a follow-up can be scheduled.
pub const FOLLOW_UP_AHEAD_MAX: Duration = Duration::from_hours(24 * 366);
/// Maximum scheduled follow-ups about one contact. Those of an assistant about no contact have the same limit together.
pub const FOLLOW_UPS_PENDING_MAX: i64 = 20;
/// How many follow-ups may be scheduled one by the other.
pub const FOLLOW_UP_DEPTH_MAX: u32 = 5;

/// How long a run waits for the customer's next message, and how long it waits at most after the first of several.
pub const QUIET_TIME: Duration = Duration::from_millis(1_500);
pub const GATHER_TIME_MAX: Duration = Duration::from_secs(8);
/// A message that is older than this when it arrives starts no run.
pub const MESSAGE_AGE_MAX: Duration = Duration::from_mins(10);
/// Maximum replies of an assistant in one conversation per hour. After that, a person takes over.
pub const REPLIES_PER_HOUR_MAX: i64 = 30;
