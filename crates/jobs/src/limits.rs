//! The limits of a kind of job.

use std::time::Duration;

/// How many jobs of a kind may run at a time, and how the engine treats them. Start from [`Limits::DEFAULT`].
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Maximum running jobs in one lane, in one account, and in all.
    pub lane: usize,
    pub account: usize,
    pub overall: usize,
    /// Beyond `account` and `overall`, a lane with no running job may still begin one, up to this many more in all. So
    /// no lane stalls because others use up the limits.
    pub spare: usize,
    /// A lane whose jobs end quickly may run this many times its limit. A slow lane may not, so that a few slow lanes
    /// cannot use up `overall`.
    pub burst: usize,
    /// A lane whose jobs end quickly claims up to this many times its limit, so that it does not wait for the store.
    /// 1 means that every job begins as soon as it is claimed.
    pub ahead: usize,
    /// How many jobs of a lane may begin per second, until a claim sets another pace. `None`: as many as the limits
    /// allow.
    pub per_second: Option<f64>,
    /// How long the lease of a claim lasts.
    pub lease: Duration,
    /// The longest that a job takes. A job whose lease would expire before that is not begun.
    pub act_time_max: Duration,
    /// How often the engine looks for work without a wake-up. Commits in this process wake it at once.
    pub look_period: Duration,
    /// Maximum outcomes settled in one transaction, and how long the first waits for others.
    pub settle_max: usize,
    pub settle_wait: Duration,
    /// How long the outcomes after a large batch gather before they are settled too. One transaction for many
    /// outcomes costs less than several.
    pub settle_pause: Duration,
    /// On PostgreSQL one server at a time holds the lease on a lane, for at most this long after its last claim. So
    /// order and pace hold whatever the number of servers. `None`: servers share a lane.
    pub charge: Option<Duration>,
    /// Settling makes more jobs of the same lane due, so the engine checks the lane again.
    pub settling_frees: bool,
    /// What happens to running jobs when the server stops.
    pub stop: Stop,
}

/// What happens to running jobs when the server stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// They get this long to finish.
    Finish(Duration),
    /// They are aborted and released.
    GiveBack,
}

impl Limits {
    pub const DEFAULT: Self = Self {
        lane: 1,
        account: usize::MAX,
        overall: 512,
        spare: 0,
        burst: 1,
        ahead: 1,
        per_second: None,
        lease: Duration::from_mins(5),
        act_time_max: Duration::from_mins(1),
        look_period: Duration::from_secs(1),
        settle_max: 64,
        settle_wait: Duration::from_millis(2),
        settle_pause: Duration::ZERO,
        charge: None,
        settling_frees: false,
        stop: Stop::GiveBack,
    };
}
