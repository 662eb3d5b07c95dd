//! The limits of a run.

use std::time::Duration;

use frontdesk_models::MicroUsd;

/// Calls of the model in one run.
pub const TICKS_MAX: i64 = 25;
/// Tool calls of one turn.
pub const CALLS_PER_TURN_MAX: usize = 16;
/// Replies in a row that may be cut off.
pub const CUT_OFFS_MAX: u32 = 1;
/// Calls of the model in a row that may fail for a moment, and the pause after the first, which grows fourfold.
pub const MODEL_FAILURES_MAX: u32 = 3;
pub const RETRY_PAUSE: Duration = Duration::from_secs(5);
/// How long a run may be at work, without the time that it waits.
pub const ACTIVE_TIME_MAX: Duration = Duration::from_mins(20);
/// Everything that was said in a run.
pub const TRANSCRIPT_BYTES_MAX: usize = 400_000;
/// Tokens of one reply, reasoning included.
pub const OUTPUT_TOKENS_MAX: u32 = 4_096;
/// What a tree of runs may cost, when the assistant sets no limit of its own.
pub fn tree_cost_default() -> MicroUsd {
    MicroUsd::from_micros(2_000_000)
}
/// Sub-runs that one run may start, whatever the assistant allows.
pub const CHILDREN_MAX: i64 = 10;
/// The longest goal.
pub const GOAL_CHARS_MAX: usize = 8_000;
/// How far ahead a follow-up can be scheduled.
pub const FOLLOW_UP_AHEAD_MAX: Duration = Duration::from_hours(24 * 366);

/// A customer's message waits so long for the next one, and the first of several at most so long.
pub const QUIET_TIME: Duration = Duration::from_millis(1_500);
pub const GATHER_TIME_MAX: Duration = Duration::from_secs(8);
/// A message that is older than this when it arrives starts no run.
pub const MESSAGE_AGE_MAX: Duration = Duration::from_mins(10);
/// Replies of an assistant in one conversation and hour. One more, and a person takes over.
pub const REPLIES_PER_HOUR_MAX: i64 = 30;

/// How long a person has to answer an ask.
pub const ASK_TIME_MAX: Duration = Duration::from_hours(72);
