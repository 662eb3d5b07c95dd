//! The limits of a kind of job.

use std::time::Duration;

/// How much of a kind may run at a time, and how the engine treats it. Start from [`Limits::DEFAULT`].
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Jobs under way in one lane, in one account, and in all.
    pub lane: usize,
    pub account: usize,
    pub overall: usize,
    /// Past `account` and `overall`, a lane with nothing under way may still begin one job, up to this many more in
    /// all. So no lane stands still because others fill the limits.
    pub spare: usize,
    /// A lane whose jobs end quickly may have this many times its limit under way. A slow one may not, so that few slow
    /// lanes cannot fill `overall`.
    pub burst: usize,
    /// A lane whose jobs end quickly claims up to this many times its limit, so that it does not wait for the store.
    /// 1 means that every job begins as soon as it is claimed.
    pub ahead: usize,
    /// How many jobs of a lane may begin in a second, until a claim says otherwise. `None`: as many as the limits allow.
    pub per_second: Option<f64>,
    /// How long a claim holds.
    pub lease: Duration,
    /// The longest that a job takes. One whose lease would end before that is not begun.
    pub act_time_max: Duration,
    /// How often the engine looks for work by itself. Commits of this process wake it at once.
    pub look_period: Duration,
    /// Outcomes settled in one transaction, and how long the first waits for others.
    pub settle_max: usize,
    pub settle_wait: Duration,
    /// On PostgreSQL one server at a time has charge of a lane, until this long after its last claim. So order and pace
    /// hold whatever the number of servers. `None`: servers share a lane.
    pub charge: Option<Duration>,
    /// Settling makes more of the same lane due, so the lane is looked at again.
    pub settling_frees: bool,
    /// What happens to jobs under way when the server stops.
    pub stop: Stop,
}

/// What happens to jobs under way when the server stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// They get this long to end.
    Finish(Duration),
    /// They are broken off and given back.
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
        charge: None,
        settling_frees: false,
        stop: Stop::GiveBack,
    };
}
